//! Imports the bundled files at start: the gazetteer, and the samples that test keys see.
//!
//! The files are part of the binary. The importer of staff's files loads them, once per fleet, and again only after a newer build bundles
//! other files. In a rollout, or after a rollback, an older build leaves alone what a newer one has done.

use std::sync::Arc;
use std::time::Duration;

use kit::admin::Condition;
use kit::jobs::Lease;
use kit::{Clock, Fault, Lifecycle};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use super::republish;
use crate::SCHEMA;
use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::feed::PublicUrl;
use crate::store::startup_tasks::{self, TaskInput};
use crate::write::CommandDependencies;
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

/// Version of the bundled files. Raise it with every change of them.
const BUNDLED_VERSION: i32 = 1;
/// Digest of the bundled files of [`BUNDLED_VERSION`].
const BUNDLED_DIGEST: &str = "c957fd09f4a349c228cad6f212376afd4d858e41201a889424b11ede7f4c15de";

/// Version of the feed messages of listings. A new version republishes every listing once, for followers that have the old messages.
const MESSAGE_VERSION: i32 = 1;

/// The input of a task that is still to be done; no other input is the same.
const DUE: &str = "due";

/// Lines per call of the importer.
const LINES_PER_BATCH: usize = 1_000;
/// After this time, a rollout has stopped the replicas of the earlier deployment.
const ROLLOUT: Duration = Duration::from_mins(10);
/// Delay before a failed task is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The startup tasks of a replica, with what they need.
#[derive(Debug, Clone)]
pub struct Tasks {
    pub pool: PgPool,
    pub clock: Clock,
    pub commands: Arc<CommandDependencies>,
    pub importer: Importer,
    pub public_url: PublicUrl,
}

impl Tasks {
    /// Runs the tasks in the background, and meets `loaded` once the bundled files are imported.
    pub fn spawn(self, lifecycle: &Lifecycle, loaded: Condition) {
        let stopping = lifecycle.stopping();
        lifecycle.spawn(async move {
            self.run(&stopping, &loaded).await;
            self.run_after_rollout(&stopping).await;
        });
    }

    /// Runs the tasks that do not wait for the end of a rollout.
    pub async fn run(&self, stopping: &CancellationToken, loaded: &Condition) {
        let import = StartupTask {
            kind: TaskKind::ImportBundled,
            input: TaskInput {
                version: BUNDLED_VERSION,
                input: BUNDLED_DIGEST.to_owned(),
            },
        };
        let republish = StartupTask::republish(TaskKind::Republish, &self.public_url);
        // An empty database has no listing with an old URL. Records the tasks as done before the import adds listings.
        let republished = startup_tasks::last_input(&self.pool, republish.kind.name()).await;
        if matches!(republished, Ok(None)) {
            republish.run_once(self, stopping).await;
            let again = StartupTask::republish(TaskKind::RepublishAfterRollout, &self.public_url);
            again.run_once(self, stopping).await;
        }
        import.run_once(self, stopping).await;
        if stopping.is_cancelled() {
            return;
        }
        loaded.set(true);
        republish.run_once(self, stopping).await;
    }

