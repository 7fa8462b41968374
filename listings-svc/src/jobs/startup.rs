//! Imports the samples at start, which test keys see.
//!
//! The files are part of the binary. The importer of staff's files loads them, once per fleet, and again only after a newer build bundles
//! other files. In a rollout, or after a rollback, an older build leaves alone what a newer one has done.

use std::time::Duration;

use kit::admin::Condition;
use kit::jobs::Lease;
use kit::{Clock, Fault, Lifecycle};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::SCHEMA;
use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::store::startup_tasks::{self, TaskInput};
use crate::write::import::{Header, Importer};

#[derive(Debug)]
pub struct BundledFile {
    pub entity: Entity,
    /// Path relative to the crate.
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! bundled_files {
    ($($entity:ident $name:literal)+) => {
        &[$(BundledFile {
            entity: Entity::$entity,
            name: $name,
            text: include_str!(concat!("../../", $name)),
        },)+]
    };
}

/// Every file, each after the files that it refers to.
pub const BUNDLED_FILES: &[BundledFile] = bundled_files![
    Page "sample/creators.ndjson"
    Game "sample/games.ndjson"
    Event "sample/events.ndjson"
];

/// Version of the bundled files. Raise it with every change of them.
const BUNDLED_VERSION: i32 = 1;
/// Digest of the bundled files of [`BUNDLED_VERSION`].
const BUNDLED_DIGEST: &str = "784bbace592a80592379aebbbbdc6edad5de38860b3083ea7b52d4cd9eefbeed";

/// Name of the task, in its table and its lease.
const TASK: &str = "samples";
/// Lines per call of the importer.
const LINES_PER_BATCH: usize = 1_000;
/// Delay before a failed task is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The import of the bundled files at the start of a replica.
#[derive(Debug, Clone)]
pub struct BundledImport {
    pub pool: PgPool,
    pub clock: Clock,
    pub importer: Importer,
}

impl BundledImport {
    /// Imports the files in the background, unless it was done, and then meets `loaded`.
    pub fn spawn(self, lifecycle: &Lifecycle, loaded: Condition) {
        let stopping = lifecycle.stopping();
        lifecycle.spawn(async move {
            self.run_once(&stopping).await;
            if !stopping.is_cancelled() {
                loaded.set(true);
            }
        });
    }

    /// Imports the files unless it was done with them or by a newer version. One replica does it; the others wait. It has a lease of its own:
    /// in a rollout, the leader may be a replica of an older version, which does not have these files. `stopping` cancels it.
    pub async fn run_once(&self, stopping: &CancellationToken) {
        // Most starts find it done, and need no lease.
        if self.is_done().await.unwrap_or(false) {
            return;
        }
        let lease = Lease::new(self.pool.clone(), SCHEMA, TASK, self.clock.clone());
        let run_until_done = async || {
            while let Err(fault) = self.attempt().await {
                tracing::warn!(task = TASK, %fault, "a startup task failed and is tried again");
                tokio::time::sleep(RETRY_DELAY).await;
            }
        };
        lease.run(stopping, run_until_done).await;
    }

    /// A newer version may have imported other files, which this version would undo.
    async fn is_done(&self) -> Result<bool, Fault> {
        let done = startup_tasks::last_input(&self.pool, TASK).await?;
        let this = input();
        Ok(done.is_some_and(|done| done.version > this.version || done == this))
    }

    async fn attempt(&self) -> Result<(), Fault> {
        if self.is_done().await? {
            return Ok(());
        }
        import_bundled_files(&self.importer).await?;
        startup_tasks::set_done(&self.pool, TASK, &input(), self.clock.now()).await?;
        tracing::info!(task = TASK, "a startup task is done");
        Ok(())
    }
}

fn input() -> TaskInput {
    TaskInput {
        version: BUNDLED_VERSION,
        input: BUNDLED_DIGEST.to_owned(),
    }
}

pub async fn import_bundled_files(importer: &Importer) -> Result<(), Fault> {
    for file in BUNDLED_FILES {
        let header = Header {
            entity: file.entity,
            mode: Mode::Test,
            file_name: file.name.to_owned(),
            by: None,
        };
        let mut run = importer.begin(header);
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
