//! The reference receiver's inbox, on disk: a message is stored before the response, and processed afterwards.

use std::path::Path;

use anyhow::Context as _;
use redb::{
    Database, ReadableDatabase as _, ReadableTable as _, ReadableTableMetadata as _,
    TableDefinition,
};
use uuid::Uuid;

/// Ids that are stored for deduplication. The service makes the last attempt of a message about 15 hours after the first.
const MAX_IDS: u64 = 100_000;
/// Maximum messages that wait for processing.
const MAX_WAITING: u64 = 10_000;

/// Id of each message by its number, in the order of arrival.
const ARRIVALS: TableDefinition<'_, u64, u128> = TableDefinition::new("arrivals");
/// Number of each id.
const IDS: TableDefinition<'_, u128, u64> = TableDefinition::new("ids");
/// Bodies of waiting messages.
const WAITING_BODIES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("waiting");

/// A store of messages, open in one process at a time.
#[derive(Debug)]
pub struct Inbox(Database);

/// The outcome of [`Inbox::accept`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acceptance {
    /// The message is stored and waits for processing.
    Stored,
    /// The id was stored before.
    Duplicate,
    /// Too many messages wait.
    Full,
}

/// A waiting message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    number: u64,
    pub id: Uuid,
    pub body: Vec<u8>,
}

impl Inbox {
    /// Opens or creates a store.
    ///
    /// # Errors
    /// The file cannot be opened, or another process has it open.
    pub fn open(file: &Path) -> anyhow::Result<Self> {
        let database = Database::create(file)
            .with_context(|| format!("cannot open the store {}", file.display()))?;
        let write = database.begin_write()?;
        write.open_table(ARRIVALS)?;
        write.open_table(IDS)?;
        write.open_table(WAITING_BODIES)?;
        write.commit()?;
        Ok(Self(database))
    }

    /// Stores a message, unless its id is stored already. After the return a crash does not lose it.
    ///
    /// # Errors
    /// The disk is full or broken.
    pub fn accept(&self, id: Uuid, body: &[u8]) -> Result<Acceptance, redb::Error> {
        let write = self.0.begin_write()?;
        {
            let mut arrivals = write.open_table(ARRIVALS)?;
            let mut ids = write.open_table(IDS)?;
            let mut waiting = write.open_table(WAITING_BODIES)?;
            if ids.get(id.as_u128())?.is_some() {
                return Ok(Acceptance::Duplicate);
            }
            if waiting.len()? >= MAX_WAITING {
                return Ok(Acceptance::Full);
            }
            let number = arrivals.last()?.map_or(0, |(number, _)| number.value() + 1);
            arrivals.insert(number, id.as_u128())?;
            ids.insert(id.as_u128(), number)?;
            waiting.insert(number, body)?;
            // The oldest id belongs to no waiting message: `MAX_WAITING` is smaller than `MAX_IDS`.
            if arrivals.len()? > MAX_IDS
                && let Some((_, oldest)) = arrivals.pop_first()?
            {
                ids.remove(oldest.value())?;
            }
        }
        write.commit()?;
        Ok(Acceptance::Stored)
    }

    /// The oldest waiting message.
    ///
    /// # Errors
    /// The disk is broken.
    pub fn next(&self) -> Result<Option<Pending>, redb::Error> {
        let read = self.0.begin_read()?;
        let waiting = read.open_table(WAITING_BODIES)?;
        let Some((number, body)) = waiting.first()? else {
            return Ok(None);
        };
        let number = number.value();
        let id = read.open_table(ARRIVALS)?.get(number)?;
        Ok(Some(Pending {
            number,
            id: Uuid::from_u128(id.map_or(0, |id| id.value())),
            body: body.value().to_vec(),
        }))
    }

    /// Marks a message as processed.
    ///
    /// # Errors
    /// The disk is full or broken.
    pub fn complete(&self, message: &Pending) -> Result<(), redb::Error> {
        let write = self.0.begin_write()?;
        write.open_table(WAITING_BODIES)?.remove(message.number)?;
        write.commit()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_the_process_and_are_processed_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("inbox");
        let id = Uuid::from_u128;
        {
            let inbox = Inbox::open(&file).unwrap();
            assert_eq!(inbox.accept(id(9), b"nine").unwrap(), Acceptance::Stored);
            assert_eq!(inbox.accept(id(1), b"one").unwrap(), Acceptance::Stored);
            assert_eq!(inbox.accept(id(9), b"nine").unwrap(), Acceptance::Duplicate);
            let first = inbox.next().unwrap().unwrap();
            assert_eq!(
                (first.id, first.body.as_slice()),
                (id(9), b"nine".as_slice())
            );
            inbox.complete(&first).unwrap();
        }
        let inbox = Inbox::open(&file).unwrap();
        assert_eq!(inbox.accept(id(9), b"nine").unwrap(), Acceptance::Duplicate);
        let second = inbox.next().unwrap().unwrap();
        assert_eq!(second.id, id(1));
        inbox.complete(&second).unwrap();
        assert_eq!(inbox.next().unwrap(), None);
    }

    #[test]
    fn a_store_is_open_in_one_process() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("inbox");
        let _inbox = Inbox::open(&file).unwrap();
        let error = Inbox::open(&file).unwrap_err();
        assert!(format!("{error:#}").contains("inbox"), "{error:#}");
    }
}
