//! Chooses free ports.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};

use anyhow::{Context, Result, bail};

use crate::random;
use crate::say::say;

/// The public port of the first gateway, if it is free.
const PREFERRED_PUBLIC: u16 = 8080;

/// The range of private ports. It is below the ephemeral range of Linux, from 32768, so that no outgoing connection takes the port of a
/// child that restarts.
const PRIVATE: std::ops::Range<u16> = 20_000..32_000;

/// The ports of a fleet by purpose. A purpose keeps its port across starts while the port is free.
pub(crate) struct Ports {
    assigned: BTreeMap<String, u16>,
    reservations: Reservations,
}

/// Reserves ports for children that do not listen yet.
///
/// The launcher cannot bind a TCP port that a child will bind. It binds the UDP port with the same number instead: another launcher that
/// starts at the same time then skips this port. The kernel releases the reservation when the launcher ends.
#[derive(Default)]
pub(crate) struct Reservations(Vec<UdpSocket>);

impl Ports {
    pub(crate) fn new(assigned: BTreeMap<String, u16>) -> Self {
        Self {
            assigned,
            reservations: Reservations::default(),
        }
    }

    /// The port for a purpose: the one of the last start if it is free, or a new one.
    pub(crate) fn private(&mut self, name: &str) -> Result<u16> {
        if let Some(port) = self.assigned.get(name).copied()
            && self.reserve(port)?
        {
            return Ok(port);
        }
        let width = PRIVATE.end - PRIVATE.start;
        let first = random::below(width)?;
        for step in 0..width {
            let port = PRIVATE.start + (first + step) % width;
            if self.reserve(port)? {
                self.assigned.insert(name.to_owned(), port);
                return Ok(port);
            }
        }
        bail!(
            "no port is free between {} and {}: end programs that use these ports",
            PRIVATE.start,
            PRIVATE.end
        )
    }

    /// The public port of the gateway: `wanted`, or an error when it is in use; 0 is any free port. Without `wanted`, the port of the last
    /// start, 8080, or any free port.
    pub(crate) fn public(&mut self, wanted: Option<u16>) -> Result<u16> {
        const NAME: &str = "gateway.public";
        if wanted == Some(0) {
            return self.private(NAME);
        }
        if let Some(port) = wanted {
            if !self.reserve(port)? {
                bail!(
                    "port {port} is taken by another program or fleet: end it, or choose another port with --port"
                );
            }
            self.assigned.insert(NAME.to_owned(), port);
            return Ok(port);
        }
        let last = self.assigned.get(NAME).copied();
        for port in last.into_iter().chain([PREFERRED_PUBLIC]) {
            if self.reserve(port)? {
                self.assigned.insert(NAME.to_owned(), port);
                return Ok(port);
            }
        }
        self.assigned.remove(NAME);
        let port = self.private(NAME)?;
        say(format!(
            "Port {} is taken by another program or fleet: the API is on port {port}, now and at the next start (choose one with --port)",
            last.unwrap_or(PREFERRED_PUBLIC)
        ));
        Ok(port)
    }

    /// The ports by purpose, to store for the next start; and the reservations, to hold while the fleet runs.
    pub(crate) fn into_parts(self) -> (BTreeMap<String, u16>, Reservations) {
        (self.assigned, self.reservations)
    }

    /// Reserves a port; returns whether it was free.
    fn reserve(&mut self, port: u16) -> Result<bool> {
        let in_use = |error: std::io::Error| match error.kind() {
            ErrorKind::AddrInUse => Ok(false),
            ErrorKind::PermissionDenied => {
                bail!("only root may use port {port}: choose one from 1024 with --port")
            }
            _ => Err(error).with_context(|| format!("cannot bind port {port}")),
        };
        let reservation = match UdpSocket::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(reservation) => reservation,
            Err(error) => return in_use(error),
        };
        if let Err(error) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            return in_use(error);
        }
        self.reservations.0.push(reservation);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_purpose_keeps_its_port() {
        let mut first = Ports::new(BTreeMap::new());
        let port = first.private("catalogue-svc.grpc").unwrap();
        let (assigned, reservations) = first.into_parts();
        drop(reservations);
        // A child that another test forks holds the reservation, too, until it becomes its program.
        let deadline = Instant::now() + Duration::from_mins(1);
        while Ports::new(assigned.clone())
            .private("catalogue-svc.grpc")
            .unwrap()
            != port
        {
            assert!(Instant::now() < deadline, "the port is never free");
            thread::yield_now();
        }
    }

    #[test]
    fn a_port_that_another_program_uses_is_replaced() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let mut ports = Ports::new(BTreeMap::from([("redis".to_owned(), port)]));
        assert_ne!(ports.private("redis").unwrap(), port);
    }

    #[test]
    fn the_error_for_a_public_port_in_use_names_it() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = Ports::new(BTreeMap::new()).public(Some(port)).unwrap_err();
        assert!(
            error.to_string().contains(&format!("port {port} is taken")),
            "{error}"
        );
    }

    #[test]
    fn port_0_is_any_private_port() {
        let mut ports = Ports::new(BTreeMap::new());
        let port = ports.public(Some(0)).unwrap();
        assert!(PRIVATE.contains(&port), "{port}");
    }

    #[test]
    fn a_port_that_another_launcher_reserved_is_skipped() {
        let mut first = Ports::new(BTreeMap::new());
        let port = first.private("redis").unwrap();
        let mut second = Ports::new(BTreeMap::from([("redis".to_owned(), port)]));
        assert_ne!(second.private("redis").unwrap(), port);
    }

    #[test]
    fn two_purposes_never_share_a_port() {
        let mut ports = Ports::new(BTreeMap::new());
        let mut seen: Vec<u16> = (0..20)
            .map(|n| ports.private(&n.to_string()).unwrap())
            .collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 20);
    }
}
