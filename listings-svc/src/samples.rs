//! The bundled samples, which test keys see.
//!
//! `listings-svc migrate` loads them, once a release and only forward: the table `sample_release`
//! has the number of the samples that were loaded last. What staff import with `--mode test`
//! therefore lasts until a release with a higher number, and an older release changes nothing.

use std::sync::Arc;

use anyhow::Context as _;
use kit::clock::Clock;
use kit::feed::Producer;
use sqlx::PgPool;

use crate::SCHEMA;
use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::feed::PublicUrl;
use crate::store::sample_release;
use crate::write::CommandDependencies;
use crate::write::import::{Header, Importer};

/// The number of the samples. Raise it with each change of [`SAMPLE_FILES`].
pub const NUMBER: i32 = 1;

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
            text: include_str!(concat!("../", $name)),
        },)+]
    };
}

/// Every file, each after the files that it refers to.
pub const SAMPLE_FILES: &[SampleFile] = sample_files![
    Page "sample/creators.ndjson"
    Game "sample/games.ndjson"
    Event "sample/events.ndjson"
];

/// Loads the samples, unless the database has these or those of a later release. If several
/// processes do this concurrently, one loads the samples and the others wait for it.
///
/// A row that is refused stops no other: the log names its line and its fields.
///
/// # Errors
/// The database cannot be written. What was loaded stays, and the next call loads all of it again.
pub async fn load(pool: PgPool) -> anyhow::Result<()> {
    let clock = Clock::system();
    let commands = CommandDependencies {
        producer: Producer::without_tasks(pool.clone(), SCHEMA, clock.clone()),
        // No sample has an uploaded picture.
        public_url: PublicUrl::new(""),
        max_pending: 0,
    };
    let importer = Importer::new(pool.clone(), Arc::new(commands), clock);
    let mut release = kit::pg::begin(&pool).await?;
    let loaded = sample_release::lock(&mut release).await?;
    if loaded >= NUMBER {
        tracing::info!(loaded, own = NUMBER, "the samples stay as they are");
        return Ok(());
    }
    for file in SAMPLE_FILES {
        import(&importer, file).await.with_context(|| {
            format!("the samples of this release are not loaded ({}); the log says more", file.name)
        })?;
    }
    sample_release::set(&mut release, NUMBER).await?;
    release.commit().await?;
    tracing::info!(before = loaded, number = NUMBER, "the samples are loaded");
    Ok(())
}

async fn import(importer: &Importer, file: &SampleFile) -> anyhow::Result<()> {
    let header =
        Header { entity: file.entity, mode: Mode::Test, file_name: file.name.to_owned(), by: None };
    let mut run = importer.begin(header);
    run.push_lines(file.text.lines().map(ToOwned::to_owned).collect()).await?;
    for row in run.finish().await.refused {
        let (line, name, fields) = (row.line, row.name, row.fields);
        tracing::error!(file = file.name, line, name, ?fields, "a row of a sample file is refused");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    /// The SHA-256 of [`NUMBER`] and of the files.
    const HASH: &str = "303cfcc339f663d942d80f3a69ca4a22d5ddd27637e5a451ef80cd1ee6d1baef";

    #[test]
    fn other_files_have_a_higher_number() {
        let mut hash = Sha256::new_with_prefix(NUMBER.to_be_bytes());
        for file in SAMPLE_FILES {
            hash.update(file.name);
            hash.update(file.text);
        }
        let hash = hex::encode(hash.finalize());
        assert_eq!(hash, HASH, "raise NUMBER, then set HASH: a fleet loads each number once");
    }
}
