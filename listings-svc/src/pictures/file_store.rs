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

use super::http_client::Connector;
use crate::config::{self, PictureLocation};
use crate::domain::picture::FileName;

/// How long the store may take for one thing, with what is tried again.
const TIMEOUT: Duration = Duration::from_secs(20);
/// How often a request is tried again.
const MAX_RETRIES: usize = 3;
/// Bytes of a part at most.
const MAX_PART_BYTES: u64 = 1024 * 1024;

/// The store of all files.
#[derive(Debug, Clone)]
pub struct FileStore {
    objects: Arc<dyn ObjectStore>,
    prefix: Path,
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePart {
    /// Of the whole file.
    pub size: u64,
    /// Empty behind the end.
    pub bytes: Bytes,
}

impl FileStore {
    /// The store that the settings name.
    ///
    /// # Errors
    /// The folder cannot be made, or there is something wrong with the settings of the bucket.
    pub fn open(settings: &config::PictureSettings) -> anyhow::Result<Self> {
        match &settings.pictures {
            PictureLocation::Folder(folder) => {
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
            PictureLocation::Bucket { bucket, prefix } => {
                let objects = bucket_of(settings, bucket)?;
                Ok(Self {
                    objects: Arc::new(objects),
                    prefix: Path::from(prefix.as_str()),
                })
            }
        }
    }

    /// Writes a file: all of it or nothing. The same again leaves it as it was.
    pub async fn put(&self, name: &FileName, bytes: Bytes) -> Result<(), Fault> {
        let put = async {
            let path = self.path(name);
            self.objects.put(&path, bytes.into()).await
        };
        with_timeout(put)
            .await
            .map(|_| ())
            .map_err(|error| store_failed(&error))
    }

    /// A part of a file; `None` when there is no such file.
    pub async fn part(
        &self,
        name: &FileName,
        offset: u64,
        max_bytes: u64,
    ) -> Result<Option<FilePart>, Fault> {
        let path = self.path(name);
        let max_bytes = max_bytes.min(MAX_PART_BYTES);
        if max_bytes > 0 {
            let range = offset..offset.saturating_add(max_bytes);
            let got = with_timeout(async {
                let options = GetOptions::new().with_range(Some(range));
                let got = self.objects.get_opts(&path, options).await?;
                let size = got.meta.size;
                let bytes = got.bytes().await?;
                Ok(FilePart { size, bytes })
            });
            match got.await {
                Ok(part) => return Ok(Some(part)),
                Err(Error::NotFound { .. }) => return Ok(None),
                // Nothing begins behind the end, which some stores say in one way and some in another.
                Err(error) if offset == 0 => return Err(store_failed(&error)),
                Err(_) => {}
            }
        }
        match with_timeout(self.objects.head(&path)).await {
            Ok(meta) if max_bytes == 0 || offset >= meta.size => Ok(Some(FilePart {
                size: meta.size,
                bytes: Bytes::new(),
            })),
            Ok(_) => Err(Fault::unavailable("the store of pictures")),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(store_failed(&error)),
        }
    }

    /// Removes a file, if there is one.
    pub async fn remove(&self, name: &FileName) -> Result<(), Fault> {
        let path = self.path(name);
        match with_timeout(self.objects.delete(&path)).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(store_failed(&error)),
        }
    }

    fn path(&self, name: &FileName) -> Path {
        let path = Path::from(name.path());
        self.prefix.parts().chain(path.parts()).collect()
    }
}

fn bucket_of(
    settings: &config::PictureSettings,
    bucket: &str,
) -> anyhow::Result<object_store::aws::AmazonS3> {
    let retry = RetryConfig {
        max_retries: MAX_RETRIES,
        retry_timeout: TIMEOUT,
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

async fn with_timeout<T>(
    request: impl Future<Output = object_store::Result<T>>,
) -> object_store::Result<T> {
    timeout(TIMEOUT, request).await.unwrap_or_else(|late| {
        Err(Error::Generic {
            store: "pictures",
            source: Box::new(late),
        })
    })
}

fn store_failed(error: &Error) -> Fault {
    tracing::warn!(%error, "the store of pictures does not do what it is asked for");
    Fault::unavailable("the store of pictures")
}
