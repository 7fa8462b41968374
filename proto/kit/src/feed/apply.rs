//! How a service makes its changes, inside the transaction of the writer.

use std::future::Future;

use sqlx::PgConnection;

use super::NewChange;
use crate::fault::Fault;

/// How a service makes its changes.
pub trait Apply: Send + Sync + 'static {
    /// What is asked for.
    type Item: Send + Sync + 'static;
    /// What the caller is told.
    type Done: Send + 'static;

    /// Applies one item inside the open transaction on `connection`: lock, load, decide, save, and return the changes to publish.
    /// `now` is the time of the transaction.
    ///
    /// The writer sets a savepoint before each item. Unless the item is [`Applied::Done`], the writer rolls back to it, so that
    /// nothing of the item is left, not even its locks. What the items before it in the same transaction have written is visible.
    ///
    /// Do not wait for rows that someone else has locked (`for update skip locked`, and [`Applied::Busy`]): other items wait for
    /// this one.
    fn apply(
        &self,
        connection: &mut PgConnection,
        item: &Self::Item,
        now: time::OffsetDateTime,
    ) -> impl Future<Output = Result<Applied<Self::Done>, sqlx::Error>> + Send;

    /// Says what a statement that PostgreSQL refused means.
    fn explain(&self, _: &sqlx::Error) -> Explained {
        Explained::Unknown
    }
}

/// What an error of an item means.
#[derive(Debug)]
pub enum Explained {
    /// Somebody else was first; decided again, the item may be written.
    Passing,
    /// The item is refused with this.
    Refused(Fault),
    /// It is a fault of ours.
    Unknown,
}

/// What came of one item.
#[derive(Debug)]
pub enum Applied<D> {
    /// Done, with these changes; none when there was nothing to change.
    Done(D, Vec<NewChange>),
    /// Refused; nothing was changed.
    Refused(Fault),
    /// Its rows are locked elsewhere; nothing was changed. It is tried again.
    Busy,
}

/// Why a command ends before it is done.
#[derive(Debug)]
pub enum Stop {
    /// A row is locked elsewhere.
    Busy,
    /// A rule forbids it.
    Refused(Fault),
    /// PostgreSQL refused a statement, or was lost.
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
    /// What came of a command.
    ///
    /// # Errors
    /// That of [`Stop::Database`].
    pub fn of(command: Result<(D, Vec<NewChange>), Stop>) -> Result<Self, sqlx::Error> {
        match command {
            Ok((done, changes)) => Ok(Self::Done(done, changes)),
            Err(Stop::Busy) => Ok(Self::Busy),
            Err(Stop::Refused(fault)) => Ok(Self::Refused(fault)),
            Err(Stop::Database(error)) => Err(error),
        }
    }

    /// The same with what the caller is told made into something else.
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
