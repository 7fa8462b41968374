//! Imports the bundled files at start: the gazetteer, and the samples that test keys see.
//!
//! The files are part of the binary. The importer of staff's files loads them, once per fleet, and again only after a build bundles other
//! files.

use std::time::Duration;

use kit::admin::Condition;
use kit::lease::Lease;
use kit::{Fault, Lifecycle};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use super::republish;
use crate::SCHEMA;
use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::feed::PublicUrl;
use crate::store::startup_tasks;
use crate::write::import::{Header, Importer};

#[derive(Debug)]
pub struct BundledFile {
    pub entity: Entity,
    pub mode: Mode,
    /// Path relative to the crate.
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! bundled_files {
    ($($entity:ident $mode:ident $name:literal)+) => {
        &[$(BundledFile {
            entity: Entity::$entity,
            mode: Mode::$mode,
            name: $name,
            text: include_str!(concat!("../../", $name)),
        },)+]
    };
}

/// Every file, each after the files that it refers to.
pub const BUNDLED_FILES: &[BundledFile] = bundled_files![
    Genre Live "../deploy/data/genres.ndjson"
    Country Live "../deploy/data/countries.ndjson"
    City Live "../deploy/data/cities.ndjson"
    Page Test "sample/creators.ndjson"
    Game Test "sample/games.ndjson"
    Event Test "sample/events.ndjson"
];

/// Version of the feed messages of listings. A new version republishes every listing once, for followers that have the old messages. 2:
/// adds `first_published_at`. 3: adds the owners of a page. 4: adds `visible`.
const MESSAGE_VERSION: u32 = 4;

/// Lines per call of the importer.
const LINES_PER_BATCH: usize = 1_000;
/// Delay before a failed task is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Runs the startup tasks in the background, and meets `loaded` once the bundled files are imported.
pub fn spawn(lifecycle: &Lifecycle, loaded: Condition, importer: Importer, public_url: PublicUrl) {
    let stopping = lifecycle.stopping();
    lifecycle.spawn(async move {
        let republish_input = format!("{} {MESSAGE_VERSION}", public_url.as_str());
        // An empty database has no listing with an old URL. Records the task as done before the import adds listings.
        if matches!(
            startup_tasks::last_input(importer.pool(), StartupTask::Republish.name()).await,
            Ok(None)
        ) {
            run_once(
                &importer,
                StartupTask::Republish,
                &republish_input,
                &stopping,
            )
            .await;
        }
        run_once(&importer, StartupTask::ImportBundled, &digest(), &stopping).await;
        if stopping.is_cancelled() {
            return;
        }
        loaded.set(true);
        run_once(
            &importer,
            StartupTask::Republish,
            &republish_input,
            &stopping,
        )
        .await;
    });
}

/// A task that runs once per input.
#[derive(Debug, Clone, Copy)]
enum StartupTask {
    /// Imports the gazetteer and the samples.
    ImportBundled,
    /// Republishes all listings when the public URL or the version of the messages changes.
    Republish,
}

impl StartupTask {
    const fn name(self) -> &'static str {
        match self {
            Self::ImportBundled => "gazetteer and samples",
            Self::Republish => "public addresses",
        }
    }

    async fn run(self, importer: &Importer) -> Result<(), Fault> {
        match self {
            Self::ImportBundled => import_bundled_files(importer).await,
            Self::Republish => republish::run(importer).await,
        }
    }
}

/// Runs a task unless it was done with this input. The replica that holds the lease runs it; the others wait. `stopping` cancels it.
async fn run_once(
    importer: &Importer,
    task: StartupTask,
    input: &str,
    stopping: &CancellationToken,
) {
    // Most starts find the task done, and need no lease.
    if is_done(importer, task, input).await.unwrap_or(false) {
        return;
    }
    let (pool, clock) = (importer.pool().clone(), importer.clock().clone());
    let lease = Lease::new(pool, SCHEMA, task.name(), clock);
    let run_until_done = || async move {
        while let Err(fault) = attempt(importer, task, input).await {
            tracing::warn!(task = task.name(), %fault, "a startup task failed and is tried again");
            tokio::time::sleep(RETRY_DELAY).await;
        }
        Ok(())
    };
    if let Err(error) = lease.run(stopping.clone(), run_until_done).await {
        tracing::error!(task = task.name(), %error, "a startup task was not done");
    }
}

async fn is_done(importer: &Importer, task: StartupTask, input: &str) -> Result<bool, Fault> {
    let done = startup_tasks::last_input(importer.pool(), task.name()).await?;
    Ok(done.as_deref() == Some(input))
}

async fn attempt(importer: &Importer, task: StartupTask, input: &str) -> Result<(), Fault> {
    if is_done(importer, task, input).await? {
        return Ok(());
    }
    task.run(importer).await?;
    let now = importer.clock().now();
    startup_tasks::set_done(importer.pool(), task.name(), input, now).await?;
    tracing::info!(task = task.name(), "a startup task is done");
    Ok(())
}

pub async fn import_bundled_files(importer: &Importer) -> Result<(), Fault> {
    for file in BUNDLED_FILES {
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
        for part in lines.chunks(LINES_PER_BATCH) {
            run.push_lines(first, part.to_vec()).await?;
            first += u64::try_from(part.len()).unwrap_or(u64::MAX);
        }
        let (_, refused) = run.finish().await?;
        for row in refused {
            tracing::error!(file = file.name, line = row.line, fields = ?row.fields, "a row of a bundled file is refused");
        }
    }
    Ok(())
}

/// Identifies the contents of the bundled files.
fn digest() -> String {
    let mut digest = Sha256::new();
    for file in BUNDLED_FILES {
        digest.update(file.name);
        digest.update(file.text);
    }
    hex::encode(digest.finalize())
}
