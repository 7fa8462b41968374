//! Writes a chunk, inside the writer's transaction.
//!
//! One import of a kind writes at a time: it locks the kind for the transaction. Rows are therefore always locked in one order.

use std::collections::BTreeSet;

use contracts::listings::v1::{ImportResponse, ImportedRow};
use kit::audit::{self, Action as _};
use kit::feed::{ApplyError, ApplyResult, NewChange};
use serde_json::{Value, json};
use sqlx::{Executor as _, PgConnection};
use uuid::Uuid;

use super::Header;
use super::chunk::{Chunk, ParsedRow, Rows};
use super::plan::{ImportTarget, Plan, RecordChange, differences, plan};
use super::report::reported_row;
use crate::domain::audit_action::AuditAction;
use crate::domain::country::Country;
use crate::domain::difference;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::field_reader::Problems;
use crate::domain::game::Game;
use crate::domain::gazetteer::City;
use crate::domain::genre::Genre;
use crate::domain::listing::{Listing, RowContent};
use crate::domain::page::Page;
use crate::domain::record::GazetteerEntry;
use crate::store::audit::record_import;
use crate::store::imports;
use crate::store::revisions::{self, Actor, Revision};
use crate::store::{constraints, page_owners, pages, to_json_row};
use crate::write::{CommandContext, follow_page};

/// Writes the rows of a chunk; reports on them.
pub(in crate::write) async fn apply(
    context: &mut CommandContext<'_>,
    chunk: &Chunk,
) -> ApplyResult<ImportResponse> {
    let header = &*chunk.header;
    if !imports::lock_kind(context.connection, header.entity, header.mode).await? {
        return Err(ApplyError::Busy);
    }
    let mut writer = ChunkWriter {
        context,
        header,
        audit_id: chunk.audit_id,
        refused: chunk.refused.clone(),
    };
    match &chunk.rows {
        Rows::Genres(rows) => writer.run::<GazetteerEntry<Genre>>(rows).await,
        Rows::Countries(rows) => writer.run::<GazetteerEntry<Country>>(rows).await,
        Rows::Cities(rows) => writer.run::<GazetteerEntry<City>>(rows).await,
        Rows::Pages(rows) => writer.run::<Listing<Page>>(rows).await,
        Rows::Games(rows) => {
            let mut rows = under_pages(writer.context.connection, rows).await?;
            if header.announce {
                let hidden = rows.extract_if(.., |row| row.parsed.hidden_by_page);
                writer
                    .refused
                    .extend(hidden.map(|row| refused_announcement(&row)));
            }
            writer.run::<Listing<Game>>(&rows).await
        }
        Rows::Events(rows) => writer.run::<Listing<Event>>(rows).await,
    }
}

/// The rows of games, each with whether its page is public. The pages are locked: their states stay.
async fn under_pages(
    connection: &mut PgConnection,
    rows: &[ParsedRow<RowContent<Game>>],
) -> Result<Vec<ParsedRow<RowContent<Game>>>, ApplyError> {
    let page = |row: &ParsedRow<RowContent<Game>>| row.parsed.content.page_id;
    let ids: BTreeSet<Uuid> = rows.iter().map(page).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let is_public = pages::share_states(connection, &ids).await?;
    let mut rows = rows.to_vec();
    for row in &mut rows {
        let is_public = is_public.get(&page(row)).ok_or(ApplyError::Busy)?;
        row.parsed.hidden_by_page = !is_public;
    }
    Ok(rows)
}

/// Nobody would ever be told of the game: it is not visible now, and when its page is published, games that were imported are not announced.
fn refused_announcement(row: &ParsedRow<RowContent<Game>>) -> ImportedRow {
    let reason = "The page of the game is not public, so that the game cannot be announced: publish the page first, or import the game without --announce.";
    let fields = Problems::from([("creator".to_owned(), reason.to_owned())]);
    reported_row(row.line, &row.parsed.content.slug, fields)
}

struct ChunkWriter<'w, 'c> {
    context: &'w mut CommandContext<'c>,
    header: &'w Header,
    audit_id: Uuid,
    /// Rows that are refused before they are planned.
    refused: Vec<ImportedRow>,
}

impl ChunkWriter<'_, '_> {
    async fn run<T: ImportTarget>(
        &mut self,
        rows: &[ParsedRow<T::Parsed>],
    ) -> ApplyResult<ImportResponse> {
        let names = rows.iter().map(|row| T::row_key(&row.parsed).to_owned());
        let names: Vec<String> = names.collect();
        let locked = T::lock(self.context.connection, self.header.mode, &names).await?;
        let existing = locked.ok_or(ApplyError::Busy)?;
        let ids: Vec<Uuid> = existing.iter().filter_map(T::listing_id).collect();
        let last_stated = imports::last_stated(self.context.connection, T::ENTITY, &ids).await?;
        let mut report = ImportResponse {
            refused: self.refused.clone(),
            ..ImportResponse::default()
        };
        let plan = plan::<T>(
            self.header,
            rows,
            existing,
            &last_stated,
            self.context.now,
            &mut report,
        );
        if self.header.dry_run {
            self.execute("savepoint dry_run").await?;
        }
        let (changes, mut feed) = self.save(plan, &mut report.refused).await?;
        for change in &changes {
            match change.before {
                None => report.created += 1,
                Some(_) => report.updated += 1,
            }
        }
        report.refused_count = u64::try_from(report.refused.len()).unwrap_or(u64::MAX);
        report.kept_count = u64::try_from(report.kept.len()).unwrap_or(u64::MAX);
        if self.header.dry_run {
            self.execute("rollback to savepoint dry_run; release savepoint dry_run")
                .await?;
            report.changed = differences(self.context.connection, &changes).await?;
            feed.clear();
        } else {
            if !changes.is_empty() {
                imports::raise_version(self.context.connection, T::ENTITY, self.header.mode)
                    .await?;
            }
            self.audit(T::ENTITY, &report).await?;
        }
        Ok((report, feed))
    }

