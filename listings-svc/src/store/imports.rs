//! Imports in progress: their position, and the outcome of their rows.

use serde_json::{Map, Value};
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, PgConnection, PgPool};
use std::collections::HashMap;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::fields::Problems;
use crate::domain::mode::Mode;

/// Rows of each outcome that a report lists; the rest are only counted.
pub const MAX_REPORTED: u64 = 10_000;
/// Age at which an interrupted import is deleted.
const EXPIRY: Duration = Duration::days(30);

/// A row that a report lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedRow {
    /// Line number, from 1.
    pub line: u64,
    /// Empty when the row has none.
    pub name: String,
    /// Field to the reason, or to the change.
    pub fields: Problems,
}

/// The outcome of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub counts: Counts,
    pub refused: Vec<ReportedRow>,
    /// Rows with fields that keep their values, because they were changed since the last import.
    pub kept: Vec<ReportedRow>,
    /// For a dry run: the rows that change something. A row without fields creates its record.
    pub changed: Vec<ReportedRow>,
}

/// Number of rows by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub created: u64,
    pub updated: u64,
    pub unchanged: u64,
    pub refused: u64,
    /// Rows, counted above, that leave a field as it is because it was changed since the last import.
    pub kept: u64,
}

#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The first line that is not processed yet.
    pub next_line: u64,
    pub counts: Counts,
}

/// The next line of an interrupted import of this file; `None` when there is no such import.
pub async fn find(
    pool: &PgPool,
    entity: Entity,
    mode: Mode,
    sha256: &str,
) -> Result<Option<u64>, sqlx::Error> {
    let line = sqlx::query_scalar!(
        "select next_line from listings.import where file_sha256 = $1 and entity = $2 and mode = $3",
        sha256,
        entity.as_str(),
        mode.as_str()
    )
    .fetch_optional(pool)
    .await?;
    Ok(line.map(i64::unsigned_abs))
}

/// Begins the import of a file, or resumes an interrupted one. Returns its id and its next line.
pub async fn begin(
    pool: &PgPool,
    id: Uuid,
    (entity, mode): (Entity, Mode),
    sha256: &str,
    now: OffsetDateTime,
) -> Result<(Uuid, u64), sqlx::Error> {
    sqlx::query!(
        "delete from listings.import where touched_at < $1",
        now - EXPIRY
    )
    .execute(pool)
    .await?;
    let row = sqlx::query!(
        "insert into listings.import (id, entity, mode, file_sha256, touched_at) values ($1, $2, $3, $4, $5)
         on conflict (file_sha256, entity, mode) do update set touched_at = excluded.touched_at
         returning id, next_line",
        id,
        entity.as_str(),
        mode.as_str(),
        sha256,
        now
    )
    .fetch_one(pool)
    .await?;
    Ok((row.id, row.next_line.unsigned_abs()))
}

/// Updates the planner statistics of a table after an import. Autovacuum does so about once a minute, and until then queries are planned
/// for an almost empty table.
#[expect(
    clippy::disallowed_methods,
    reason = "the table cannot be an argument; tested against PostgreSQL"
)]
pub async fn analyze(pool: &PgPool, entity: Entity) -> Result<(), sqlx::Error> {
    // Does not wait for another `analyze` of the table.
    let statement = format!("analyze (skip_locked) listings.{}", entity.as_str());
    sqlx::query(AssertSqlSafe(statement)).execute(pool).await?;
    Ok(())
}

/// Locks the gate of a kind for the rest of the transaction: one import writes rows of a kind at a time. False when another import has
/// it.
pub async fn lock_gate(
    connection: &mut PgConnection,
    entity: Entity,
    mode: Mode,
) -> Result<bool, sqlx::Error> {
    let gate = sqlx::query_scalar!(
        "select mode from listings.import_gate where entity = $1 and mode = $2 for update skip locked",
        entity.as_str(),
        mode.as_str()
    )
    .fetch_optional(connection)
    .await?;
    Ok(gate.is_some())
}

/// The progress of an import; `None` when it is finished. Call it after [`lock_gate`], so that no other run advances the import
/// meanwhile.
pub async fn progress(
    connection: &mut PgConnection,
    id: Uuid,
) -> Result<Option<Progress>, sqlx::Error> {
    let row = sqlx::query!(
        "select next_line, created, updated, unchanged, refused, kept from listings.import where id = $1",
        id
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| Progress {
        next_line: row.next_line.unsigned_abs(),
        counts: Counts {
            created: row.created.unsigned_abs(),
            updated: row.updated.unsigned_abs(),
            unchanged: row.unchanged.unsigned_abs(),
            refused: row.refused.unsigned_abs(),
            kept: row.kept.unsigned_abs(),
        },
    }))
}

