//! Limits how many request bodies of an account, and from an address, may arrive at once.
//!
//! The client decides how slowly a body arrives. A request whose body has not arrived holds no admission permit
//! (`layers/admission.rs`), but memory. Bodies that arrived together with the head of their request are not counted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kit::client_address::Network;
use kit::{Code, Fault};
use uuid::Uuid;

use crate::domain::key::{Key, KeyKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Sender {
    Account(Uuid),
    /// The public keys of an account. Anybody may know them, so they use up nothing of its other keys.
    PublicKeys(Uuid),
    Address(Network),
}

/// The bodies that are arriving, by account and by address.
#[derive(Debug)]
pub struct ArrivingBodies {
    limit: u32,
    bodies: Mutex<HashMap<Sender, u32>>,
}

/// A body counts until this is dropped.
#[derive(Debug)]
pub(crate) struct ArrivingBody {
    all: Arc<ArrivingBodies>,
    senders: [Sender; 2],
}

impl ArrivingBodies {
    /// `limit` is per account and per address.
    pub fn new(limit: u32) -> Self {
        Self {
            limit,
            bodies: Mutex::default(),
        }
    }

    /// Counts a body that a caller with this key sends.
    ///
    /// # Errors
    /// `rate_limited`: the account or the address has as many as it may.
    pub(crate) fn count(self: &Arc<Self>, key: &Key, from: Network) -> Result<ArrivingBody, Fault> {
        let owner = match key.kind {
            KeyKind::Public => Sender::PublicKeys(key.account),
            _ => Sender::Account(key.account),
        };
        let senders = [owner, Sender::Address(from)];
        let mut bodies = self.lock();
        let at_limit = |sender| bodies.get(sender).is_some_and(|count| *count >= self.limit);
        if senders.iter().any(at_limit) {
            metrics::counter!("bodies_limited_total").increment(1);
            return Err(rate_limited(self.limit));
        }
        for sender in senders {
            *bodies.entry(sender).or_default() += 1;
        }
        drop(bodies);
        Ok(ArrivingBody {
            all: Arc::clone(self),
            senders,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Sender, u32>> {
        self.bodies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ArrivingBody {
    fn drop(&mut self) {
        let mut bodies = self.all.lock();
        for sender in self.senders {
            if let Some(count) = bodies.get_mut(&sender) {
                *count -= 1;
                if *count == 0 {
                    bodies.remove(&sender);
                }
            }
        }
    }
}

fn rate_limited(limit: u32) -> Fault {
    let message = format!(
        "{limit} bodies of requests of your account or from your address are still arriving, which is the most. Send each body \
                 together with its head, and fewer of them at once."
    );
    Fault::new(Code::RateLimited, message).with_retry_after(1)
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use time::OffsetDateTime;

    use super::*;
    use crate::domain::key::{Mode, Spec};

    #[test]
    fn bodies_are_limited_by_account_and_by_address() {
        let bodies = Arc::new(ArrivingBodies::new(2));
        let count_of = |kind, account, host| {
            let address = IpAddr::from(Ipv4Addr::new(192, 0, 2, host));
            let spec = Spec {
                name: String::new(),
                mode: Mode::Live,
                kind,
                may_write: false,
                game: None,
            };
            let account = Uuid::from_u128(account);
            let key = Key::new(account, account, spec, "abcd", OffsetDateTime::UNIX_EPOCH);
            bodies.count(&key, address.into())
        };
        let count = |account, host| count_of(KeyKind::Account, account, host);
        let first = count(1, 1).unwrap();
        let _second = count(1, 2).unwrap();
        let refused = count(1, 3).unwrap_err();
        assert_eq!(
            (refused.code, refused.retry_after),
            (Code::RateLimited, Some(1))
        );
        let _other = count(2, 1).unwrap();
        assert!(count(3, 1).is_err(), "two bodies from this address");
        drop(count_of(KeyKind::Public, 1, 4).unwrap());
        // A refused body counts for neither.
        let third = count(3, 3).unwrap();
        drop(first);
        assert!(count(1, 1).is_ok());
        drop(third);
        assert_eq!(bodies.lock().len(), 4);
    }
}