    /// Records in the audit which member changed something.
    async fn audit(&mut self, entity: Entity, report: &ImportResponse) -> Result<(), sqlx::Error> {
        let (created, updated) = (report.created, report.updated);
        let Some(by) = &self.header.by else {
            return Ok(());
        };
        if created + updated == 0 {
            return Ok(());
        }
        let entry = audit::Entry {
            member: &by.name,
            role: by.role.as_str(),
            action: AuditAction::Import.as_str(),
            entity: entity.as_str(),
            name: &self.header.file_name,
            refused: false,
            details: json!({ "mode": self.header.mode }),
        };
        let context = &mut *self.context;
        record_import(
            context.connection,
            self.audit_id,
            entry,
            created,
            updated,
            context.now,
        )
        .await
    }

    /// Writes the changes, and what the rows state. Returns the changes that the database accepts, and their messages for the feed.
    async fn save<T: ImportTarget>(
        &mut self,
        plan: Plan<T>,
        refused: &mut Vec<ImportedRow>,
    ) -> Result<(Vec<RecordChange<T>>, Vec<NewChange>), ApplyError> {
        let changes = self.save_changes(plan.changes, refused).await?;
        let is_refused = |line: u64| refused.iter().any(|row| row.line == line);
        let (ids, contents): (Vec<Uuid>, Vec<Value>) = plan
            .stated
            .into_iter()
            .filter(|(line, ..)| !is_refused(*line))
            .map(|(_, id, content)| (id, Value::Object(content)))
            .unzip();
        if !ids.is_empty() {
            imports::set_stated(self.context.connection, T::ENTITY, &ids, &contents).await?;
        }
        let announce = self.header.announce;
        let mut feed: Vec<NewChange> = changes
            .iter()
            .map(|change| {
                change.after.change(
                    change.kind(),
                    announce,
                    &self.context.dependencies.public_url,
                )
            })
            .collect();
        for change in &changes {
            if T::ENTITY == Entity::Page
                && let (Some(account), Some(page)) =
                    (change.adopted_from(), change.after.listing_id())
            {
                page_owners::remove(self.context.connection, page, account).await?;
                let (games, _) = follow_page::resume(self.context, page).await?;
                feed.extend(games);
            }
        }
        Ok((changes, feed))
    }

    /// Writes all changes at once. If the database refuses them, writes each by itself, so that only the invalid ones are refused.
    async fn save_changes<T: ImportTarget>(
        &mut self,
        changes: Vec<RecordChange<T>>,
        refused: &mut Vec<ImportedRow>,
    ) -> Result<Vec<RecordChange<T>>, sqlx::Error> {
        if changes.is_empty() || self.attempt(&changes).await?.is_none() {
            return Ok(changes);
        }
        let mut saved = Vec::with_capacity(changes.len());
        for change in changes {
            match self.attempt(std::slice::from_ref(&change)).await? {
                None => saved.push(change),
                Some(problems) => {
                    refused.push(reported_row(change.line, change.after.key(), problems));
                }
            }
        }
        Ok(saved)
    }

    /// Writes changes under a savepoint. Returns the field errors if the database refuses them, and then nothing is written.
    async fn attempt<T: ImportTarget>(
        &mut self,
        changes: &[RecordChange<T>],
    ) -> Result<Option<Problems>, sqlx::Error> {
        self.execute("savepoint import").await?;
        match self.write(changes).await {
            Ok(()) => {
                self.execute("release savepoint import").await?;
                Ok(None)
            }
            Err(error) => {
                let Some(problems) = constraints::field_errors(&error) else {
                    return Err(error);
                };
                self.execute("rollback to savepoint import; release savepoint import")
                    .await?;
                Ok(Some(problems))
            }
        }
    }

    async fn execute(&mut self, statements: &'static str) -> Result<(), sqlx::Error> {
        let connection = &mut *self.context.connection;
        connection.execute(statements).await?;
        Ok(())
    }

    async fn write<T: ImportTarget>(
        &mut self,
        changes: &[RecordChange<T>],
    ) -> Result<(), sqlx::Error> {
        let mut records = Vec::with_capacity(changes.len());
        let mut new_revisions = Vec::new();
        for change in changes {
            let record = to_json_row(&change.after)?;
            if let Some(id) = change.after.listing_id() {
                let before = change.before.as_ref().map(to_json_row).transpose()?;
                let (before, after) = difference::changed_fields(before, record.clone());
                new_revisions.push(Revision {
                    id,
                    number: change.after.revision(),
                    actor: Actor::Import(self.header.file_name.clone()),
                    before,
                    after,
                    reason: None,
                });
            }
            records.push(record);
        }
        T::save(self.context.connection, &records.into()).await?;
        if new_revisions.is_empty() {
            return Ok(());
        }
        revisions::append(
            self.context.connection,
            T::ENTITY,
            self.context.now,
            new_revisions,
        )
        .await
    }
}
