//! The author of a change: a member of staff, or a person who is a member of the account.

use std::net::IpAddr;

use uuid::Uuid;

use super::staff_action::{Action, AuthorizedAction};

/// The author of a change.
#[derive(Debug, Clone)]
pub enum Author {
    Staff(AuthorizedAction),
    Person(Person, Action),
}

/// A person at the dashboard. The process `web` knows the people; this service only records them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Person {
    pub id: Uuid,
    /// The account that the person changes.
    pub account: Uuid,
    /// The address that the person called from.
    pub address: IpAddr,
}

impl Author {
    /// Whether the limits apply that keep a person from filling the tables. Staff have no such limits.
    pub const fn is_limited(&self) -> bool {
        matches!(self, Self::Person(..))
    }

    /// The id of the person, if it is one.
    pub const fn person(&self) -> Option<Uuid> {
        match self {
            Self::Staff(_) => None,
            Self::Person(person, _) => Some(person.id),
        }
    }

    /// Whether keys and key requests of an account exist for the author: for a person, those of the own account.
    pub fn is_for(&self, account: Uuid) -> bool {
        match self {
            Self::Staff(_) => true,
            Self::Person(person, _) => person.account == account,
        }
    }
}
