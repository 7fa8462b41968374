//! Imports the samples at start, which test keys see.
//!
//! The files are part of the binary. Each start imports them, by the importer of staff's files: a row that exists as it is in the file is not
//! written, and of several replicas one at a time writes. The newest start decides, so that a rollback has the samples of its version.

use std::time::Duration;

use kit::admin::Condition;
use kit::{Fault, Lifecycle};

use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::write::import::{Header, Importer};

#[derive(Debug)]
pub struct SampleFile {
    pub entity: Entity,
    /// Path relative to the crate.
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! sample_files {
    ($($entity:ident $name:literal)+) => {
        &[$(SampleFile {
            entity: Entity::$entity,
            name: $name,
            text: include_str!(concat!("../../", $name)),
        },)+]
    };
}

/// Every file, each after the files that it refers to.
pub const SAMPLE_FILES: &[SampleFile] = sample_files![
    Page "sample/creators.ndjson"
    Game "sample/games.ndjson"
    Event "sample/events.ndjson"
];

/// Delay before a failed import is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Imports the samples in the background, and then meets `loaded`.
pub fn spawn(importer: Importer, lifecycle: &Lifecycle, loaded: Condition) {
    let stopping = lifecycle.stopping();
    lifecycle.spawn(async move {
        let importing = async {
            while let Err(fault) = import(&importer).await {
                tracing::warn!(%fault, "the samples are not imported; trying again");
                tokio::time::sleep(RETRY_DELAY).await;
            }
            loaded.set(true);
        };
        tokio::select! {
            () = importing => {}
            () = stopping.cancelled() => {}
        }
    });
}

pub async fn import(importer: &Importer) -> Result<(), Fault> {
    for file in SAMPLE_FILES {
        let header = Header {
            entity: file.entity,
            mode: Mode::Test,
            file_name: file.name.to_owned(),
            by: None,
        };
        let mut run = importer.begin(header);
        run.push_lines(file.text.lines().map(ToOwned::to_owned).collect()).await?;
        for row in run.finish().await.refused {
            tracing::error!(file = file.name, line = row.line, fields = ?row.fields, "a row of a sample file is refused");
        }
    }
    Ok(())
}
