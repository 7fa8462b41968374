//! A caller that writes what it likes, byte for byte.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::Fleet;

/// When a test gives up on a connection that is neither answered nor closed.
const GIVE_UP: Duration = Duration::from_mins(2);

/// An answer over HTTP/1.1, as its bytes came.
#[derive(Debug)]
pub struct Reply {
    /// Status code.
    pub status: u16,
    /// Status line and headers, in lower case.
    pub head: String,
    /// Body.
    pub body: String,
}

impl Reply {
    /// `error.code` of an answer in the envelope; empty for a bare one.
    pub fn code(&self) -> String {
        let body: Value = serde_json::from_str(&self.body).unwrap_or_default();
        body["error"]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

/// A new connection to the public port.
pub async fn connect(fleet: &Fleet) -> TcpStream {
    let address = fleet.base_url.strip_prefix("http://").unwrap();
    let address = address.strip_suffix("/v1").unwrap();
    TcpStream::connect(address).await.unwrap()
}

/// Sends `bytes` and reads until the server closes the connection.
///
/// # Panics
/// When it does not, or when what it said is not a row of whole answers.
pub async fn exchange(fleet: &Fleet, bytes: &[u8]) -> Vec<Reply> {
    let (mut read, mut write) = connect(fleet).await.into_split();
    let shown = String::from_utf8_lossy(bytes.get(..200).unwrap_or(bytes)).into_owned();
    let mut said = Vec::new();
    let talk = async {
        // The server may have heard enough before everything is sent. Sending must not wait for reading, nor reading for sending.
        let (sent, read) = tokio::join!(write.write_all(bytes), read.read_to_end(&mut said));
        (sent.is_ok(), read.is_ok())
    };
    let ended = tokio::time::timeout(GIVE_UP, talk).await;
    assert!(ended.is_ok(), "neither answered nor closed: {shown}");
    answers(&said)
}

/// Takes what a server said apart.
fn answers(said: &[u8]) -> Vec<Reply> {
    let mut text = String::from_utf8_lossy(said).into_owned();
    let mut answers = Vec::new();
    while !text.is_empty() {
        let (head, rest) = text
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("no whole answer: {text}"));
        let head = head.to_lowercase();
        let status = head
            .strip_prefix("http/1.")
            .and_then(|line| line.get(2..5)?.parse().ok())
            .unwrap_or_else(|| panic!("no status: {head}"));
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())
            // An answer to HEAD says how long its body would be, and the next answer follows.
            .filter(|_| !rest.starts_with("HTTP/1."))
            .unwrap_or(0);
        let (body, rest) = rest
            .split_at_checked(length)
            .unwrap_or_else(|| panic!("an answer is cut off: {rest}"));
        let (body, rest) = (body.to_owned(), rest.to_owned());
        answers.push(Reply { status, head, body });
        text = rest;
    }
    answers
}
