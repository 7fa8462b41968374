//! Writes a chunk, in one transaction.
//!
//! One import of a kind writes at a time: it locks the kind for the transaction. Rows are therefore always locked in one order.

use std::collections::{BTreeSet, HashMap};

use contracts::listings::v1::{ImportResponse, ImportedRow};
use kit::Fault;
use kit::audit::{self, Action as _};
use kit::feed::{NewChange, Transaction};
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Chunk, ParsedRow};
use crate::domain::audit_action::AuditAction;
use crate::domain::listing::Listing;
use crate::feed;
use crate::store::audit::record_import;
use crate::store::{imports, listings};
use crate::write::CommandDependencies;
use crate::write::record_change::{self, Actor};

/// The report on rows, and the changes to publish.
type WriteResult = Result<(ImportResponse, Vec<NewChange>), Fault>;

/// Writes the rows of a chunk; reports on them.
pub async fn apply(commands: &CommandDependencies, chunk: &Chunk) -> Result<ImportResponse, Fault> {
    let mut transaction = commands.producer.begin().await?;
    let (report, changes) = write_rows(&mut transaction, chunk).await?;
    transaction.commit(&changes).await?;
    Ok(report)
}

/// Whether the pages of games are public, by id. They are locked: their states stay.
async fn share_pages(
    connection: &mut PgConnection,
    rows: &[ParsedRow],
) -> Result<HashMap<Uuid, bool>, sqlx::Error> {
    let games = rows.iter().filter_map(|row| row.parsed.content.game());
    let pages: BTreeSet<Uuid> = games.map(|game| game.page_id).collect();
    let pages: Vec<Uuid> = pages.into_iter().collect();
    listings::share_pages(connection, &pages).await
}

async fn write_rows(transaction: &mut Transaction, chunk: &Chunk) -> WriteResult {
    let (header, now, rows) = (&*chunk.header, transaction.now, &chunk.rows);
    imports::lock_kind(transaction, header.entity, header.mode).await?;
    let pages = share_pages(transaction, rows).await?;
    let names: Vec<String> = rows.iter().map(|row| row.parsed.content.name().to_owned()).collect();
    let (entity, mode) = (header.entity, header.mode);
    let mut existing: HashMap<String, Listing> =
        listings::lock_all(transaction, entity, mode, &names)
            .await?
            .into_iter()
            .map(|listing| (listing.name().to_owned(), listing))
            .collect();
    let mut report = ImportResponse {
        refused: chunk.refused.clone(),
        refused_count: u64::try_from(chunk.refused.len()).unwrap_or(u64::MAX),
        ..ImportResponse::default()
    };
    let (mut listings, mut revisions, mut changes) = (Vec::new(), Vec::new(), Vec::new());
    for ParsedRow { line, parsed } in rows {
        let mut row = parsed.clone();
        let game = row.content.game();
        row.hidden_by_page = game.is_some_and(|game| pages.get(&game.page_id) != Some(&true));
        let before = existing.remove(row.content.name());
        let after = match &before {
            None => {
                report.created += 1;
                Listing::imported(kit::ids::row_id(), mode, row, now)
            }
            Some(before) if header.replaces() => {
                let Some(listing) = before.replaced_by(&row, now) else {
                    report.unchanged += 1;
                    continue;
                };
                report.updated += 1;
                listing
            }
            Some(before) => {
                report.unchanged += 1;
                report.existing.push(ImportedRow {
                    line: *line,
                    name: before.name().to_owned(),
                    fields: HashMap::new(),
                });
                continue;
            }
        };
        let actor = Actor::Import(header.file_name.clone());
        revisions.push(record_change::revision(before.as_ref(), &after, actor, None)?);
        changes.push(feed::silent_change(&after, &[]));
        listings.push(after);
    }
    if !listings.is_empty() {
        record_change::save_all(transaction, &listings, &revisions, now).await?;
        audit(transaction, chunk, &report).await?;
    }
    Ok((report, changes))
}

/// Records in the audit which member changed something.
async fn audit(
    transaction: &mut Transaction,
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
    let now = transaction.now;
    record_import(transaction, chunk.audit_id, entry, report.created, report.updated, now).await
}
