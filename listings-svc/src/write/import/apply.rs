//! Writes a chunk, inside the writer's transaction.
//!
//! One import of a kind writes at a time: it locks the gate of the kind for the transaction. Rows are therefore always locked in one
//! order, and two imports of the same file, which share their progress, process each line once.

use std::collections::{BTreeSet, HashMap};

use kit::audit::{self, Action as _};
use kit::feed::{ApplyError, NewChange};
use kit::ids;
use serde::Serialize;
use serde_json::json;
use sqlx::{Executor as _, PgConnection};
use time::OffsetDateTime;
use uuid::Uuid;

use super::chunk::{Chunk, ParsedRow, Rows};
use super::finished_elsewhere;
use crate::domain::FromImportRow;
use crate::domain::audit_action::AuditAction;
use crate::domain::country::Country;
use crate::domain::difference;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::fields::Problems;
use crate::domain::game::Game;
use crate::domain::gazetteer::City;
use crate::domain::genre::Genre;
use crate::domain::listing::{Draft, Listing};
use crate::domain::page::Page;
use crate::domain::record::{GazetteerEntry, Record};
use crate::feed::{ChangeKind, PublicUrl, Publish};
use crate::store::audit::record_import;
use crate::store::imports::{self, Counts, Progress, Refusal};
use crate::store::revisions::{self, Actor, Revision};
use crate::store::{RecordTable, constraints, pages, to_json_row};

trait ImportableRecord: Record + RecordTable + Publish + Serialize {}
impl<T: Record + RecordTable + Publish + Serialize> ImportableRecord for T {}

/// Writes the lines of a chunk that are not processed yet, and advances the import.
pub async fn apply(
    connection: &mut PgConnection,
    chunk: &Chunk,
    public_url: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Vec<NewChange>, ApplyError> {
    let entity = chunk.rows.entity();
    if !imports::lock_gate(connection, entity, chunk.mode).await? {
        return Err(ApplyError::Busy);
    }
    let progress = imports::progress(connection, chunk.import)
        .await?
        .ok_or_else(finished_elsewhere)?;
    if chunk.next_line <= progress.next_line {
        return Ok(Vec::new());
    }
    if chunk.first_line > progress.next_line {
        // The previous chunk is not written yet.
        return Err(ApplyError::Busy);
    }
    let writer = ChunkWriter {
        chunk,
        progress,
        public_url,
        now,
    };
    match &chunk.rows {
        Rows::Genres(rows) => writer.run::<GazetteerEntry<Genre>>(connection, rows).await,
        Rows::Countries(rows) => {
            writer
                .run::<GazetteerEntry<Country>>(connection, rows)
                .await
        }
        Rows::Cities(rows) => writer.run::<GazetteerEntry<City>>(connection, rows).await,
        Rows::Pages(rows) => writer.run::<Listing<Page>>(connection, rows).await,
        Rows::Games(rows) => {
            let rows = under_pages(connection, rows).await?;
            writer.run::<Listing<Game>>(connection, &rows).await
        }
        Rows::Events(rows) => writer.run::<Listing<Event>>(connection, rows).await,
    }
}

/// The rows of games, each with whether its page is public. The pages are locked: their states stay.
async fn under_pages(
    connection: &mut PgConnection,
    rows: &[ParsedRow<Draft<Game>>],
) -> Result<Vec<ParsedRow<Draft<Game>>>, ApplyError> {
    let page = |row: &ParsedRow<Draft<Game>>| row.draft.content.page_id;
    let ids: BTreeSet<Uuid> = rows.iter().map(page).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let is_public = pages::share_states(connection, &ids).await?;
    let mut rows = rows.to_vec();
    for row in &mut rows {
        let is_public = is_public.get(&page(row)).ok_or(ApplyError::Busy)?;
        row.draft.hidden_by_page = !is_public;
    }
    Ok(rows)
}

struct ChunkWriter<'a> {
    chunk: &'a Chunk,
    progress: Progress,
    public_url: &'a PublicUrl,
    now: OffsetDateTime,
}

/// A record that a row creates or changes.
struct RecordChange<T> {
    line: u64,
    before: Option<T>,
    after: T,
}

