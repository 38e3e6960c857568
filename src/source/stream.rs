//! The socket, plain or inside TLS.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::time::Duration;

use rustls::{ClientConnection, StreamOwned};

/// A connection's bytes.
#[derive(Debug)]
pub(super) enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

/// Wakes and ends a [`super::Replica`] from another thread.
#[derive(Debug)]
pub struct ShutdownHandle(TcpStream);

impl ShutdownHandle {
    /// Ends the connection: the reader's next look at it finds it closed.
    pub fn shutdown(&self) {
        // The one failure is that it is closed already.
        drop(self.0.shutdown(Shutdown::Both));
    }
}

impl Stream {
    /// Connects to the first of the host's addresses that answers.
    pub(super) fn connect(host: &str, port: u16, timeout: Duration) -> io::Result<Self> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for address in (bare, port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, timeout) {
                Ok(socket) => {
                    socket.set_nodelay(true)?;
                    return Ok(Self::Plain(socket));
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn socket(&self) -> &TcpStream {
        match self {
            Self::Plain(socket) => socket,
            Self::Tls(stream) => stream.get_ref(),
        }
    }

    pub(super) fn is_tls(&self) -> bool {
        matches!(self, Self::Tls(_))
    }

    pub(super) fn set_timeouts(&self, read: Duration, write: Option<Duration>) -> io::Result<()> {
        self.socket().set_read_timeout(Some(read))?;
        self.socket().set_write_timeout(write)
    }

    pub(super) fn set_read_timeout(&self, time: Duration) -> io::Result<()> {
        self.socket().set_read_timeout(Some(time))
    }

    /// Whether something has come that is not read yet.
    pub(super) fn has_arrived(&self) -> io::Result<bool> {
        let socket = self.socket();
        socket.set_nonblocking(true)?;
        let peeked = socket.peek(&mut [0]);
        socket.set_nonblocking(false)?;
        Ok(matches!(peeked, Ok(1..))) // The next read finds an end or an error.
    }

    pub(super) fn shutdown_handle(&self) -> io::Result<ShutdownHandle> {
        self.socket().try_clone().map(ShutdownHandle)
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn what_has_arrived_is_known_without_reading_it() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut stream = Stream::connect("127.0.0.1", port, Duration::from_secs(5)).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        assert!(!stream.has_arrived().unwrap());
        server.write_all(b"ab").unwrap();
        let mut bytes = [0; 1];
        stream.read_exact(&mut bytes).unwrap();
        assert!(stream.has_arrived().unwrap());
        stream.read_exact(&mut bytes).unwrap();
        assert_eq!((bytes, stream.has_arrived().unwrap()), (*b"b", false));
        drop(server);
        // The end is for the next read, which waits for it.
        assert!(!stream.has_arrived().unwrap());
        assert_eq!(stream.read(&mut bytes).unwrap(), 0);
    }
}
