//! Writes a chunk, in one transaction.
//!
//! One import of a kind writes at a time: it locks the kind for the transaction. Rows are therefore always locked in one order.

use std::collections::{BTreeSet, HashMap};

use contracts::listings::v1::{ImportResponse, ImportedRow};
use kit::Fault;
use kit::audit::{self, Action as _};
use kit::feed::NewChange;
use serde::Serialize;
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Chunk, Header, ParsedRow, Rows};
use crate::domain::audit_action::AuditAction;
use crate::domain::difference;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::{Listing, RowContent};
use crate::domain::page::Page;
use crate::domain::record::Importable;
use crate::feed::{ChangeKind, Publish};
use crate::store::audit::record_import;
use crate::store::imports;
use crate::store::revisions::{self, Actor, Revision};
use crate::store::{RecordTable, pages, to_json_row};
use crate::write::record_change::refused;
use crate::write::{CommandContext, CommandDependencies};

/// A record that an import reads, saves and publishes.
trait ImportTarget: Importable + RecordTable + Publish + Serialize {}
impl<T: Importable + RecordTable + Publish + Serialize> ImportTarget for T {}

/// A record that a row creates or replaces.
struct RecordChange<T> {
    before: Option<T>,
    after: T,
}

/// The report on rows, and the changes to publish.
type WriteResult = Result<(ImportResponse, Vec<NewChange>), Fault>;

/// Writes the rows of a chunk; reports on them.
pub async fn apply(commands: &CommandDependencies, chunk: &Chunk) -> Result<ImportResponse, Fault> {
    let mut context = commands.begin().await?;
    let (report, changes) = write_rows(&mut context, chunk).await?;
    context.commit(changes).await?;
    Ok(report)
}

async fn write_rows(context: &mut CommandContext, chunk: &Chunk) -> WriteResult {
    let header = &*chunk.header;
    imports::lock_kind(&mut context.connection, header.entity, header.mode).await?;
    match &chunk.rows {
        Rows::Pages(rows) => write::<Listing<Page>>(context, chunk, rows).await,
        Rows::Games(rows) => {
            let rows = under_pages(&mut context.connection, rows).await?;
            write::<Listing<Game>>(context, chunk, &rows).await
        }
        Rows::Events(rows) => write::<Listing<Event>>(context, chunk, rows).await,
    }
}

/// The rows of games, each with whether its page is public. The pages are locked: their states stay.
async fn under_pages(
    connection: &mut PgConnection,
    rows: &[ParsedRow<RowContent<Game>>],
) -> Result<Vec<ParsedRow<RowContent<Game>>>, sqlx::Error> {
    let page = |row: &ParsedRow<RowContent<Game>>| row.parsed.content.page_id;
    let ids: BTreeSet<Uuid> = rows.iter().map(page).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let is_public = pages::share_states(connection, &ids).await?;
    let mut rows = rows.to_vec();
    for row in &mut rows {
        row.parsed.hidden_by_page = is_public.get(&page(row)) != Some(&true);
    }
    Ok(rows)
}

async fn write<T: ImportTarget>(
    context: &mut CommandContext,
    chunk: &Chunk,
    rows: &[ParsedRow<T::Parsed>],
) -> WriteResult {
    let header = &*chunk.header;
    let names = rows.iter().map(|row| T::row_key(&row.parsed).to_owned());
    let names: Vec<String> = names.collect();
    let existing = T::lock(&mut context.connection, header.mode, &names).await?;
    let existing = existing.into_iter();
    let mut existing: HashMap<String, T> = existing
        .map(|record| (record.key().to_owned(), record))
        .collect();
    let mut report = ImportResponse {
        refused: chunk.refused.clone(),
        refused_count: u64::try_from(chunk.refused.len()).unwrap_or(u64::MAX),
        ..ImportResponse::default()
    };
    let mut changes = Vec::new();
    for ParsedRow { line, parsed } in rows {
        let name = T::row_key(parsed);
        let before = existing.remove(name);
        let after = match &before {
            None => {
                report.created += 1;
                let id = kit::ids::row_id();
                Some(T::from_row(parsed, id, header.mode, context.now))
            }
            Some(before) if header.replaces() => before.replaced(parsed, context.now),
            Some(_) => {
                report.existing.push(ImportedRow {
                    line: *line,
                    name: name.to_owned(),
                    fields: HashMap::new(),
                });
                None
            }
        };
        match after {
            Some(after) => changes.push(RecordChange { before, after }),
            None => report.unchanged += 1,
        }
    }
    report.updated = u64::try_from(changes.len()).unwrap_or(u64::MAX) - report.created;
    if changes.is_empty() {
        return Ok((report, Vec::new()));
    }
    save(context, header, &changes).await.map_err(refused)?;
    audit(context, chunk, &report).await?;
    let feed = changes.iter().map(|change| {
        let kind = match &change.before {
            // A listing that an import brings in is public at once.
            None => ChangeKind::Approved,
            Some(_) => ChangeKind::Updated,
        };
        change.after.change(kind, false)
    });
    let feed: Vec<NewChange> = feed.collect();
    Ok((report, feed))
}

/// Writes the records and their revisions.
async fn save<T: ImportTarget>(
    context: &mut CommandContext,
    header: &Header,
    changes: &[RecordChange<T>],
) -> Result<(), sqlx::Error> {
    let mut records = Vec::with_capacity(changes.len());
    let mut new_revisions = Vec::new();
    for change in changes {
        let record = to_json_row(&change.after)?;
        let before = change.before.as_ref().map(to_json_row).transpose()?;
        let (before, after) = difference::changed_fields(before, record.clone());
        new_revisions.push(Revision {
            id: change.after.listing_id(),
            number: change.after.revision(),
            actor: Actor::Import(header.file_name.clone()),
            before,
            after,
            reason: None,
        });
        records.push(record);
    }
    T::save(&mut context.connection, &records.into()).await?;
    revisions::append(
        &mut context.connection,
        T::ENTITY,
        context.now,
        new_revisions,
    )
    .await
}

/// Records in the audit which member changed something.
async fn audit(
    context: &mut CommandContext,
    chunk: &Chunk,
    report: &ImportResponse,
) -> Result<(), sqlx::Error> {
    let header = &*chunk.header;
    let Some(by) = &header.by else {
        return Ok(());
    };
    let entry = audit::Entry {
        member: &by.name,
        role: by.role.as_str(),
        action: AuditAction::Import.as_str(),
        entity: header.entity.as_str(),
        name: &header.file_name,
        refused: false,
        details: json!({ "mode": header.mode }),
    };
    record_import(
        &mut context.connection,
        chunk.audit_id,
        entry,
        report.created,
        report.updated,
        context.now,
    )
    .await
}
