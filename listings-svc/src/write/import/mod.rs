//! Imports files of listings, line by line.
//!
//! The SHA-256 identifies a file. Its lines are parsed here ([`parse`]) and written by the feed's writer ([`apply`]), one [`chunk`] at a
//! time. The transaction that writes the rows stores the progress, so that an interrupted import resumes where it stopped. A few chunks
//! are in flight at once: while one is written, the next is parsed.

pub mod apply;
pub mod chunk;
mod parse;
mod plan;

use std::collections::HashMap;
use std::pin::Pin;

use futures::stream::{FuturesOrdered, StreamExt as _};
use futures::{Future, poll};
use kit::feed::Writer;
use kit::rpc::staff::Member;
use kit::{Clock, Code, Fault, ids};
use sqlx::PgPool;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::gazetteer::Gazetteer;
use crate::domain::mode::Mode;
use crate::domain::record::ImportOptions;
use crate::domain::reference_data::ReferenceData;
use crate::store::imports::{self, Report};
use crate::store::{self, revisions::Actor};
use crate::write::{Command, CommandHandler};
use chunk::{Chunk, StaffCall};

/// Maximum number of rows per chunk. One transaction writes them, and other commands wait for it.
const ROWS_PER_CHUNK: usize = 100;
/// Maximum number of chunks that are queued or being written.
const MAX_IN_FLIGHT: usize = 3;

#[derive(Debug, Clone)]
pub struct Header {
    pub entity: Entity,
    pub mode: Mode,
    /// SHA-256 of the content; identifies the file.
    pub sha256: String,
    /// For the log and the audit.
    pub file_name: String,
    /// Whether the changes are announced.
    pub announce: bool,
    pub options: ImportOptions,
    /// Whether the rows are only reported, and nothing is written.
    pub dry_run: bool,
    /// The member who imports the file; `None` at startup.
    pub by: Option<Member>,
}

/// Imports files. Clones share the writer.
#[derive(Debug, Clone)]
pub struct Importer {
    pool: PgPool,
    writer: Writer<CommandHandler>,
    clock: Clock,
}

impl Importer {
    pub fn new(pool: PgPool, writer: Writer<CommandHandler>, clock: Clock) -> Self {
        Self {
            pool,
            writer,
            clock,
        }
    }

    pub(crate) fn pool(&self) -> &PgPool {
        &self.pool
    }

    pub fn writer(&self) -> &Writer<CommandHandler> {
        &self.writer
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The line at which an import of this file resumes; 1 when none was interrupted.
    pub async fn next_line(&self, header: &Header) -> Result<u64, Fault> {
        if header.dry_run {
            return Ok(1);
        }
        let line = imports::find(&self.pool, header.entity, header.mode, &header.sha256).await?;
        Ok(line.unwrap_or(1))
    }

    /// Begins an import, or resumes an interrupted one.
    pub async fn begin(&self, header: Header) -> Result<Run, Fault> {
        let id = ids::row_id();
        // A dry run neither resumes an import nor is resumed.
        let sha256 = if header.dry_run {
            format!("dry run {id}")
        } else {
            header.sha256.clone()
        };
        let kind = (header.entity, header.mode);
        let (id, next_line) =
            imports::begin(&self.pool, id, kind, &sha256, self.clock.now()).await?;
        let mut reference_data = self.reference_data(header.entity).await?;
        // Bundled files are from the day of the build, and are imported whatever the clock of the machine shows.
        reference_data.no_later_than = header.by.as_ref().map(|_| self.clock.now());
        tracing::info!(import = %id, entity = header.entity.as_str(), file = header.file_name, next_line, "import begun");
        Ok(Run {
            importer: self.clone(),
            id,
            staff_call: header.by.clone().map(|by| StaffCall {
                id: ids::row_id(),
                by,
            }),
            header,
            reference_data,
            next_line,
            expected: None,
            in_flight: FuturesOrdered::new(),
        })
    }

    /// Loads the reference data for rows of this kind. It only grows, so one load per import is enough.
    pub(crate) async fn reference_data(
        &self,
        entity: Entity,
    ) -> Result<ReferenceData, sqlx::Error> {
        let mut reference_data = ReferenceData {
            year: self.clock.now().year(),
            ..ReferenceData::default()
        };
        match entity {
            Entity::Genre | Entity::Country => {}
            Entity::City => {
                reference_data.countries = store::reference_data::countries(&self.pool).await?;
            }
            Entity::Game => {
                reference_data.genres = store::reference_data::genres(&self.pool).await?;
            }
            Entity::Page | Entity::Event => {
                reference_data.countries = store::reference_data::countries(&self.pool).await?;
                reference_data.gazetteer =
                    Gazetteer::new(store::reference_data::cities(&self.pool).await?);
            }
        }
        Ok(reference_data)
    }
}

type PendingWrite = Pin<Box<dyn Future<Output = Result<(), Fault>> + Send>>;

/// An import in progress.
pub struct Run {
    importer: Importer,
    id: Uuid,
    header: Header,
    staff_call: Option<StaffCall>,
    reference_data: ReferenceData,
    /// The first line that the writer does not have yet.
    next_line: u64,
    /// The line that the client must send next; `None` before its first.
    expected: Option<u64>,
    in_flight: FuturesOrdered<PendingWrite>,
}

impl Run {
    /// Accepts the next lines; the first of them has the number `first`. Skips lines that were processed before.
    pub async fn push_lines(&mut self, first: u64, lines: Vec<String>) -> Result<(), Fault> {
        self.check_order(first, lines.len())?;
        let numbered: Vec<(u64, String)> = (first..)
            .zip(lines)
            .filter(|(line, _)| *line >= self.next_line)
            .collect();
        for part in numbered.chunks(ROWS_PER_CHUNK) {
            let chunk = self.parse(part).await?;
            self.next_line = chunk.next_line;
            self.write(chunk).await?;
        }
        Ok(())
    }