    /// Republishes all listings again after a rollout with another public URL: until a replica of the earlier deployment is stopped, its
    /// writes have the earlier URL.
    pub async fn run_after_rollout(&self, stopping: &CancellationToken) {
        let again = StartupTask::republish(TaskKind::RepublishAfterRollout, &self.public_url);
        if again.is_done(&self.pool).await.unwrap_or(false) {
            return;
        }
        tokio::select! {
            () = stopping.cancelled() => {}
            () = self.clock.sleep(ROLLOUT) => again.run_once(self, stopping).await,
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum TaskKind {
    /// Imports the gazetteer and the samples.
    ImportBundled,
    /// Republishes all listings when the public URL or the version of the messages changes.
    Republish,
    /// Does it again, once replicas with the earlier URL are stopped.
    RepublishAfterRollout,
}

impl TaskKind {
    const fn name(self) -> &'static str {
        match self {
            Self::ImportBundled => "gazetteer and samples",
            Self::Republish => "public addresses",
            Self::RepublishAfterRollout => "public addresses after a rollout",
        }
    }

    async fn run(self, tasks: &Tasks) -> Result<(), Fault> {
        match self {
            Self::ImportBundled => import_bundled_files(&tasks.importer).await,
            Self::Republish => {
                // It was done after an earlier rollout, which may have had the same URL: a rollback is a rollout, too.
                let due = TaskInput {
                    version: MESSAGE_VERSION,
                    input: DUE.to_owned(),
                };
                let name = Self::RepublishAfterRollout.name();
                let now = tasks.clock.now();
                startup_tasks::set_done(&tasks.pool, name, &due, now).await?;
                republish::run(&tasks.commands).await
            }
            Self::RepublishAfterRollout => republish::run(&tasks.commands).await,
        }
    }
}

/// A task that runs once per input.
#[derive(Debug)]
struct StartupTask {
    kind: TaskKind,
    input: TaskInput,
}

impl StartupTask {
    fn republish(kind: TaskKind, public_url: &PublicUrl) -> Self {
        Self {
            kind,
            input: TaskInput {
                version: MESSAGE_VERSION,
                input: format!("{} {MESSAGE_VERSION}", public_url.as_str()),
            },
        }
    }

    /// Runs the task unless it was done with this input or by a newer version. One replica runs it; the others wait. It
    /// has a lease of its own: in a rollout, the leader may be a replica of an older version, which does not know the input.
    /// `stopping` cancels it.
    async fn run_once(&self, tasks: &Tasks, stopping: &CancellationToken) {
        // Most starts find the task done, and need no lease.
        if self.is_done(&tasks.pool).await.unwrap_or(false) {
            return;
        }
        let name = self.kind.name();
        let lease = Lease::new(tasks.pool.clone(), SCHEMA, name, tasks.clock.clone());
        let run_until_done = async || {
            while let Err(fault) = self.attempt(tasks).await {
                tracing::warn!(task = name, %fault, "a startup task failed and is tried again");
                tokio::time::sleep(RETRY_DELAY).await;
            }
        };
        lease.run(stopping, run_until_done).await;
    }

    /// A newer version may have done it with another input, which this version would undo.
    async fn is_done(&self, pool: &PgPool) -> Result<bool, Fault> {
        let done = startup_tasks::last_input(pool, self.kind.name()).await?;
        Ok(done.is_some_and(|done| done.version > self.input.version || done == self.input))
    }

    async fn attempt(&self, tasks: &Tasks) -> Result<(), Fault> {
        if self.is_done(&tasks.pool).await? {
            return Ok(());
        }
        self.kind.run(tasks).await?;
        let name = self.kind.name();
        let now = tasks.clock.now();
        startup_tasks::set_done(&tasks.pool, name, &self.input, now).await?;
        tracing::info!(task = name, "a startup task is done");
        Ok(())
    }
}

pub async fn import_bundled_files(importer: &Importer) -> Result<(), Fault> {
    for file in BUNDLED_FILES {
        let header = Header {
            entity: file.entity,
            mode: file.mode,
            file_name: file.name.to_owned(),
            by: None,
        };
        let mut run = importer.begin(header).await?;
        let lines: Vec<String> = file.text.lines().map(ToOwned::to_owned).collect();
        for part in lines.chunks(LINES_PER_BATCH) {
            run.push_lines(part.to_vec()).await?;
        }
        for row in run.finish().await.refused {
            tracing::error!(file = file.name, line = row.line, fields = ?row.fields, "a row of a bundled file is refused");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn the_version_of_the_bundled_files_rises_with_every_change() {
        let mut digest = Sha256::new();
        for file in BUNDLED_FILES {
            digest.update(file.name);
            digest.update(file.text);
        }
        assert_eq!(
            hex::encode(digest.finalize()),
            BUNDLED_DIGEST,
            "raise BUNDLED_VERSION by one and set BUNDLED_DIGEST to the digest on the left"
        );
    }
}
