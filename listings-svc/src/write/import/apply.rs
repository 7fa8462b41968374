//! Writing a chunk, inside the writer's transaction.
//!
//! Of two imports of the same kind, one writes at a time: each holds the gate of its kind for its transaction. So rows are never locked
//! in two orders, and two imports of the same file, which share one progress, deal with each line once.

use std::collections::HashMap;

use kit::audit::{self, Action as _};
use kit::feed::{Applied, NewChange};
use kit::ids;
use serde::Serialize;
use serde_json::json;
use sqlx::{Executor as _, PgConnection};
use time::OffsetDateTime;
use uuid::Uuid;

use super::chunk::{Chunk, Row, Rows};
use super::overtaken;
use crate::domain::Read;
use crate::domain::country::Country;
use crate::domain::deed::Deed;
use crate::domain::difference;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::fields::Problems;
use crate::domain::game::Game;
use crate::domain::gazetteer::City;
use crate::domain::genre::Genre;
use crate::domain::listing::Listing;
use crate::domain::page::Page;
use crate::domain::record::{Entry, Record};
use crate::feed::{Happened, PublicUrl, Publish};
use crate::store::audit::loaded;
use crate::store::imports::{self, Counts, Progress, Refusal};
use crate::store::revisions::{self, Actor, Revision};
use crate::store::{Stored, constraints, to_row};

/// A record that can be imported.
trait Imported: Record + Stored + Publish + Serialize {}
impl<T: Record + Stored + Publish + Serialize> Imported for T {}

/// Writes the lines of a chunk that were not dealt with before, and moves the import on.
pub async fn chunk(
    connection: &mut PgConnection,
    chunk: &Chunk,
    addresses: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Applied<()>, sqlx::Error> {
    let entity = chunk.rows.entity();
    if !imports::enter(connection, entity, chunk.mode).await? {
        return Ok(Applied::Busy);
    }
    let Some(progress) = imports::progress(connection, chunk.import).await? else {
        return Ok(Applied::Refused(overtaken()));
    };
    if chunk.next_line <= progress.next_line {
        return Ok(Applied::Done((), Vec::new()));
    }
    if chunk.first_line > progress.next_line {
        // The chunk before it was not written yet.
        return Ok(Applied::Busy);
    }
    let task = Task {
        chunk,
        progress,
        addresses,
        now,
    };
    match &chunk.rows {
        Rows::Genres(rows) => task.run::<Entry<Genre>>(connection, rows).await,
        Rows::Countries(rows) => task.run::<Entry<Country>>(connection, rows).await,
        Rows::Cities(rows) => task.run::<Entry<City>>(connection, rows).await,
        Rows::Pages(rows) => task.run::<Listing<Page>>(connection, rows).await,
        Rows::Games(rows) => task.run::<Listing<Game>>(connection, rows).await,
        Rows::Events(rows) => task.run::<Listing<Event>>(connection, rows).await,
    }
}

struct Task<'a> {
    chunk: &'a Chunk,
    progress: Progress,
    addresses: &'a PublicUrl,
    now: OffsetDateTime,
}

/// A record that a row makes or changes.
struct Change<T> {
    line: u64,
    before: Option<T>,
    after: T,
}