    fn check_order(&mut self, first: u64, count: usize) -> Result<(), Fault> {
        let in_order = match self.expected {
            Some(expected) => first == expected,
            None => (1..=self.next_line).contains(&first),
        };
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        match first.checked_add(count) {
            // Line numbers are stored as bigint.
            Some(next) if in_order && i64::try_from(next).is_ok() => {
                self.expected = Some(next);
                Ok(())
            }
            _ => Err(Fault::invalid_field(
                "first_line",
                format!(
                    "Send the lines in order: continue with line {}.",
                    self.expected.unwrap_or(self.next_line)
                ),
            )),
        }
    }

    async fn parse(&mut self, lines: &[(u64, String)]) -> Result<Chunk, Fault> {
        let parsed = parse::parse_lines(lines);
        if self.header.entity == Entity::Game {
            let unknown = parse::unknown_handles(&parsed, &self.reference_data);
            if !unknown.is_empty() {
                let found: HashMap<String, Uuid> = store::reference_data::creators(
                    &self.importer.pool,
                    self.header.mode,
                    &unknown,
                )
                .await?;
                self.reference_data.creators.extend(found);
            }
        }
        let (rows, refused) = parse::read_rows(self.header.entity, parsed, &self.reference_data);
        let first_line = lines.first().map_or(self.next_line, |(line, _)| *line);
        Ok(Chunk {
            import: self.id,
            mode: self.header.mode,
            first_line,
            next_line: lines.last().map_or(first_line, |(line, _)| line + 1),
            rows,
            refused,
            actor: Actor::Import(self.header.file_name.clone()),
            announce: self.header.announce,
            options: self.header.options,
            dry_run: self.header.dry_run,
            staff_call: self.staff_call.clone(),
        })
    }

    /// Hands a chunk to the writer; waits while too many chunks are in flight.
    async fn write(&mut self, chunk: Chunk) -> Result<(), Fault> {
        while self.in_flight.len() >= MAX_IN_FLIGHT {
            self.wait_for_oldest().await?;
        }
        let writer = self.importer.writer.clone();
        let mut writing: PendingWrite = Box::pin(async move {
            writer.write(Command::Import(Box::new(chunk))).await?;
            Ok(())
        });
        // The first poll queues the chunk. Polling now keeps the chunks in order.
        match poll!(&mut writing) {
            std::task::Poll::Ready(written) => written,
            std::task::Poll::Pending => {
                self.in_flight.push_back(writing);
                Ok(())
            }
        }
    }

    async fn wait_for_oldest(&mut self) -> Result<(), Fault> {
        match self.in_flight.next().await {
            Some(written) => written,
            None => Ok(()),
        }
    }

    /// Ends the import after its last line. Returns the report on the whole file, lines of earlier runs included.
    pub async fn finish(mut self) -> Result<Report, Fault> {
        while !self.in_flight.is_empty() {
            self.wait_for_oldest().await?;
        }
        let report = imports::finish(&self.importer.pool, self.id)
            .await?
            .ok_or_else(finished_elsewhere)?;
        let counts = report.counts;
        tracing::info!(
            import = %self.id,
            entity = self.header.entity.as_str(),
            created = counts.created,
            updated = counts.updated,
            unchanged = counts.unchanged,
            refused = counts.refused,
            kept = counts.kept,
            dry_run = self.header.dry_run,
            "import finished"
        );
        if counts.created > 0
            && !self.header.dry_run
            && let Err(error) = imports::analyze(&self.importer.pool, self.header.entity).await
        {
            tracing::warn!(%error, "a table was not analyzed; queries may be slow until autovacuum does it");
        }
        Ok(report)
    }
}

/// Another run of this import has finished it.
pub(crate) fn finished_elsewhere() -> Fault {
    Fault {
        retry_after: Some(1),
        ..Fault::new(
            Code::Unavailable,
            "Another import of the same file has just finished. Import the file again for a report.",
        )
    }
}
