//! Writes a chunk, in one transaction.
//!
//! What the database knows of the rows is locked and read first. Then each row is created, skipped
//! or refused, and what is written last cannot be refused for what the rows say.
//!
//! One import of a kind writes at a time: it locks the kind for the transaction. Rows are therefore always locked in one order.

use std::collections::{BTreeSet, HashMap, HashSet};

use contracts::listings::v1::{ImportResponse, ImportedRow};
use kit::audit::{self, Action as _};
use kit::feed::{NewChange, Transaction};
use kit::{Code, Fault};
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::report::{self, reported_row};
use super::{Chunk, Header, ParsedRow, ROWS_PER_CHUNK};
use crate::domain::audit_action::AuditAction;
use crate::domain::field_reader::Problems;
use crate::domain::listing::{Content, Listing};
use crate::domain::pictures::FileName;
use crate::feed;
use crate::store::audit::record_import;
use crate::store::{imports, listings, pictures};
use crate::write::CommandDependencies;
use crate::write::record_change::{self, Actor};

/// The report on rows, and the changes to publish.
type WriteResult = Result<(ImportResponse, Vec<NewChange>), Fault>;

/// Writes the rows of a chunk; reports on them.
///
/// If the database refuses a row that the domain accepts, it refuses the statement with the whole
/// chunk. The chunk is then halved until the row is alone, and reported like any other refused row.
pub async fn apply(commands: &CommandDependencies, chunk: &Chunk) -> Result<ImportResponse, Fault> {
    let mut report = ImportResponse::default();
    report::refuse(&mut report, chunk.refused.clone());
    let mut parts: Vec<&[ParsedRow]> = chunk.rows.chunks(ROWS_PER_CHUNK).collect();
    while let Some(rows) = parts.pop() {
        match write(commands, chunk, rows).await {
            Ok(written) => report::append(&mut report, written),
            Err(fault) if fault.code == Code::Invalid => match rows {
                [row] => report::refuse(&mut report, vec![reported(row, fault.fields)]),
                rows => {
                    let (first, second) = rows.split_at(rows.len() / 2);
                    parts.extend([second, first]);
                }
            },
            Err(fault) => return Err(fault),
        }
    }
    report.refused.sort_by_key(|row| row.line);
    Ok(report)
}

fn reported(row: &ParsedRow, problems: Problems) -> ImportedRow {
    reported_row(row.line, row.parsed.content.name(), problems)
}

async fn write(
    commands: &CommandDependencies,
    chunk: &Chunk,
    rows: &[ParsedRow],
) -> Result<ImportResponse, Fault> {
    let mut transaction = commands.producer.begin().await?;
    let (report, changes) = write_rows(&mut transaction, chunk, rows).await?;
    transaction.commit(&changes).await?;
    Ok(report)
}

async fn write_rows(
    transaction: &mut Transaction,
    chunk: &Chunk,
    rows: &[ParsedRow],
) -> WriteResult {
    let (header, now) = (&*chunk.header, transaction.now);
    let mut stored = LockedRows::lock(transaction, header, rows).await?;
    let mut report = ImportResponse::default();
    let (mut saved, mut revisions, mut changes) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let before = stored.listings.remove(row.parsed.content.name());
        let after = match stored.outcome(row, before.as_ref(), header, now) {
            Outcome::Created(listing) => {
                report.created += 1;
                listing
            }
            Outcome::Replaced(listing) => {
                report.updated += 1;
                listing
            }
            Outcome::Unchanged => {
                report.unchanged += 1;
                continue;
            }
            Outcome::Exists => {
                report.unchanged += 1;
                report.existing.push(reported(row, Problems::new()));
                continue;
            }
            Outcome::Refused(problems) => {
                report::refuse(&mut report, vec![reported(row, problems)]);
                continue;
            }
        };
        let before = before.and_then(Result::ok);
        let actor = Actor::Import(header.file_name.clone());
        revisions.push(record_change::revision(before.as_ref(), &after, actor, None)?);
        changes.push(feed::silent_change(&after, &[]));
        saved.push(after);
    }
    if !saved.is_empty() {
        record_change::save_all(transaction, &saved, &revisions, now).await?;
        audit(transaction, chunk, &report).await?;
    }
    Ok((report, changes))
}

/// What becomes of a row.
enum Outcome {
    Created(Listing),
    Replaced(Listing),
    /// The sample is as the row states it.
    Unchanged,
    /// A real listing has the name.
    Exists,
    Refused(Problems),
}

/// What the database knows of the rows. All of it is locked.
struct LockedRows {
    /// Whether the pages of the games are public, by id.
    pages: HashMap<Uuid, bool>,
    /// The listings that have the names of the rows.
    listings: HashMap<String, Result<Listing, sqlx::Error>>,
    /// The hashes of the named pictures that exist.
    pictures: HashSet<String>,
}

impl LockedRows {
    async fn lock(
        connection: &mut PgConnection,
        header: &Header,
        rows: &[ParsedRow],
    ) -> Result<Self, sqlx::Error> {
        imports::lock_kind(connection, header.entity, header.mode).await?;
        let contents = || rows.iter().map(|row| &row.parsed.content);
        let pages: BTreeSet<Uuid> =
            contents().filter_map(Content::game).map(|game| game.page_id).collect();
        let pages: Vec<Uuid> = pages.into_iter().collect();
        let pages = listings::share_pages(connection, &pages).await?;
        let names: Vec<String> = contents().map(|content| content.name().to_owned()).collect();
        let listings = listings::lock_all(connection, header.entity, header.mode, &names).await?;
        let hashes: BTreeSet<String> = contents()
            .flat_map(Content::pictures)
            .map(|picture| picture.hash().to_owned())
            .collect();
        let hashes: Vec<String> = hashes.into_iter().collect();
        let pictures = match &hashes[..] {
            [] => Vec::new(),
            hashes => pictures::lock_existing(connection, hashes).await?,
        };
        Ok(Self {
            pages,
            listings: listings.into_iter().collect(),
            pictures: pictures.into_iter().collect(),
        })
    }

    fn outcome(
        &self,
        row: &ParsedRow,
        before: Option<&Result<Listing, sqlx::Error>>,
        header: &Header,
        now: OffsetDateTime,
    ) -> Outcome {
        let before = match before {
            Some(_) if !header.replaces() => return Outcome::Exists,
            Some(Err(_)) => return Outcome::Refused(unreadable()),
            Some(Ok(before)) => Some(before),
            None => None,
        };
        let mut row = row.parsed.clone();
        // A listing that is replaced may keep a picture that was purged.
        let named: BTreeSet<FileName> =
            before.into_iter().flat_map(|before| before.content.pictures()).collect();
        let is_absent =
            |name: &FileName| !named.contains(name) && !self.pictures.contains(name.hash());
        let problems: Problems = record_change::absent_pictures(&row.content, is_absent).collect();
        if !problems.is_empty() {
            return Outcome::Refused(problems);
        }
        let game = row.content.game();
        row.hidden_by_page = game.is_some_and(|game| self.pages.get(&game.page_id) != Some(&true));
        match before {
            None => Outcome::Created(Listing::imported(kit::ids::row_id(), header.mode, row, now)),
            Some(before) => {
                before.replaced_by(&row, now).map_or(Outcome::Unchanged, Outcome::Replaced)
            }
        }
    }
}

/// The problem of a row whose sample this version cannot read.
fn unreadable() -> Problems {
    let reason =
        "A later version of the service has changed this sample, and this version cannot read it.";
    [("row".to_owned(), reason.to_owned())].into()
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
