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

    /// Applies `items` inside the open transaction on `connection` and says for each, in order, what came of it. `now` is the time
    /// of the batch.
    ///
    /// An item that is refused or busy must leave nothing behind. Rows that someone else has locked are skipped, not waited for
    /// (`for update skip locked`, and [`Applied::Busy`]). An error undoes the batch; its items are then tried one by one, so that a
    /// bad one fails alone.
    fn apply(
        &self,
        connection: &mut PgConnection,
        items: &[&Self::Item],
        now: time::OffsetDateTime,
    ) -> impl Future<Output = Result<Vec<Applied<Self::Done>>, sqlx::Error>> + Send;

    /// Says what a statement that PostgreSQL refused means.
    fn explain(&self, _: &sqlx::Error) -> Explained {
        Explained::Unknown
    }
}

/// What an error of a batch means.
#[derive(Debug)]
pub enum Explained {
    /// Somebody else was first; decided again, the batch may be written.
    Passing,
    /// The item that brought it is refused with this.
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

impl<D> Applied<D> {
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
