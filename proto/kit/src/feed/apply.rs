//! The trait by which a service applies its writes inside the transaction of the writer.

use std::future::Future;

use sqlx::PgConnection;

use super::NewChange;
use crate::code::Code;
use crate::fault::Fault;

/// Applies the writes of a service.
pub trait Apply: Send + Sync + 'static {
    /// One write.
    type Item: Send + Sync + 'static;
    /// The outcome of an applied item, for its caller.
    type Outcome: Send + 'static;

    /// Applies one item inside the open transaction on `connection`: locks and loads its rows, decides, saves, and returns its outcome with
    /// the changes to publish. `now` is the time of the transaction.
    ///
    /// The writer sets a savepoint before each item. After an error, the writer rolls back to the savepoint, which also releases the
    /// item's locks. An item sees the rows that earlier items of the same transaction have written.
    ///
    /// Do not wait for a row that another transaction has locked: use `for update skip locked` and return [`ApplyError::Busy`]. The other
    /// items of the transaction would wait as well.
    fn apply(
        &self,
        connection: &mut PgConnection,
        item: &Self::Item,
        now: time::OffsetDateTime,
    ) -> impl Future<Output = ApplyResult<Self::Outcome>> + Send;

    /// Classifies the error of a statement that PostgreSQL rejected.
    fn classify(&self, _: &sqlx::Error) -> ErrorClass {
        ErrorClass::Unknown
    }
}

/// The outcome of an applied item and the changes that it publishes; none when nothing had to change.
pub type ApplyResult<O> = Result<(O, Vec<NewChange>), ApplyError>;

/// Why an item is not applied. Nothing is changed.
#[derive(Debug)]
pub enum ApplyError {
    /// Another transaction has locked a row. The item is retried.
    Busy,
    /// The item is rejected.
    Rejected(Fault),
    /// PostgreSQL rejected a statement, or the connection was lost.
    Database(sqlx::Error),
}

impl From<Fault> for ApplyError {
    fn from(fault: Fault) -> Self {
        Self::Rejected(fault)
    }
}

impl From<sqlx::Error> for ApplyError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

/// What the error of a statement means for its item.
#[derive(Debug)]
pub enum ErrorClass {
    /// Another transaction was first. The item is retried.
    Transient,
    /// The item is rejected with this fault.
    Rejected(Fault),
    /// An internal error.
    Unknown,
}

/// The fault of a caller whose item had an outcome of another kind of item, which is a bug.
pub fn unexpected_outcome() -> Fault {
    tracing::error!("the writer returned the outcome of another kind of write");
    Fault::new(
        Code::Internal,
        "Something broke on our side. It has been logged under this request id.",
    )
}
