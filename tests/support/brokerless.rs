use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex};

/// Metadata in Kafka's protocol, and its first version with tagged fields.
const METADATA: i16 = 3;
const FLEXIBLE: i16 = 9;

/// A way to a broker whose metadata names no brokers for as long as one wants: so answers a cluster that is just coming
/// back.
pub(crate) struct Brokerless {
    pub(crate) port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    goal: AtomicU16,
    is_on: AtomicBool,
}

/// The requests that are on their way: by correlation id, whether they ask for metadata.
type Asked = Arc<Mutex<HashMap<i32, bool>>>;

impl Brokerless {
    /// Opens one, which leads nowhere yet and ends with the process.
    pub(crate) fn open() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                for client in listener.incoming().flatten() {
                    let goal = shared.goal.load(Ordering::SeqCst);
                    if let Ok(server) = TcpStream::connect(("127.0.0.1", goal)) {
                        carry(client, server, &shared);
                    }
                }
            }
        });
        Self { port, shared }
    }

    /// Where connections go.
    pub(crate) fn lead_to(&self, port: u16) {
        self.shared.goal.store(port, Ordering::SeqCst);
    }

    /// From now on metadata names no brokers, or those that there are.
    pub(crate) fn set(&self, is_on: bool) {
        self.shared.is_on.store(is_on, Ordering::SeqCst);
    }
}

fn carry(client: TcpStream, server: TcpStream, shared: &Arc<Shared>) {
    let asked = Asked::default();
    let (mut from_client, mut to_server) =
        (client.try_clone().unwrap(), server.try_clone().unwrap());
    let (mut from_server, mut to_client) = (server, client);
    for stream in [&to_server, &to_client] {
        stream.set_nodelay(true).unwrap();
    }
    std::thread::spawn({
        let asked = Arc::clone(&asked);
        move || {
            while let Some(frame) = frame(&mut from_client) {
                let number = |at: usize| i16::from_be_bytes([frame[at], frame[at + 1]]);
                let is_metadata = number(0) == METADATA && number(2) >= FLEXIBLE;
                asked.lock().unwrap().insert(correlation(&frame[4..]), is_metadata);
                if send(&mut to_server, &frame).is_none() {
                    break;
                }
            }
            let _gone = to_server.shutdown(std::net::Shutdown::Both);
        }
    });
    let shared = Arc::clone(shared);
    std::thread::spawn(move || {
        while let Some(mut frame) = frame(&mut from_server) {
            let is_metadata = asked.lock().unwrap().remove(&correlation(&frame));
            if is_metadata == Some(true) && shared.is_on.load(Ordering::SeqCst) {
                frame = without_brokers(&frame);
            }
            if send(&mut to_client, &frame).is_none() {
                break;
            }
        }
        let _gone = to_client.shutdown(std::net::Shutdown::Both);
    });
}

fn frame(from: &mut TcpStream) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length).ok()?;
    let mut frame = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
    from.read_exact(&mut frame).ok()?;
    Some(frame)
}

fn send(to: &mut TcpStream, frame: &[u8]) -> Option<()> {
    let length = u32::try_from(frame.len()).unwrap();
    to.write_all(&[&length.to_be_bytes(), frame].concat()).ok()
}

fn correlation(bytes: &[u8]) -> i32 {
    i32::from_be_bytes(bytes[..4].try_into().unwrap())
}

/// A metadata response of a flexible version: correlation id, no tags, throttle time, the brokers, the rest.
fn without_brokers(frame: &[u8]) -> Vec<u8> {
    let begin = 4 + 1 + 4;
    let mut rest = &frame[begin..];
    for _ in 1..varint(&mut rest) {
        rest = &rest[4..]; // The node's id.
        text(&mut rest);
        rest = &rest[4..]; // Its port.
        text(&mut rest); // Its rack.
        assert_eq!(varint(&mut rest), 0, "a broker has tagged fields");
    }
    [&frame[..begin], &[1], rest].concat()
}

/// Passes over a compact string, which may be null.
fn text(bytes: &mut &[u8]) {
    let length = varint(bytes).saturating_sub(1);
    *bytes = &bytes[length..];
}

fn varint(bytes: &mut &[u8]) -> usize {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        value |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return value;
        }
    }
}
