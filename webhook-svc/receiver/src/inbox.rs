//! The reference receiver's inbox, on disk: a message is stored before the response, and processed afterwards.

use std::path::Path;

use anyhow::Context as _;
use redb::{
    Database, ReadableDatabase as _, ReadableTable as _, ReadableTableMetadata as _,
    TableDefinition,
};
use uuid::Uuid;

/// How long an id is known, in seconds. *Send again* sends messages of the last 30 days, and for up to a day longer.
const MAX_AGE: i64 = 32 * 24 * 60 * 60;
/// The most expired ids that are removed with a new message: twice as many as come, so that the store shrinks after a busy month.
const MAX_EXPIRED: usize = 2;
/// Maximum messages that wait for processing.
const MAX_WAITING: u64 = 10_000;

/// Id and time of arrival of each message by its number, in the order of arrival.
const ARRIVALS: TableDefinition<'_, u64, (u128, i64)> = TableDefinition::new("arrivals");
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

    /// Stores a message that arrives at `now` (Unix seconds), unless its id is stored already. After the return a crash does not lose it.
    ///
    /// # Errors
    /// The disk is full or broken.
    pub fn accept(&self, id: Uuid, body: &[u8], now: i64) -> Result<Acceptance, redb::Error> {
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
            arrivals.insert(number, (id.as_u128(), now))?;
            ids.insert(id.as_u128(), number)?;
            waiting.insert(number, body)?;
            for _ in 0..MAX_EXPIRED {
                let oldest = arrivals.first()?;
                let oldest = oldest.map(|(number, row)| (number.value(), row.value()));
                match oldest {
                    Some((number, (id, at))) if now - at > MAX_AGE => {
                        // It still waits for its work.
                        if waiting.get(number)?.is_some() {
                            break;
                        }
                        arrivals.remove(number)?;
                        ids.remove(id)?;
                    }
                    _ => break,
                }
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
            id: Uuid::from_u128(id.map_or(0, |row| row.value().0)),
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
            let accept = |n, body: &[u8]| inbox.accept(id(n), body, 0).unwrap();
            assert_eq!(accept(9, b"nine"), Acceptance::Stored);
            assert_eq!(accept(1, b"one"), Acceptance::Stored);
            assert_eq!(accept(9, b"nine"), Acceptance::Duplicate);
            let first = inbox.next().unwrap().unwrap();
            assert_eq!(
                (first.id, first.body.as_slice()),
                (id(9), b"nine".as_slice())
            );
            inbox.complete(&first).unwrap();
        }
        let inbox = Inbox::open(&file).unwrap();
        let again = inbox.accept(id(9), b"nine", 0).unwrap();
        assert_eq!(again, Acceptance::Duplicate);
        let second = inbox.next().unwrap().unwrap();
        assert_eq!(second.id, id(1));
        inbox.complete(&second).unwrap();
        assert_eq!(inbox.next().unwrap(), None);
    }

    #[test]
    fn an_id_is_known_for_more_than_thirty_days_whatever_comes_between() {
        const DAY: i64 = 24 * 60 * 60;
        let folder = tempfile::tempdir().unwrap();
        let inbox = Inbox::open(&folder.path().join("inbox")).unwrap();
        let accept = |id, day| inbox.accept(Uuid::from_u128(id), b"{}", day * DAY).unwrap();
        assert_eq!(accept(1, 0), Acceptance::Stored);
        assert_eq!(accept(2, 0), Acceptance::Stored);
        let first = inbox.next().unwrap().unwrap();
        inbox.complete(&first).unwrap();
        assert_eq!(accept(1, 31), Acceptance::Duplicate);
        // Later a new message removes it, and not the one that still waits.
        assert_eq!(accept(3, 33), Acceptance::Stored);
        assert_eq!(accept(1, 33), Acceptance::Stored);
        assert_eq!(accept(2, 33), Acceptance::Duplicate);
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
