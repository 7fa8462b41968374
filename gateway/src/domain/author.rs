//! Who makes a change: a member of staff, or a person who is a member of the account.

use std::net::IpAddr;

use uuid::Uuid;

use super::staff_action::{Action, By};

/// The author of a change.
#[derive(Debug, Clone)]
pub enum Author {
    Staff(By),
    Person(Person, Action),
}

/// A person at the dashboard. The process `web` knows the people; this service only records them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Person {
    pub id: Uuid,
    /// The address that the person called from.
    pub address: IpAddr,
}

impl Author {
    /// Whether the limits apply that keep a person from filling the tables. Staff have none.
    pub const fn is_limited(&self) -> bool {
        matches!(self, Self::Person(..))
    }
}

impl From<By> for Author {
    fn from(by: By) -> Self {
        Self::Staff(by)
    }
}