/// Inserts the names of rows with their lines. Returns the first line of each name that was inserted before.
pub async fn insert_names(
    connection: &mut PgConnection,
    id: Uuid,
    names: &[String],
    lines: &[i64],
) -> Result<HashMap<String, u64>, sqlx::Error> {
    let new = sqlx::query!(
        "insert into listings.import_name (import, name, line)
         select $1, name, line from unnest($2::text[], $3::bigint[]) as row (name, line)
         on conflict do nothing",
        id,
        names,
        lines
    )
    .execute(&mut *connection)
    .await?
    .rows_affected();
    if usize::try_from(new) == Ok(names.len()) {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query!(
        "select name, line from listings.import_name where import = $1 and name = any($2)",
        id,
        names
    )
    .fetch_all(connection)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.name, row.line.unsigned_abs()))
        .collect())
}

/// Advances an import, and stores the report on its rows: of each outcome at most [`MAX_REPORTED`].
pub async fn advance(
    connection: &mut PgConnection,
    id: Uuid,
    (from, next_line): (Progress, u64),
    report: &Report,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let changed = from.counts.created + from.counts.updated;
    for (outcome, before, rows) in [
        ("refused", from.counts.refused, &report.refused),
        ("kept", from.counts.kept, &report.kept),
        ("changed", changed, &report.changed),
    ] {
        let remaining = usize::try_from(MAX_REPORTED.saturating_sub(before)).unwrap_or(usize::MAX);
        let rows = &rows[..rows.len().min(remaining)];
        if rows.is_empty() {
            continue;
        }
        let lines: Vec<i64> = rows.iter().map(|r| r.line.cast_signed()).collect();
        let names: Vec<String> = rows.iter().map(|r| r.name.clone()).collect();
        let fields: Vec<Json<&Problems>> = rows.iter().map(|r| Json(&r.fields)).collect();
        sqlx::query!(
            "insert into listings.import_refusal (import, outcome, line, name, fields)
             select $1, $2, line, name, fields from unnest($3::bigint[], $4::text[], $5::jsonb[]) as row (line, name, fields)",
            id,
            outcome,
            &lines,
            &names,
            &fields as &[Json<&Problems>]
        )
        .execute(&mut *connection)
        .await?;
    }
    let counts = report.counts;
    sqlx::query!(
        "update listings.import set next_line = $2, created = created + $3, updated = updated + $4,
             unchanged = unchanged + $5, refused = refused + $6, kept = kept + $7, touched_at = $8
         where id = $1",
        id,
        next_line.cast_signed(),
        counts.created.cast_signed(),
        counts.updated.cast_signed(),
        counts.unchanged.cast_signed(),
        counts.refused.cast_signed(),
        counts.kept.cast_signed(),
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Raises the version of a kind, by which replicas notice that it has changed.
pub async fn raise_version(
    connection: &mut PgConnection,
    entity: Entity,
    mode: Mode,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.import_gate set version = version + 1 where entity = $1 and mode = $2",
        entity.as_str(),
        mode.as_str()
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// What the last import stated of listings, by id. Listings that no import has named are left out.
pub async fn last_stated(
    connection: &mut PgConnection,
    entity: Entity,
    listings: &[Uuid],
) -> Result<HashMap<Uuid, Map<String, Value>>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select id, content as "content: Json<Map<String, Value>>" from listings.imported_content
           where entity = $1 and id = any($2)"#,
        entity.as_str(),
        listings
    )
    .fetch_all(connection)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.id, row.content.0))
        .collect())
}

/// Stores what an import states of listings.
pub async fn set_stated(
    connection: &mut PgConnection,
    entity: Entity,
    (listings, contents): (&[Uuid], &[Value]),
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into listings.imported_content (entity, id, content)
         select $1, id, content from unnest($2::uuid[], $3::jsonb[]) as row (id, content)
         on conflict (entity, id) do update set content = excluded.content",
        entity.as_str(),
        listings,
        contents
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes an import, and returns the report on the whole file; `None` when another run has finished the import.
pub async fn finish(pool: &PgPool, id: Uuid) -> Result<Option<Report>, sqlx::Error> {
    let mut transaction = pool.begin().await?;
    // Locked, so that no other run of this import adds to these counts.
    sqlx::query!(
        "select id from listings.import where id = $1 for update",
        id
    )
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(progress) = progress(&mut transaction, id).await? else {
        return Ok(None);
    };
    let rows = sqlx::query!(
        r#"select outcome, line, name, fields as "fields: Json<Problems>" from listings.import_refusal
           where import = $1 order by line"#,
        id
    )
    .fetch_all(&mut *transaction)
    .await?;
    sqlx::query!("delete from listings.import where id = $1", id)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    let mut report = Report {
        counts: progress.counts,
        ..Report::default()
    };
    for row in rows {
        let rows = match row.outcome.as_str() {
            "kept" => &mut report.kept,
            "changed" => &mut report.changed,
            _ => &mut report.refused,
        };
        rows.push(ReportedRow {
            line: row.line.unsigned_abs(),
            name: row.name,
            fields: row.fields.0,
        });
    }
    Ok(Some(report))
}
