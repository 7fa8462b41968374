//! A client that sends arbitrary bytes.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::Fleet;

/// Timeout for a connection that is neither answered nor closed.
const GIVE_UP: Duration = Duration::from_mins(2);

/// A response in HTTP/1.1.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    /// Status line and headers, in lower case.
    pub head: String,
    pub body: String,
}

impl Reply {
    /// The error code in the envelope; empty if the response has none.
    pub fn code(&self) -> String {
        let body: Value = serde_json::from_str(&self.body).unwrap_or_default();
        body["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// A new connection to the public port.
pub async fn connect(fleet: &Fleet) -> TcpStream {
    let address = fleet.base_url.strip_prefix("http://").unwrap().strip_suffix("/v1").unwrap();
    TcpStream::connect(address).await.unwrap()
}

/// Sends `bytes`, and reads until the server closes the connection.
///
/// # Panics
/// The server does not close the connection, or the last response is incomplete.
pub async fn exchange(fleet: &Fleet, bytes: &[u8]) -> Vec<Reply> {
    let (mut read, mut write) = connect(fleet).await.into_split();
    let shown = String::from_utf8_lossy(bytes.get(..200).unwrap_or(bytes)).into_owned();
    let mut said = Vec::new();
    let talk = async {
        // The server may answer before it has read everything, so read and write concurrently.
        let (sent, read) = tokio::join!(write.write_all(bytes), read.read_to_end(&mut said));
        (sent.is_ok(), read.is_ok())
    };
    let ended = tokio::time::timeout(GIVE_UP, talk).await;
    assert!(ended.is_ok(), "neither answered nor closed: {shown}");
    answers(&said)
}

fn answers(said: &[u8]) -> Vec<Reply> {
    let mut text = String::from_utf8_lossy(said).into_owned();
    let mut answers = Vec::new();
    while !text.is_empty() {
        let (head, rest) =
            text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no whole answer: {text}"));
        let head = head.to_lowercase();
        let status = head
            .strip_prefix("http/1.")
            .and_then(|line| line.get(2..5)?.parse().ok())
            .unwrap_or_else(|| panic!("no status: {head}"));
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())
            // A response to HEAD names the length of a body that it does not have.
            .filter(|_| !rest.starts_with("HTTP/1."))
            .unwrap_or(0);
        let (body, rest) =
            rest.split_at_checked(length).unwrap_or_else(|| panic!("an answer is cut off: {rest}"));
        let (body, rest) = (body.to_owned(), rest.to_owned());
        answers.push(Reply { status, head, body });
        text = rest;
    }
    answers
}
