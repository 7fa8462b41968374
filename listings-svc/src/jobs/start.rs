//! What a fleet begins with: the gazetteer, and the samples that test keys see.
//!
//! Both ship in the binary and are imported at start, by
//! the code that imports files of staff; once per fleet, and not again while they are the same.

use std::time::Duration;

use kit::admin::Condition;
use kit::lease::Lease;
use kit::{Fault, Lifecycle};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use super::addresses;
use crate::SCHEMA;
use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::feed::PublicUrl;
use crate::store::start_work;
use crate::write::import::{Header, Importer};

/// A file that ships in the binary.
#[derive(Debug)]
pub struct Shipped {
    /// What its rows are.
    pub entity: Entity,
    /// Which world they belong to.
    pub mode: Mode,
    /// Where it lies, seen from the crate.
    pub name: &'static str,
    /// What it holds.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($entity:ident $mode:ident $name:literal)+) => {
        &[$(Shipped {
            entity: Entity::$entity,
            mode: Mode::$mode,
            name: $name,
            text: include_str!(concat!("../../", $name)),
        },)+]
    };
}

/// All of them; each comes after those it refers to.
pub const SHIPPED: &[Shipped] = shipped![
    Genre Live "../deploy/data/genres.ndjson"
    Country Live "../deploy/data/countries.ndjson"
    City Live "../deploy/data/cities.ndjson"
    Page Test "sample/creators.ndjson"
    Game Test "sample/games.ndjson"
    Event Test "sample/events.ndjson"
];

/// The version of what listings say on the feed. When it goes up, they are put on the feed anew, once, for the followers that heard of them
/// before. 2: they say when they were first published. 3: a page says which accounts own it.
const MESSAGE_VERSION: u32 = 3;

/// Lines handed over at once.
const LINES: usize = 1_000;
/// Pause before a start that failed is tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// Does the work of a start in the background; `loaded` is met once gazetteer and samples are there.
pub fn spawn(lifecycle: &Lifecycle, loaded: Condition, importer: Importer, addresses: PublicUrl) {
    let stopping = lifecycle.stopping();
    lifecycle.spawn(async move {
        let said = format!("{} {MESSAGE_VERSION}", addresses.as_str());
        // An empty database has nothing whose address could be another: that is noted before there is.
        if matches!(
            start_work::input(importer.pool(), Work::Move.name()).await,
            Ok(None)
        ) {
            once(&importer, Work::Move, &said, &stopping).await;
        }
        once(&importer, Work::Load, &digest(), &stopping).await;
        if stopping.is_cancelled() {
            return;
        }
        loaded.set(true);
        once(&importer, Work::Move, &said, &stopping).await;
    });
}

/// Work that is done once for each input.
#[derive(Debug, Clone, Copy)]
enum Work {
    /// Gazetteer and samples.
    Load,
    /// What listings say on the feed: the addresses of their public pages, in the form of this version.
    Move,
}

impl Work {
    const fn name(self) -> &'static str {
        match self {
            Self::Load => "gazetteer and samples",
            Self::Move => "public addresses",
        }
    }

    async fn run(self, importer: &Importer) -> Result<(), Fault> {
        match self {
            Self::Load => load(importer).await,
            Self::Move => addresses::move_all(importer).await,
        }
    }
}

/// Sees to it that work was done with this input: by this process, or by another that holds the lease. `stopping` breaks it off.
async fn once(importer: &Importer, work: Work, input: &str, stopping: &CancellationToken) {
    // Most starts find it done, and need no lease.
    if is_done(importer, work, input).await.unwrap_or(false) {
        return;
    }
    let (pool, clock) = (importer.pool().clone(), importer.clock().clone());
    let lease = Lease::new(pool, SCHEMA, work.name(), clock);
    let until_done = || async move {
        while let Err(fault) = attempt(importer, work, input).await {
            tracing::warn!(work = work.name(), %fault, "work at start is tried again");
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    };
    if let Err(error) = lease.run(stopping.clone(), until_done).await {
        tracing::error!(work = work.name(), %error, "work at start was not done");
    }
}

async fn is_done(importer: &Importer, work: Work, input: &str) -> Result<bool, Fault> {
    let done = start_work::input(importer.pool(), work.name()).await?;
    Ok(done.as_deref() == Some(input))
}

async fn attempt(importer: &Importer, work: Work, input: &str) -> Result<(), Fault> {
    if is_done(importer, work, input).await? {
        return Ok(());
    }
    work.run(importer).await?;
    let now = importer.clock().now();
    start_work::done(importer.pool(), work.name(), input, now).await?;
    tracing::info!(work = work.name(), "work at start is done");
    Ok(())
}

/// Imports what ships.
pub async fn load(importer: &Importer) -> Result<(), Fault> {
    for file in SHIPPED {
        let header = Header {
            entity: file.entity,
            mode: file.mode,
            sha256: hex::encode(Sha256::digest(file.text)),
            file_name: file.name.to_owned(),
            announce: false,
            by: None,
        };
        let mut run = importer.begin(header).await?;
        let lines: Vec<String> = file.text.lines().map(ToOwned::to_owned).collect();
        let mut first = 1;
        for part in lines.chunks(LINES) {
            run.lines(first, part.to_vec()).await?;
            first += u64::try_from(part.len()).unwrap_or(u64::MAX);
        }
        let (_, refused) = run.finish().await?;
        for row in refused {
            tracing::error!(file = file.name, line = row.line, fields = ?row.fields, "a row that ships is refused");
        }
    }
    Ok(())
}

/// What tells one state of the shipped files from another.
fn digest() -> String {
    let mut digest = Sha256::new();
    for file in SHIPPED {
        digest.update(file.name);
        digest.update(file.text);
    }
    hex::encode(digest.finalize())
}
