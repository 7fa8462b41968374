//! The trait by which a service applies its writes inside the transaction of the writer.

use std::future::Future;

use sqlx::PgConnection;

use super::NewChange;
use crate::fault::Fault;

/// Applies the writes of a service.
pub trait Apply: Send + Sync + 'static {
    /// One write.
    type Item: Send + Sync + 'static;
    /// The result of a write, for its caller.
    type Done: Send + 'static;

    /// Applies one item inside the open transaction on `connection`: locks and loads its rows, decides, saves, and returns the changes
    /// to publish. `now` is the time of the transaction.
    ///
    /// The writer sets a savepoint before each item. Unless the result is [`Applied::Done`], the writer rolls back to the savepoint,
    /// which also releases the item's locks. An item sees the rows that earlier items of the same transaction have written.
    ///
    /// Do not wait for a row that another transaction has locked: use `for update skip locked` and return [`Applied::Busy`]. The other
    /// items of the transaction would wait as well.
    fn apply(
        &self,
        connection: &mut PgConnection,
        item: &Self::Item,
        now: time::OffsetDateTime,
    ) -> impl Future<Output = Result<Applied<Self::Done>, sqlx::Error>> + Send;

    /// Classifies the error of a statement that PostgreSQL rejected.
    fn classify(&self, _: &sqlx::Error) -> ErrorClass {
        ErrorClass::Unknown
    }
}

/// What the error of an item means.
#[derive(Debug)]
pub enum ErrorClass {
    /// Another transaction was first. The item is retried.
    Transient,
    /// The item is rejected with this fault.
    Rejected(Fault),
    /// An internal error.
    Unknown,
}

/// The result of one item.
#[derive(Debug)]
pub enum Applied<D> {
    /// The item is applied and publishes these changes; none when nothing had to change.
    Done(D, Vec<NewChange>),
    /// The item is rejected. Nothing is changed.
    Refused(Fault),
    /// Another transaction has locked its rows. Nothing is changed, and the item is retried.
    Busy,
}

/// Why an item is not applied: an error type for functions that end early with `?`.
#[derive(Debug)]
pub enum Stop {
    /// Another transaction has locked a row.
    Busy,
    /// The item is rejected.
    Refused(Fault),
    /// PostgreSQL rejected a statement, or the connection was lost.
    Database(sqlx::Error),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Refused(fault)
    }
}

impl From<sqlx::Error> for Stop {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl<D> Applied<D> {
    /// Converts the result of a function that ends early with [`Stop`].
    ///
    /// # Errors
    /// The error in [`Stop::Database`].
    pub fn of(command: Result<(D, Vec<NewChange>), Stop>) -> Result<Self, sqlx::Error> {
        match command {
            Ok((done, changes)) => Ok(Self::Done(done, changes)),
            Err(Stop::Busy) => Ok(Self::Busy),
            Err(Stop::Refused(fault)) => Ok(Self::Refused(fault)),
            Err(Stop::Database(error)) => Err(error),
        }
    }

    /// Converts the result for the caller.
    pub fn map<E>(self, make: impl FnOnce(D) -> E) -> Applied<E> {
        match self {
            Self::Done(done, changes) => Applied::Done(make(done), changes),
            Self::Refused(fault) => Applied::Refused(fault),
            Self::Busy => Applied::Busy,
        }
    }

    pub(super) fn changes(&self) -> &[NewChange] {
        match self {
            Self::Done(_, changes) => changes,
            Self::Refused(_) | Self::Busy => &[],
        }
    }
}
