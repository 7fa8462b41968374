//! An HTTP/1.1 client that costs as little CPU as possible: it sends prepared bytes, and parses only the head of a response.

use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;

use e2e::Fleet;
use http::{HeaderValue, Uri};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Enough for a head, and for most bodies.
const BUFFER: usize = 16 * 1024;

#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) address: SocketAddr,
    pub(crate) uri: Uri,
    pub(crate) authorization: HeaderValue,
    /// The request in HTTP/1.1.
    request: Vec<u8>,
}

impl Target {
    pub(crate) fn get(fleet: &Fleet, path: &str, key: &str) -> Self {
        Self::at(&format!("{}{path}", fleet.base_url), &format!("Bearer {key}"))
    }

    pub(crate) fn at(url: &str, authorization: &str) -> Self {
        let uri: Uri = url.parse().unwrap();
        let host = uri.authority().unwrap().as_str();
        let request = format!(
            "GET {} HTTP/1.1\r\nhost: {host}\r\nauthorization: {authorization}\r\n\r\n",
            uri.path()
        );
        Self {
            address: host.parse().unwrap(),
            authorization: authorization.parse().unwrap(),
            request: request.into_bytes(),
            uri,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Box<[u8]>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ResponseHead {
    pub(crate) status: u16,
    /// Whether the server closes the connection.
    pub(crate) closes: bool,
    length: usize,
}

impl Connection {
    pub(crate) async fn open(target: &Target) -> Result<Self> {
        let stream = TcpStream::connect(target.address).await?;
        stream.set_nodelay(true)?;
        let buffer = vec![0; BUFFER].into();
        Ok(Self { stream, buffer })
    }

    pub(crate) async fn send(&mut self, target: &Target) -> Result<()> {
        self.stream.write_all(&target.request).await
    }

    /// Reads a whole response.
    pub(crate) async fn answer(&mut self) -> Result<ResponseHead> {
        let (mut filled, mut head) = (0, None);
        let (answer, begins) = loop {
            filled += self.read(filled, BUFFER).await?;
            let came = &self.buffer[..filled];
            head = head.or_else(|| came.windows(4).position(|four| four == b"\r\n\r\n"));
            if let Some(end) = head {
                break (ResponseHead::parse(&came[..end])?, end + 4);
            }
        };
        let mut missing =
            (begins + answer.length).checked_sub(filled).ok_or(ErrorKind::InvalidData)?;
        while missing > 0 {
            missing -= self.read(0, missing.min(BUFFER)).await?;
        }
        Ok(answer)
    }

    async fn read(&mut self, from: usize, to: usize) -> Result<usize> {
        match self.stream.read(&mut self.buffer[from..to]).await? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}

impl ResponseHead {
    /// Parses a head, without its empty line.
    fn parse(head: &[u8]) -> Result<Self> {
        let head = std::str::from_utf8(head).map_err(invalid)?;
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.get(9..12)?.parse().ok());
        let mut answer =
            Self { status: status.ok_or(ErrorKind::InvalidData)?, closes: false, length: 0 };
        for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
            if name.eq_ignore_ascii_case("content-length") {
                answer.length = value.parse().map_err(invalid)?;
            } else if name.eq_ignore_ascii_case("connection") {
                answer.closes = value.eq_ignore_ascii_case("close");
            }
        }
        Ok(answer)
    }
}

fn invalid(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(ErrorKind::InvalidData, error)
}
