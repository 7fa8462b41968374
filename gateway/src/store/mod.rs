//! The schema `gateway` in PostgreSQL, a file a table. Changes of accounts, keys, plans and switches go through
//! [`crate::write`] only.

pub mod accounts;
pub mod feed;
pub mod games;
pub mod key_requests;
pub mod keys;
pub mod month_use;
pub mod plans;
pub mod switches;

/// A row that is to be changed.
#[derive(Debug)]
pub enum Locked<T> {
    /// It is ours until the transaction ends.
    Held(T),
    /// Another transaction has it.
    Busy,
    /// There is none.
    Absent,
}

impl<T> Locked<T> {
    fn new(row: Option<T>, exists: bool) -> Self {
        match row {
            Some(row) => Self::Held(row),
            None if exists => Self::Busy,
            None => Self::Absent,
        }
    }
}