impl ChunkWriter<'_> {
    async fn run<T: ImportableRecord>(
        &self,
        connection: &mut PgConnection,
        rows: &[ParsedRow<T::Draft>],
    ) -> Result<Vec<NewChange>, ApplyError> {
        let rows: Vec<&ParsedRow<T::Draft>> =
            rows.iter().filter(|row| self.is_due(row.line)).collect();
        let names: Vec<String> = rows
            .iter()
            .map(|row| T::draft_key(&row.draft).to_owned())
            .collect();
        let locked = T::lock(connection, self.chunk.mode, &names).await?;
        let existing = locked.complete().ok_or(ApplyError::Busy)?;
        let lines: Vec<i64> = rows.iter().map(|row| row.line.cast_signed()).collect();
        let first_lines =
            imports::insert_names(connection, self.chunk.import, &names, &lines).await?;

        let mut refused: Vec<Refusal> = self.unparsed_rows();
        let mut counts = Counts::default();
        let changes = self.plan::<T>(rows, existing, &first_lines, &mut refused, &mut counts);
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
        Ok(feed)
    }

    /// Records in the audit which member changed something.
    async fn audit(
        &self,
        connection: &mut PgConnection,
        entity: Entity,
        counts: Counts,
    ) -> Result<(), sqlx::Error> {
        let Some(call) = &self.chunk.staff_call else {
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
            action: AuditAction::Import.as_str(),
            entity: entity.as_str(),
            name: file,
            refused: false,
            details: json!({ "mode": self.chunk.mode, "import": self.chunk.import }),
        };
        let counts = (counts.created, counts.updated);
        record_import(connection, call.id, entry, counts, self.now).await
    }

    /// Whether no other run of this import has processed a line.
    fn is_due(&self, line: u64) -> bool {
        line >= self.progress.next_line
    }

    fn unparsed_rows(&self) -> Vec<Refusal> {
        let due = |refusal: &&Refusal| self.is_due(refusal.line);
        self.chunk.refused.iter().filter(due).cloned().collect()
    }

    /// The changes that the rows make.
    fn plan<T: ImportableRecord>(
        &self,
        rows: Vec<&ParsedRow<T::Draft>>,
        existing: Vec<T>,
        first_lines: &HashMap<String, u64>,
        refused: &mut Vec<Refusal>,
        counts: &mut Counts,
    ) -> Vec<RecordChange<T>> {
        let mut existing: HashMap<String, T> = existing
            .into_iter()
            .map(|record| (record.key().to_owned(), record))
            .collect();
        let mut changes = Vec::new();
        for ParsedRow { line, draft } in rows {
            let name = T::draft_key(draft);
            if let Some(first) = first_lines.get(name).filter(|first| *first != line) {
                let field = T::Draft::KEY_FIELD;
                let reason = format!("Line {first} of this file has the same {field}.");
                refused.push(refusal(*line, name, [(field.to_owned(), reason)].into()));
                continue;
            }
            let before = existing.remove(name);
            let after = match &before {
                None => Some(T::from_draft(
                    draft,
                    ids::row_id(),
                    self.chunk.mode,
                    self.now,
                )),
                Some(before) => before.apply_draft(draft, self.now),
            };
            match after {
                Some(after) => changes.push(RecordChange {
                    line: *line,
                    before,
                    after,
                }),
                None => counts.unchanged += 1,
            }
        }
        changes
    }

    /// Writes all changes at once. If the database refuses them, writes each by itself, so that only the invalid ones are refused.
    async fn save<T: ImportableRecord>(
        &self,
        connection: &mut PgConnection,
        changes: Vec<RecordChange<T>>,
        refused: &mut Vec<Refusal>,
    ) -> Result<Vec<RecordChange<T>>, sqlx::Error> {
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

    /// Writes changes under a savepoint. Returns the field errors if the database refuses them, and then nothing is written.
    async fn attempt<T: ImportableRecord>(
        &self,
        connection: &mut PgConnection,
        changes: &[RecordChange<T>],
    ) -> Result<Option<Problems>, sqlx::Error> {
        connection.execute("savepoint import").await?;
        match self.write(connection, changes).await {
            Ok(()) => {
                connection.execute("release savepoint import").await?;
                Ok(None)
            }
            Err(error) => {
                let Some(problems) = constraints::field_errors(&error) else {
                    return Err(error);
                };
                connection
                    .execute("rollback to savepoint import; release savepoint import")
                    .await?;
                Ok(Some(problems))
            }
        }
    }

    async fn write<T: ImportableRecord>(
        &self,
        connection: &mut PgConnection,
        changes: &[RecordChange<T>],
    ) -> Result<(), sqlx::Error> {
        let mut records = Vec::with_capacity(changes.len());
        let mut new_revisions = Vec::new();
        for change in changes {
            let record = to_json_row(&change.after)?;
            if let Some(id) = listing_id(&change.after) {
                let before = change.before.as_ref().map(to_json_row).transpose()?;
                let (before, after) = difference::changed_fields(before, record.clone());
                new_revisions.push(Revision {
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
        if new_revisions.is_empty() {
            return Ok(());
        }
        revisions::append(connection, T::ENTITY, self.now, new_revisions).await
    }

    fn publish<T: ImportableRecord>(&self, change: &RecordChange<T>) -> NewChange {
        let change_kind = match change.before {
            None => ChangeKind::Created,
            Some(_) => ChangeKind::Updated,
        };
        change
            .after
            .change(change_kind, self.chunk.announce, self.public_url)
    }
}

/// The id of a listing. Entries of the gazetteer have no id and no revisions.
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