impl Task<'_> {
    async fn run<T: Imported>(
        &self,
        connection: &mut PgConnection,
        rows: &[Row<T::Draft>],
    ) -> Result<Applied<()>, sqlx::Error> {
        let rows: Vec<&Row<T::Draft>> = rows.iter().filter(|row| self.is_due(row.line)).collect();
        let names: Vec<String> = rows
            .iter()
            .map(|row| T::draft_key(&row.draft).to_owned())
            .collect();
        let locked = T::lock(connection, self.chunk.mode, &names).await?;
        let Some(held) = locked.whole() else {
            return Ok(Applied::Busy);
        };
        let lines: Vec<i64> = rows.iter().map(|row| row.line.cast_signed()).collect();
        let met = imports::meet(connection, self.chunk.import, &names, &lines).await?;

        let mut refused: Vec<Refusal> = self.refused_before();
        let mut counts = Counts::default();
        let changes = self.plan::<T>(rows, held, &met, &mut refused, &mut counts);
        let changes = self.save(connection, changes, &mut refused).await?;
        for change in &changes {
            match change.before {
                None => counts.created += 1,
                Some(_) => counts.updated += 1,
            }
        }
        counts.refused = u64::try_from(refused.len()).unwrap_or(u64::MAX);
        imports::advance(
            connection,
            self.chunk.import,
            (self.progress, self.chunk.next_line),
            counts,
            &refused,
            self.now,
        )
        .await?;
        self.audit(connection, T::ENTITY, counts).await?;
        count(T::ENTITY.as_str(), counts);
        let feed = changes.iter().map(|change| self.publish(change)).collect();
        Ok(Applied::Done((), feed))
    }

    /// Keeps who of the staff changed something.
    async fn audit(
        &self,
        connection: &mut PgConnection,
        entity: Entity,
        counts: Counts,
    ) -> Result<(), sqlx::Error> {
        let Some(call) = &self.chunk.call else {
            return Ok(());
        };
        if counts.created + counts.updated == 0 {
            return Ok(());
        }
        let Actor::Import(file) = &self.chunk.actor else {
            return Ok(());
        };
        let entry = audit::Entry {
            member: &call.by,
            action: Deed::Import.as_str(),
            entity: entity.as_str(),
            name: file,
            refused: false,
            details: json!({ "mode": self.chunk.mode, "import": self.chunk.import }),
        };
        let counts = (counts.created, counts.updated);
        loaded(connection, call.id, entry, counts, self.now).await
    }

    /// Whether a line was not dealt with before, by another run of this import.
    fn is_due(&self, line: u64) -> bool {
        line >= self.progress.next_line
    }

    fn refused_before(&self) -> Vec<Refusal> {
        let due = |refusal: &&Refusal| self.is_due(refusal.line);
        self.chunk.refused.iter().filter(due).cloned().collect()
    }

    /// What is to be made of the rows.
    fn plan<T: Imported>(
        &self,
        rows: Vec<&Row<T::Draft>>,
        held: Vec<T>,
        met: &HashMap<String, u64>,
        refused: &mut Vec<Refusal>,
        counts: &mut Counts,
    ) -> Vec<Change<T>> {
        let mut held: HashMap<String, T> = held
            .into_iter()
            .map(|record| (record.key().to_owned(), record))
            .collect();
        let mut changes = Vec::new();
        for Row { line, draft } in rows {
            let name = T::draft_key(draft);
            if let Some(first) = met.get(name).filter(|first| *first != line) {
                let field = T::Draft::NAME;
                let reason = format!("Line {first} of this file has the same {field}.");
                refused.push(refusal(*line, name, [(field.to_owned(), reason)].into()));
                continue;
            }
            let before = held.remove(name);
            let after = match &before {
                None => Some(T::created(draft, ids::row_id(), self.chunk.mode, self.now)),
                Some(before) => before.amended(draft, self.now),
            };
            match after {
                Some(after) => changes.push(Change {
                    line: *line,
                    before,
                    after,
                }),
                None => counts.unchanged += 1,
            }
        }
        changes
    }

    /// Writes changes at once. If the database refuses them, each by itself, so that only the bad ones are left out.
    async fn save<T: Imported>(
        &self,
        connection: &mut PgConnection,
        changes: Vec<Change<T>>,
        refused: &mut Vec<Refusal>,
    ) -> Result<Vec<Change<T>>, sqlx::Error> {
        if changes.is_empty() || self.attempt(connection, &changes).await?.is_none() {
            return Ok(changes);
        }
        let mut saved = Vec::with_capacity(changes.len());
        for change in changes {
            match self
                .attempt(connection, std::slice::from_ref(&change))
                .await?
            {
                None => saved.push(change),
                Some(problems) => refused.push(refusal(change.line, change.after.key(), problems)),
            }
        }
        Ok(saved)
    }

    /// Writes changes under a savepoint. Returns what the database has against them, and then nothing was written.
    async fn attempt<T: Imported>(
        &self,
        connection: &mut PgConnection,
        changes: &[Change<T>],
    ) -> Result<Option<Problems>, sqlx::Error> {
        connection.execute("savepoint import").await?;
        match self.write(connection, changes).await {
            Ok(()) => {
                connection.execute("release savepoint import").await?;
                Ok(None)
            }
            Err(error) => {
                let Some(problems) = constraints::problem(&error) else {
                    return Err(error);
                };
                connection
                    .execute("rollback to savepoint import; release savepoint import")
                    .await?;
                Ok(Some(problems))
            }
        }
    }

    async fn write<T: Imported>(
        &self,
        connection: &mut PgConnection,
        changes: &[Change<T>],
    ) -> Result<(), sqlx::Error> {
        let mut records = Vec::with_capacity(changes.len());
        let mut kept = Vec::new();
        for change in changes {
            let record = to_row(&change.after)?;
            if let Some(id) = listing_id(&change.after) {
                let before = change.before.as_ref().map(to_row).transpose()?;
                let (before, after) = difference::kept(before, record.clone());
                kept.push(Revision {
                    id,
                    number: change.after.revision(),
                    actor: self.chunk.actor.clone(),
                    before,
                    after,
                    reason: None,
                });
            }
            records.push(record);
        }
        T::save(connection, &records.into()).await?;
        if kept.is_empty() {
            return Ok(());
        }
        revisions::append(connection, T::ENTITY, self.now, kept).await
    }

    fn publish<T: Imported>(&self, change: &Change<T>) -> NewChange {
        let happened = match change.before {
            None => Happened::Created,
            Some(_) => Happened::Updated,
        };
        change
            .after
            .change(happened, self.chunk.announce, self.addresses)
    }
}

/// The id of a listing; the gazetteer has none, and no revisions.
fn listing_id<T: Publish>(record: &T) -> Option<Uuid> {
    T::ENTITY
        .is_listing()
        .then(|| record.id().parse().ok())
        .flatten()
}

fn refusal(line: u64, name: &str, fields: Problems) -> Refusal {
    Refusal {
        line,
        name: name.to_owned(),
        fields,
    }
}

fn count(entity: &'static str, counts: Counts) {
    for (outcome, rows) in [
        ("created", counts.created),
        ("updated", counts.updated),
        ("unchanged", counts.unchanged),
        ("refused", counts.refused),
    ] {
        metrics::counter!("listings_import_rows_total", "entity" => entity, "outcome" => outcome)
            .increment(rows);
    }
}
