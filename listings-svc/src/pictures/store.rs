//! Where the files lie: a folder, or a bucket that speaks S3.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use kit::Fault;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{Error, GetOptions, ObjectStore, ObjectStoreExt as _, RetryConfig};
use tokio::time::timeout;

use super::http::Connector;
use crate::config::{self, Place};
use crate::domain::picture::Name;

/// How long the store may take for one thing, with what is tried again.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often a request is tried again.
const TRIES: usize = 3;
/// Bytes of a part at most.
const PART: u64 = 1024 * 1024;

/// The store of all files.
#[derive(Debug, Clone)]
pub struct Store {
    objects: Arc<dyn ObjectStore>,
    prefix: Path,
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Of the whole file.
    pub size: u64,
    /// Empty behind the end.
    pub bytes: Bytes,
}

impl Store {
    /// The store that the settings name.
    ///
    /// # Errors
    /// The folder cannot be made, or there is something wrong with the settings of the bucket.
    pub fn open(settings: &config::Pictures) -> anyhow::Result<Self> {
        match &settings.pictures {
            Place::Folder(folder) => {
                let shown = folder.display();
                std::fs::create_dir_all(folder)
                    .with_context(|| format!("pictures: {shown} cannot be made"))?;
                let objects = LocalFileSystem::new_with_prefix(folder)
                    .with_context(|| format!("pictures: {shown} cannot be used"))?
                    .with_fsync(true);
                Ok(Self {
                    objects: Arc::new(objects),
                    prefix: Path::default(),
                })
            }
            Place::Bucket { bucket, prefix } => {
                let objects = bucket_of(settings, bucket)?;
                Ok(Self {
                    objects: Arc::new(objects),
                    prefix: Path::from(prefix.as_str()),
                })
            }
        }
    }

    /// Writes a file: all of it or nothing. The same again leaves it as it was.
    pub async fn put(&self, name: &Name, bytes: Bytes) -> Result<(), Fault> {
        let put = async {
            let path = self.path(name);
            self.objects.put(&path, bytes.into()).await
        };
        within(put).await.map(|_| ()).map_err(|error| away(&error))
    }

    /// A part of a file; `None` when there is no such file.
    pub async fn part(&self, name: &Name, offset: u64, most: u64) -> Result<Option<Part>, Fault> {
        let path = self.path(name);
        let most = most.min(PART);
        if most > 0 {
            let range = offset..offset.saturating_add(most);
            let got = within(async {
                let options = GetOptions::new().with_range(Some(range));
                let got = self.objects.get_opts(&path, options).await?;
                let size = got.meta.size;
                let bytes = got.bytes().await?;
                Ok(Part { size, bytes })
            });
            match got.await {
                Ok(part) => return Ok(Some(part)),
                Err(Error::NotFound { .. }) => return Ok(None),
                // Nothing begins behind the end, which some stores say in one way and some in another.
                Err(error) if offset == 0 => return Err(away(&error)),
                Err(_) => {}
            }
        }
        match within(self.objects.head(&path)).await {
            Ok(meta) if most == 0 || offset >= meta.size => Ok(Some(Part {
                size: meta.size,
                bytes: Bytes::new(),
            })),
            Ok(_) => Err(Fault::unavailable("the store of pictures")),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(away(&error)),
        }
    }

    /// Removes a file, if there is one.
    pub async fn remove(&self, name: &Name) -> Result<(), Fault> {
        let path = self.path(name);
        match within(self.objects.delete(&path)).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(away(&error)),
        }
    }

    fn path(&self, name: &Name) -> Path {
        let path = Path::from(name.path());
        self.prefix.parts().chain(path.parts()).collect()
    }
}

fn bucket_of(
    settings: &config::Pictures,
    bucket: &str,
) -> anyhow::Result<object_store::aws::AmazonS3> {
    let retry = RetryConfig {
        max_retries: TRIES,
        retry_timeout: PATIENCE,
        ..RetryConfig::default()
    };
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(bucket)
        .with_region(&settings.pictures_region)
        .with_retry(retry)
        .with_http_connector(Connector::new()?);
    if let Some(endpoint) = &settings.pictures_endpoint {
        builder = builder
            .with_endpoint(endpoint)
            .with_allow_http(endpoint.starts_with("http://"));
    }
    if let (Some(id), Some(secret)) = (&settings.pictures_key_id, &settings.pictures_secret) {
        builder = builder
            .with_access_key_id(id)
            .with_secret_access_key(secret.expose());
    }
    builder
        .build()
        .context("pictures: the bucket cannot be used with these settings")
}

async fn within<T>(
    asked: impl Future<Output = object_store::Result<T>>,
) -> object_store::Result<T> {
    timeout(PATIENCE, asked).await.unwrap_or_else(|late| {
        Err(Error::Generic {
            store: "pictures",
            source: Box::new(late),
        })
    })
}

fn away(error: &Error) -> Fault {
    tracing::warn!(%error, "the store of pictures does not do what it is asked for");
    Fault::unavailable("the store of pictures")
}
