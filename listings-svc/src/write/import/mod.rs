//! Loading files of listings, line by line.
//!
//! A file is known by its digest. Its lines are read here ([`prepare`]) and written by the feed's writer ([`apply`]), a [`chunk`] at a
//! time; how far it has come is kept in the transaction that writes the rows, so that a broken import goes on where it stopped. A
//! few chunks are under way at once: while one is written, the next is read.

pub mod apply;
pub mod chunk;
mod prepare;

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
use crate::domain::known::Known;
use crate::domain::mode::Mode;
use crate::store::imports::{self, Counts, Refusal};
use crate::store::{self, revisions::Actor};
use crate::write::{Listings, Write};
use chunk::{Call, Chunk};

/// Rows in one chunk at most: what is written, and held up for others, at once.
const CHUNK: usize = 100;
/// Chunks that wait for the writer, or are being written.
const UNDER_WAY: usize = 3;

/// What a file holds and how it is to be taken.
#[derive(Debug, Clone)]
pub struct Header {
    /// What its rows are.
    pub entity: Entity,
    /// Which world they belong to.
    pub mode: Mode,
    /// Names the file: SHA-256 of its content.
    pub sha256: String,
    /// For the record.
    pub file_name: String,
    /// Whether the world is told.
    pub announce: bool,
    /// Who of the staff loads it; `None` at start.
    pub by: Option<Member>,
}

/// Loads files. Clones share the writer.
#[derive(Debug, Clone)]
pub struct Importer {
    pool: PgPool,
    writer: Writer<Listings>,
    clock: Clock,
}

impl Importer {
    /// An importer that writes through `writer`.
    pub fn new(pool: PgPool, writer: Writer<Listings>, clock: Clock) -> Self {
        Self {
            pool,
            writer,
            clock,
        }
    }

    pub(crate) fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// What it writes through.
    pub fn writer(&self) -> &Writer<Listings> {
        &self.writer
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The line at which an import of this file goes on; 1 if none was broken off.
    pub async fn next_line(&self, header: &Header) -> Result<u64, Fault> {
        let line = imports::find(&self.pool, header.entity, header.mode, &header.sha256).await?;
        Ok(line.unwrap_or(1))
    }

    /// Begins an import, or takes up one that was broken off.
    pub async fn begin(&self, header: Header) -> Result<Run, Fault> {
        let (id, next_line) = imports::begin(
            &self.pool,
            ids::row_id(),
            (header.entity, header.mode),
            &header.sha256,
            self.clock.now(),
        )
        .await?;
        let mut known = self.known(header.entity).await?;
        // What ships is of the day of its build, and is loaded whatever the clock of the machine shows.
        known.no_later_than = header.by.as_ref().map(|_| self.clock.now());
        tracing::info!(import = %id, entity = header.entity.as_str(), file = header.file_name, next_line, "import begun");
        Ok(Run {
            importer: self.clone(),
            id,
            call: header.by.clone().map(|by| Call {
                id: ids::row_id(),
                by,
            }),
            header,
            known,
            next_line,
            expected: None,
            under_way: FuturesOrdered::new(),
        })
    }

    /// What rows of this kind refer to. Nothing of it is ever deleted, so it is loaded once an import.
    pub(crate) async fn known(&self, entity: Entity) -> Result<Known, sqlx::Error> {
        let mut known = Known {
            year: self.clock.now().year(),
            ..Known::default()
        };
        match entity {
            Entity::Genre | Entity::Country => {}
            Entity::City => known.countries = store::known::countries(&self.pool).await?,
            Entity::Game => known.genres = store::known::genres(&self.pool).await?,
            Entity::Page | Entity::Event => {
                known.countries = store::known::countries(&self.pool).await?;
                known.gazetteer = Gazetteer::new(store::known::cities(&self.pool).await?);
            }
        }
        Ok(known)
    }
}

type Writing = Pin<Box<dyn Future<Output = Result<(), Fault>> + Send>>;

/// An import under way.
pub struct Run {
    importer: Importer,
    id: Uuid,
    header: Header,
    call: Option<Call>,
    known: Known,
    /// The first line that was not handed to the writer.
    next_line: u64,
    /// The line that the sender has to go on with; `None` before its first.
    expected: Option<u64>,
    under_way: FuturesOrdered<Writing>,
}

impl Run {
    /// Takes in the next lines, of which the first has the number `first`. Lines that were dealt with before are passed over.
    pub async fn lines(&mut self, first: u64, lines: Vec<String>) -> Result<(), Fault> {
        self.in_order(first, lines.len())?;
        let numbered: Vec<(u64, String)> = (first..)
            .zip(lines)
            .filter(|(line, _)| *line >= self.next_line)
            .collect();
        for part in numbered.chunks(CHUNK) {
            let chunk = self.prepare(part).await?;
            self.next_line = chunk.next_line;
            self.write(chunk).await?;
        }
        Ok(())
    }

