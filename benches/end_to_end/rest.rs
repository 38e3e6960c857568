//! Connect's REST interface, in as much of HTTP as it takes.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::Value;

/// A worker may be rebalancing.
const ANSWER_MAX: Duration = Duration::from_secs(90);

/// Sends a request to a worker; what it answers.
pub(crate) fn request(
    url: &str,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> anyhow::Result<Value> {
    let address = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).context("connecting to Connect")?;
    stream.set_read_timeout(Some(ANSWER_MAX))?;
    let body = body.map(Value::to_string).unwrap_or_default();
    // Of HTTP 1.0, so that the answer comes in one piece and ends with the connection.
    let head = format!(
        "{method} {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, text) = answer.split_once("\r\n\r\n").context("Connect's answer has no end")?;
    if head.split(' ').nth(1).is_none_or(|status| !status.starts_with('2')) {
        bail!("Connect answers {method} {path}: {}", text.trim());
    }
    Ok(serde_json::from_str(text).unwrap_or(Value::Null))
}
