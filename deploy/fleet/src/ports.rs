//! Free ports, and what answers on them.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::random;
use crate::say::say;

/// The public port of the first gateway, when nobody holds it.
const PREFERRED_PUBLIC: u16 = 8080;

/// Where private ports are looked for: below the range from which the kernel takes the local ends of outgoing connections
/// (32768 on Linux), so that a child that is started again finds its port as it left it.
const PRIVATE: std::ops::Range<u16> = 20_000..32_000;

/// Ports of one fleet by the name of their use; the same name gets the same port at the next start if it is still free.
pub(crate) struct Ports {
    known: BTreeMap<String, u16>,
    claims: Claims,
}

/// Ports that are spoken for, though their owners do not listen yet.
///
/// The launcher cannot hold a TCP port that a child is to open, but it can hold the UDP port of the same number: a launcher
/// that starts at the same moment finds it taken, and the kernel gives it back however this one ends.
#[derive(Default)]
pub(crate) struct Claims(Vec<UdpSocket>);

impl Ports {
    pub(crate) fn new(known: BTreeMap<String, u16>) -> Self {
        Self {
            known,
            claims: Claims::default(),
        }
    }

    /// The port for `name`: last time's if it is free, else a new one.
    pub(crate) fn private(&mut self, name: &str) -> Result<u16> {
        if let Some(port) = self.known.get(name).copied()
            && self.claim(port)?
        {
            return Ok(port);
        }
        let width = PRIVATE.end - PRIVATE.start;
        let first = random::below(width)?;
        for step in 0..width {
            let port = PRIVATE.start + (first + step) % width;
            if self.claim(port)? {
                self.known.insert(name.to_owned(), port);
                return Ok(port);
            }
        }
        bail!(
            "no port is free between {} and {}: end what holds them",
            PRIVATE.start,
            PRIVATE.end
        )
    }

    /// The gateway's public port: `wanted` or an error that says who is in the way; without a wish, last time's, 8080, or any.
    pub(crate) fn public(&mut self, wanted: Option<u16>) -> Result<u16> {
        const NAME: &str = "gateway.public";
        if let Some(port) = wanted {
            if !self.claim(port)? {
                bail!(
                    "port {port} is taken by another program: end it or choose another with --port"
                );
            }
            self.known.insert(NAME.to_owned(), port);
            return Ok(port);
        }
        let last = self.known.get(NAME).copied();
        for port in last.into_iter().chain([PREFERRED_PUBLIC]) {
            if self.claim(port)? {
                self.known.insert(NAME.to_owned(), port);
                return Ok(port);
            }
        }
        self.known.remove(NAME);
        let port = self.private(NAME)?;
        say(format!(
            "Port {} is taken by another program: the API is on {port} (--port chooses)",
            last.unwrap_or(PREFERRED_PUBLIC)
        ));
        Ok(port)
    }

    /// The table to remember, and the claims, to be kept for as long as the fleet runs.
    pub(crate) fn into_parts(self) -> (BTreeMap<String, u16>, Claims) {
        (self.known, self.claims)
    }

    /// Claims a port if nobody has it.
    fn claim(&mut self, port: u16) -> Result<bool> {
        let taken = |error: std::io::Error| match error.kind() {
            ErrorKind::AddrInUse => Ok(false),
            ErrorKind::PermissionDenied => {
                bail!("port {port} is for root alone: choose one from 1024 with --port")
            }
            _ => Err(error).with_context(|| format!("port {port} cannot be taken")),
        };
        let claim = match UdpSocket::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(claim) => claim,
            Err(error) => return taken(error),
        };
        if let Err(error) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            return taken(error);
        }
        self.claims.0.push(claim);
        Ok(true)
    }
}

/// An answer of a service's admin port.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

/// One GET of a page such as `http://127.0.0.1:20001/readyz`; `None` when nobody answers (yet). Health pages are all the launcher ever reads, so this
/// little HTTP is enough and a client library is not compiled for it.
pub(crate) fn get(page: &str) -> Option<Answer> {
    let limit = Duration::from_secs(2);
    let (address, path) = page.strip_prefix("http://")?.split_once('/')?;
    let address: SocketAddr = address.parse().ok()?;
    let mut stream = TcpStream::connect_timeout(&address, limit).ok()?;
    stream.set_read_timeout(Some(limit)).ok()?;
    stream.set_write_timeout(Some(limit)).ok()?;
    let request = format!("GET /{path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.take(64 * 1024).read_to_end(&mut answer).ok()?;
    parse(&String::from_utf8_lossy(&answer))
}

fn parse(answer: &str) -> Option<Answer> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split_whitespace().nth(1)?.parse().ok()?;
    Some(Answer {
        status,
        body: body.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_keeps_its_port() {
        let mut first = Ports::new(BTreeMap::new());
        let port = first.private("catalogue-svc.grpc").unwrap();
        let (known, claims) = first.into_parts();
        drop(claims);
        let mut second = Ports::new(known);
        assert_eq!(second.private("catalogue-svc.grpc").unwrap(), port);
    }

    #[test]
    fn a_port_that_went_to_another_program_is_replaced() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let mut ports = Ports::new(BTreeMap::from([("redis".to_owned(), port)]));
        assert_ne!(ports.private("redis").unwrap(), port);
    }

    #[test]
    fn a_wanted_public_port_that_is_taken_is_an_error_that_names_it() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = Ports::new(BTreeMap::new()).public(Some(port)).unwrap_err();
        assert!(
            error.to_string().contains(&format!("port {port} is taken")),
            "{error}"
        );
    }

    #[test]
    fn a_port_that_another_launcher_claimed_is_left_to_it() {
        let mut first = Ports::new(BTreeMap::new());
        let port = first.private("redis").unwrap();
        let mut second = Ports::new(BTreeMap::from([("redis".to_owned(), port)]));
        assert_ne!(second.private("redis").unwrap(), port);
    }

    #[test]
    fn two_uses_never_share_a_port() {
        let mut ports = Ports::new(BTreeMap::new());
        let mut seen: Vec<u16> = (0..20)
            .map(|n| ports.private(&n.to_string()).unwrap())
            .collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 20);
    }

    #[test]
    fn answers_are_taken_apart() {
        let answer =
            parse("HTTP/1.1 503 Service Unavailable\r\na: b\r\n\r\n{\"ready\":false}").unwrap();
        assert_eq!(
            answer,
            Answer {
                status: 503,
                body: "{\"ready\":false}".to_owned()
            }
        );
        assert_eq!(parse("SSH-2.0"), None);
    }
}
