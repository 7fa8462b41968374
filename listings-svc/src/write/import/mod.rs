//! Imports files of listings, line by line.
//!
//! Lines are parsed here ([`parse`]) and written ([`apply`]), one [`Chunk`] per transaction. A row creates a record, and
//! leaves one that exists alone, unless it is a sample. The same file can therefore be imported again, also after
//! an import that was interrupted.

pub mod apply;
mod parse;
pub mod report;

use std::collections::HashMap;
use std::sync::Arc;

use contracts::listings::v1::{ImportResponse, ImportedRow};
use kit::rpc::staff::Member;
use kit::{Clock, Fault, ids};
use sqlx::PgPool;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::listing::RowContent;
use crate::domain::mode::Mode;
use crate::domain::reference_data::ReferenceData;
use crate::store;
use crate::store::imports;
use crate::write::CommandDependencies;

/// Maximum number of rows per chunk. One transaction writes them, and commands on the same rows wait for it.
const ROWS_PER_CHUNK: usize = 100;

#[derive(Debug, Clone)]
pub struct Header {
    pub entity: Entity,
    pub mode: Mode,
    /// For the log and the audit.
    pub file_name: String,
    /// The member who imports the file; `None` for a file that is part of the binary.
    pub by: Option<Member>,
}

impl Header {
    /// Whether rows replace records that exist. Nobody edits samples.
    fn replaces(&self) -> bool {
        self.mode == Mode::Test
    }
}

/// Consecutive lines of a file.
#[derive(Debug)]
pub struct Chunk {
    pub header: Arc<Header>,
    /// Id of the audit entry that the chunks of a file share.
    pub audit_id: Uuid,
    pub rows: Vec<ParsedRow>,
    /// Lines that are not valid rows, or repeat the name of an earlier row.
    pub refused: Vec<ImportedRow>,
}

/// A valid row.
#[derive(Debug, Clone)]
pub struct ParsedRow {
    pub line: u64,
    /// What the row states.
    pub parsed: RowContent,
}

/// Imports files.
#[derive(Debug, Clone)]
pub struct Importer {
    pool: PgPool,
    commands: Arc<CommandDependencies>,
    clock: Clock,
}

impl Importer {
    pub fn new(pool: PgPool, commands: Arc<CommandDependencies>, clock: Clock) -> Self {
        Self { pool, commands, clock }
    }

    /// Begins an import.
    pub fn begin(&self, header: Header) -> Run {
        let now = self.clock.now();
        Run {
            importer: self.clone(),
            audit_id: ids::row_id(),
            reference_data: ReferenceData {
                // Bundled files are from the day of the build, and are imported whatever the clock of the machine shows.
                no_later_than: header.by.as_ref().map(|_| now),
                public_url: self.commands.public_url.as_str().to_owned(),
                ..ReferenceData::at(now)
            },
            header: Arc::new(header),
            next_line: 1,
            lines_by_name: HashMap::new(),
            report: ImportResponse::default(),
        }
    }
}

/// An import in progress.
pub struct Run {
    importer: Importer,
    header: Arc<Header>,
    audit_id: Uuid,
    reference_data: ReferenceData,
    next_line: u64,
    /// The names of the rows so far, each with its first line.
    lines_by_name: HashMap<String, u64>,
    report: ImportResponse,
}

impl Run {
    /// Writes the next lines.
    ///
    /// # Errors
    /// None of them is about a row: the file may be imported again. The message says which lines
    /// were done.
    pub async fn push_lines(&mut self, lines: Vec<String>) -> Result<(), Fault> {
        let numbered: Vec<(u64, String)> = (self.next_line..).zip(lines).collect();
        for part in numbered.chunks(ROWS_PER_CHUNK) {
            let report = self.write(part).await.map_err(|fault| self.interrupted(fault))?;
            self.next_line += part.len() as u64;
            report::append(&mut self.report, report);
        }
        Ok(())
    }

    async fn write(&mut self, lines: &[(u64, String)]) -> Result<ImportResponse, Fault> {
        let chunk = self.parse(lines).await?;
        apply::apply(&self.importer.commands, &chunk).await
    }

    /// The fault that ends the import, with what was done before it.
    pub fn interrupted(&self, fault: Fault) -> Fault {
        let done = self.next_line - 1;
        if done == 0 {
            return fault;
        }
        let ImportResponse { created, updated, unchanged, refused_count, .. } = self.report;
        let message = format!(
            "{} Lines 1 to {done} were done before: {created} rows created, {updated} replaced, {unchanged} skipped, {refused_count} \
             refused. Import the file again: it names the refused rows.",
            fault.message
        );
        Fault { message: message.into(), ..fault }
    }

    async fn parse(&mut self, lines: &[(u64, String)]) -> Result<Chunk, Fault> {
        let parsed = parse::parse_lines(lines);
        if self.header.entity == Entity::Game {
            let unknown = parse::unknown_handles(&parsed, &self.reference_data);
            if !unknown.is_empty() {
                let (pool, mode) = (&self.importer.pool, self.header.mode);
                let found = store::reference_data::creators(pool, mode, &unknown);
                self.reference_data.creators.extend(found.await?);
            }
        }
        let entity = self.header.entity;
        let names = &mut self.lines_by_name;
        let (rows, refused) = parse::read_rows(entity, parsed, &self.reference_data, names);
        Ok(Chunk { header: Arc::clone(&self.header), audit_id: self.audit_id, rows, refused })
    }

    /// Ends the import after its last line.
    pub async fn finish(self) -> ImportResponse {
        let report = self.report;
        tracing::info!(
            entity = self.header.entity.as_str(),
            file = self.header.file_name,
            created = report.created,
            updated = report.updated,
            unchanged = report.unchanged,
            refused = report.refused_count,
            "import finished"
        );
        if report.created > 0
            && let Err(error) = imports::analyze(&self.importer.pool).await
        {
            tracing::warn!(%error, "a table was not analyzed; queries may be slow until autovacuum does it");
        }
        report
    }
}
