use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Between looks at what is asked for.
const LOOK: Duration = Duration::from_millis(20);

/// What happens to connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Way {
    /// They go through.
    Open,
    /// They end, and new ones end at once.
    Cut,
    /// They stay, and nothing goes through.
    Hung,
}

/// A way to a server that can be cut, hung, and led to another server.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    goal: Mutex<SocketAddr>,
    way: AtomicU8,
    /// Connections of an earlier generation end.
    generation: AtomicU64,
    ends: AtomicBool,
    pumps: Mutex<Vec<JoinHandle<()>>>,
}

impl Proxy {
    /// Opens one; it leads nowhere yet.
    pub(crate) fn open() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        listener.set_nonblocking(true).unwrap();
        let shared = Arc::new(Shared {
            goal: Mutex::new(here(0)),
            way: AtomicU8::new(Way::Open as u8),
            generation: AtomicU64::new(0),
            ends: AtomicBool::new(false),
            pumps: Mutex::new(Vec::new()),
        });
        let thread = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.accept(&listener)
        });
        Self { port, shared, thread: Some(thread) }
    }

    /// Where new connections go; those that stand end. A move to a replica is this.
    pub(crate) fn lead_to(&self, port: u16) {
        self.lead_to_address(here(port));
    }

    /// The same on another address of this machine.
    pub(crate) fn lead_to_address(&self, address: SocketAddr) {
        *self.shared.goal.lock().unwrap() = address;
        self.shared.generation.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn set(&self, way: Way) {
        self.shared.way.store(way as u8, Ordering::SeqCst);
        if way == Way::Cut {
            self.shared.generation.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

fn here(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

impl Shared {
    fn is(&self, way: Way) -> bool {
        self.way.load(Ordering::SeqCst) == way as u8
    }

    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        while !self.ends.load(Ordering::SeqCst) {
            match listener.accept() {
                Ok((client, _)) => self.connect(client),
                Err(_) => std::thread::sleep(LOOK),
            }
        }
        for pump in self.pumps.lock().unwrap().drain(..) {
            let _panicked = pump.join();
        }
    }

    /// Without a server behind it the connection ends.
    fn connect(self: &Arc<Self>, client: TcpStream) {
        // First, so that one whose goal is an earlier one's ends.
        let generation = self.generation.load(Ordering::SeqCst);
        let goal = *self.goal.lock().unwrap();
        if self.is(Way::Cut) {
            return;
        }
        let Ok(server) = TcpStream::connect(goal) else { return };
        for stream in [&client, &server] {
            let _gone_again = stream.set_nodelay(true);
            let _gone_again = stream.set_read_timeout(Some(LOOK));
        }
        let (Ok(client_too), Ok(server_too)) = (client.try_clone(), server.try_clone()) else {
            return;
        };
        let mut pumps = self.pumps.lock().unwrap();
        pumps.retain(|pump| !pump.is_finished());
        for (from, to) in [(client, server), (server_too, client_too)] {
            let shared = Arc::clone(self);
            pumps.push(std::thread::spawn(move || shared.pump(from, to, generation)));
        }
    }

    /// Carries bytes one way until either side or the proxy ends it.
    fn pump(&self, mut from: TcpStream, mut to: TcpStream, generation: u64) {
        let mut buffer = vec![0; 64 << 10];
        let _gone = to.set_write_timeout(Some(Duration::from_secs(60)));
        while !self.ends.load(Ordering::SeqCst)
            && self.generation.load(Ordering::SeqCst) == generation
        {
            if self.is(Way::Hung) {
                std::thread::sleep(LOOK);
                continue;
            }
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => {
                    if to.write_all(&buffer[..read]).is_err() {
                        break;
                    }
                }
                Err(err) if matches!(err.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(_) => break,
            }
        }
        let _closed = from.shutdown(Shutdown::Both);
        let _closed = to.shutdown(Shutdown::Both);
    }
}
