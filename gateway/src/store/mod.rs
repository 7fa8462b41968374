//! Access to the schema `gateway` in PostgreSQL, one file per table. Accounts, keys, plans and switches are changed by
//! [`crate::write`] only.

pub mod accounts;
pub mod games;
pub mod key_requests;
pub mod keys;
pub mod month_use;
pub mod plans;
pub mod switches;

/// The result of locking a row.
#[derive(Debug)]
pub enum RowLock<T> {
    /// The row is locked until the transaction ends.
    Acquired(T),
    /// Another transaction has the lock.
    Busy,
    NotFound,
}

impl<T> RowLock<T> {
    fn new(row: Option<T>, exists: bool) -> Self {
        match row {
            Some(row) => Self::Acquired(row),
            None if exists => Self::Busy,
            None => Self::NotFound,
        }
    }
}
