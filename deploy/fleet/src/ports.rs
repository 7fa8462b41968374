//! Chooses free ports.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};

use anyhow::{Context, Result, bail};

use crate::say::say;

/// The public port of the first gateway, if it is free.
const PREFERRED_PUBLIC: u16 = 8080;

/// The range of private ports. It is below the ephemeral range of Linux, from 32768, so that no outgoing connection takes the port of a
/// child that restarts.
const PRIVATE: std::ops::Range<u16> = 20_000..32_000;

/// The distance between the first ports of two fleets without replicas.
const STEP: usize = 20;

/// The private ports of a fleet, which have consecutive numbers, and its public port. They are reserved as long as this value lives.
///
/// The launcher cannot bind a TCP port that a child will bind. It binds the UDP port with the same number instead: another launcher that
/// starts at the same time then skips this port. The kernel releases the reservation when the launcher ends.
pub(crate) struct Ports {
    first: u16,
    reservations: Vec<UdpSocket>,
}

impl Ports {
    /// Reserves private ports without `public`: those from `last`, where the last start had them, or the first ones that are free.
    pub(crate) fn reserve(count: u16, last: Option<u16>, public: Option<u16>) -> Result<Self> {
        for first in last.into_iter().chain(PRIVATE.step_by(STEP)) {
            let all = first..first.saturating_add(count);
            if all.end > PRIVATE.end || public.is_some_and(|port| all.contains(&port)) {
                continue;
            }
            let reservations: Result<Option<Vec<_>>> = all.map(reserve).collect();
            if let Some(reservations) = reservations? {
                return Ok(Self { first, reservations });
            }
        }
        bail!(
            "no {count} consecutive ports are free between {} and {}: end programs that use these ports",
            PRIVATE.start,
            PRIVATE.end
        )
    }

    /// A private port; `number` is below the count.
    pub(crate) fn private(&self, number: u16) -> u16 {
        self.first + number
    }

    /// The public port of the gateway: `wanted`, or an error when it is in use; 0 is `private`, a private port. Without `wanted`, the port of
    /// the last start, 8080, or `private`.
    pub(crate) fn public(
        &mut self,
        wanted: Option<u16>,
        last: Option<u16>,
        private: u16,
    ) -> Result<u16> {
        let choices: Vec<u16> = match wanted {
            Some(0) => return Ok(private),
            Some(port) => vec![port],
            None => last.into_iter().chain([PREFERRED_PUBLIC]).collect(),
        };
        for &port in &choices {
            if port == private {
                return Ok(port);
            }
            if let Some(reservation) = reserve(port)? {
                self.reservations.push(reservation);
                return Ok(port);
            }
        }
        if let Some(port) = wanted {
            bail!(
                "port {port} is taken by another program or fleet: end it, or choose another port with --port"
            );
        }
        say(format!(
            "Port {} is taken by another program or fleet: the API is on port {private}, now and at the next start (choose one with --port)",
            choices[0]
        ));
        Ok(private)
    }
}

/// Reserves a port; `None` if it is in use.
fn reserve(port: u16) -> Result<Option<UdpSocket>> {
    let reserved = UdpSocket::bind((Ipv4Addr::LOCALHOST, port))
        .and_then(|udp| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map(|_free| udp));
    match reserved {
        Ok(reservation) => Ok(Some(reservation)),
        Err(error) => match error.kind() {
            ErrorKind::AddrInUse => Ok(None),
            ErrorKind::PermissionDenied => {
                bail!("only root may use port {port}: choose one from 1024 with --port")
            }
            _ => Err(error).with_context(|| format!("cannot bind port {port}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_fleet_keeps_its_ports() {
        // Far from the first free ports, which another launcher that starts at the same time may take.
        let far = Some(PRIVATE.end - 500);
        let first = Ports::reserve(5, far, None).unwrap().first;
        // A child that another test forks inherits the reservation until it executes its program.
        let deadline = Instant::now() + Duration::from_mins(1);
        while Ports::reserve(5, Some(first), None).unwrap().first != first {
            assert!(Instant::now() < deadline, "the ports are never free");
            thread::yield_now();
        }
    }

    #[test]
    fn a_port_that_another_program_uses_is_skipped() {
        let last = Ports::reserve(3, None, None).unwrap().first;
        let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, last + 2));
        let ports = Ports::reserve(3, Some(last), None).unwrap();
        assert_ne!(ports.first, last);
    }

    #[test]
    fn the_error_for_a_public_port_in_use_names_it() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let mut ports = Ports::reserve(1, None, Some(port)).unwrap();
        let error = ports.public(Some(port), None, 1).unwrap_err();
        assert!(error.to_string().contains(&format!("port {port} is taken")), "{error}");
    }

    #[test]
    fn port_0_is_a_private_port() {
        let mut ports = Ports::reserve(3, None, Some(0)).unwrap();
        let private = ports.private(2);
        assert!(PRIVATE.contains(&private), "{private}");
        assert_eq!(ports.public(Some(0), Some(80), private).unwrap(), private);
        // The next start keeps that port.
        assert_eq!(ports.public(None, Some(private), private).unwrap(), private);
    }

    #[test]
    fn ports_that_another_launcher_reserved_are_skipped() {
        let first = Ports::reserve(3, None, None).unwrap();
        let second = Ports::reserve(3, Some(first.first), None).unwrap();
        assert!(second.first.abs_diff(first.first) >= 3);
    }

    #[test]
    fn private_ports_are_not_the_public_one() {
        let first = Ports::reserve(3, None, None).unwrap().first;
        let ports = Ports::reserve(3, Some(first), Some(first + 1)).unwrap();
        assert!(!(ports.first..ports.first + 3).contains(&(first + 1)));
    }
}
