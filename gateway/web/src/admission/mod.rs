//! Limits: a function for each thing that a client may do only so often. `proto/DECISIONS.md`, §8,
//! has the table of all limits.
//!
//! [`Subject`](crate::domain::subject::Subject) is who asks. Requests that cost a statement or a
//! call are counted per minute in the memory of this replica; attempts and mails are counted in
//! PostgreSQL for all replicas, before the attempt and outside of its transaction.

pub mod limit;
pub mod mails;
mod minute;
pub mod pages;
pub mod passwords;
pub mod stored;

use sqlx::PgPool;

use crate::hashing::PasswordPool;
use minute::MinuteCounts;

pub use limit::{Count, Limit};
pub use mails::RequestedMail;
pub use pages::PageKind;
pub use passwords::SignIn;
pub use stored::LimitReached;

/// Admits requests within their limits.
pub struct Admission {
    pool: PgPool,
    passwords: PasswordPool,
    /// The limit of a network per minute.
    pages: u32,
    /// The limit of a person, or of one browser of a network, per minute.
    pages_of_visitor: u32,
    minute: MinuteCounts,
}

impl Admission {
    /// `pages` and `pages_of_visitor` are per minute: for a network, and for a person or one
    /// browser of a network.
    pub fn new(pool: PgPool, passwords: PasswordPool, pages: u32, pages_of_visitor: u32) -> Self {
        Self { pool, passwords, pages, pages_of_visitor, minute: MinuteCounts::default() }
    }
}