    fn in_order(&mut self, first: u64, count: usize) -> Result<(), Fault> {
        let good = match self.expected {
            Some(expected) => first == expected,
            None => (1..=self.next_line).contains(&first),
        };
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        match first.checked_add(count) {
            // Line numbers are kept as bigint.
            Some(next) if good && i64::try_from(next).is_ok() => {
                self.expected = Some(next);
                Ok(())
            }
            _ => Err(Fault::invalid_field(
                "first_line",
                format!(
                    "lines are sent in order: go on with line {}",
                    self.expected.unwrap_or(self.next_line)
                ),
            )),
        }
    }

    async fn prepare(&mut self, lines: &[(u64, String)]) -> Result<Chunk, Fault> {
        let parsed = prepare::parse(lines);
        if self.header.entity == Entity::Game {
            let unknown = prepare::unknown_handles(&parsed, &self.known);
            if !unknown.is_empty() {
                let found: HashMap<String, Uuid> =
                    store::known::creators(&self.importer.pool, self.header.mode, &unknown).await?;
                self.known.creators.extend(found);
            }
        }
        let (rows, refused) = prepare::read(self.header.entity, parsed, &self.known);
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
            call: self.call.clone(),
        })
    }

    /// Hands a chunk to the writer, waiting while enough are under way.
    async fn write(&mut self, chunk: Chunk) -> Result<(), Fault> {
        while self.under_way.len() >= UNDER_WAY {
            self.written().await?;
        }
        let writer = self.importer.writer.clone();
        let mut writing: Writing = Box::pin(async move {
            writer.write(Write::Import(Box::new(chunk))).await?;
            Ok(())
        });
        // It is queued by its first poll: now, and in order, not when somebody waits for it.
        match poll!(&mut writing) {
            std::task::Poll::Ready(written) => written,
            std::task::Poll::Pending => {
                self.under_way.push_back(writing);
                Ok(())
            }
        }
    }

    async fn written(&mut self) -> Result<(), Fault> {
        match self.under_way.next().await {
            Some(written) => written,
            None => Ok(()),
        }
    }

    /// Ends the import, once all its lines were taken in: what came of the whole file, also of what an earlier run of it loaded.
    pub async fn finish(mut self) -> Result<(Counts, Vec<Refusal>), Fault> {
        while !self.under_way.is_empty() {
            self.written().await?;
        }
        let report = imports::finish(&self.importer.pool, self.id)
            .await?
            .ok_or_else(overtaken)?;
        tracing::info!(
            import = %self.id,
            entity = self.header.entity.as_str(),
            created = report.0.created,
            updated = report.0.updated,
            unchanged = report.0.unchanged,
            refused = report.0.refused,
            "import finished"
        );
        if report.0.created > 0
            && let Err(error) = imports::analyze(&self.importer.pool, self.header.entity).await
        {
            tracing::warn!(%error, "queries may be slow until PostgreSQL has looked at what was imported");
        }
        Ok(report)
    }
}

/// The import was ended by another run of it.
pub(crate) fn overtaken() -> Fault {
    Fault {
        retry_after: Some(1),
        ..Fault::new(
            Code::Unavailable,
            "another import of this very file has just finished it; import it again for a report",
        )
    }
}
