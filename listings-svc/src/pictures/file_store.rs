//! Stores picture files in a folder, or in a bucket with the S3 API.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use kit::{Fault, ids};
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{Error, GetOptions, ObjectStore, ObjectStoreExt as _, RetryConfig};
use tokio::time::timeout;

use super::http_client::Connector;
use crate::config::{self, PictureLocation};
use crate::domain::pictures::FileName;

const MAX_RETRIES: usize = 3;
const MAX_PART_BYTES: u64 = 1024 * 1024;

#[derive(Debug, Clone)]
pub struct FileStore {
    objects: Arc<dyn ObjectStore>,
    prefix: Path,
    /// How long one operation may take, with its retries.
    deadline: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePart {
    /// Size of the whole file, in bytes.
    pub size: u64,
    /// Empty when the offset is past the end of the file.
    pub bytes: Bytes,
}

impl FileStore {
    /// Opens the store that the settings name.
    ///
    /// # Errors
    /// The folder cannot be created or written, or the settings of the bucket are invalid.
    pub fn open(settings: &config::PictureSettings) -> anyhow::Result<Self> {
        match &settings.pictures {
            PictureLocation::Folder(folder) => {
                let shown = folder.display();
                std::fs::create_dir_all(folder)
                    .with_context(|| format!("pictures: the folder {shown} cannot be created"))?;
                // Otherwise each upload would fail.
                let trial = folder.join(format!(".trial-{}", ids::row_id().simple()));
                std::fs::write(&trial, b"")
                    .and_then(|()| std::fs::remove_file(&trial))
                    .with_context(|| {
                        format!("pictures: no file can be written in the folder {shown}")
                    })?;
                let objects = LocalFileSystem::new_with_prefix(folder)
                    .with_context(|| format!("pictures: the folder {shown} cannot be used"))?
                    .with_fsync(true);
                Ok(Self {
                    objects: Arc::new(objects),
                    prefix: Path::default(),
                    deadline: settings.pictures_deadline,
                })
            }
            PictureLocation::Bucket { bucket, prefix } => {
                let objects = bucket_of(settings, bucket)?;
                Ok(Self {
                    objects: Arc::new(objects),
                    prefix: Path::from(prefix.as_str()),
                    deadline: settings.pictures_deadline,
                })
            }
        }
    }

    /// Writes and deletes a trial object, because each upload would fail in a bucket that refuses it. While a bucket does not answer, only
    /// pictures are unavailable: the service starts.
    ///
    /// # Errors
    /// The bucket does not exist, or refuses the object.
    pub async fn try_write(&self) -> anyhow::Result<()> {
        let name = format!("trial-{}", ids::row_id().simple());
        let path: Path = self.prefix.parts().chain([name.into()]).collect();
        let trial = async {
            self.objects.put(&path, Bytes::new().into()).await?;
            self.objects.delete(&path).await
        };
        match self.in_time(trial).await {
            Ok(()) => Ok(()),
            Err(
                error @ (Error::NotFound { .. }
                | Error::PermissionDenied { .. }
                | Error::Unauthenticated { .. }),
            ) => Err(error).context(
                "pictures: no file can be written in the bucket; check pictures, pictures_region, pictures_key_id and pictures_secret",
            ),
            Err(error) => {
                tracing::error!(%error, "the picture store does not take a trial file: uploads may fail");
                Ok(())
            }
        }
    }

    /// Writes a file atomically. Writing the same file again has no effect.
    pub async fn put(&self, name: &FileName, bytes: Bytes) -> Result<(), Fault> {
        let put = async {
            let path = self.path(name);
            self.objects.put(&path, bytes.into()).await
        };
        self.in_time(put).await.map(|_| ()).map_err(|error| store_failed(&error))
    }

    /// Reads a part of a file; `None` when there is no such file.
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
            let got = self.in_time(async {
                let options = GetOptions::new().with_range(Some(range));
                let got = self.objects.get_opts(&path, options).await?;
                let size = got.meta.size;
                let bytes = got.bytes().await?;
                Ok(FilePart { size, bytes })
            });
            match got.await {
                Ok(part) => return Ok(Some(part)),
                Err(Error::NotFound { .. }) => return Ok(None),
                // A range past the end of the file is an error, and the stores differ in which.
                Err(error) if offset == 0 => return Err(store_failed(&error)),
                Err(_) => {}
            }
        }
        match self.in_time(self.objects.head(&path)).await {
            Ok(meta) if max_bytes == 0 || offset >= meta.size => {
                Ok(Some(FilePart { size: meta.size, bytes: Bytes::new() }))
            }
            Ok(_) => Err(Fault::unavailable("the picture store")),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(store_failed(&error)),
        }
    }

    /// Deletes the existing files of a picture.
    ///
    /// # Errors
    /// One of them cannot be deleted; the other is.
    pub async fn remove_picture(&self, name: &FileName) -> Result<(), Fault> {
        let mut result = Ok(());
        for file in name.sizes() {
            result = self.remove(&file).await.and(result);
        }
        result
    }

    async fn remove(&self, name: &FileName) -> Result<(), Fault> {
        let path = self.path(name);
        match self.in_time(self.objects.delete(&path)).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(store_failed(&error)),
        }
    }

    async fn in_time<T>(
        &self,
        request: impl Future<Output = object_store::Result<T>>,
    ) -> object_store::Result<T> {
        let done = timeout(self.deadline, request).await;
        done.unwrap_or_else(|late| {
            Err(Error::Generic { store: "pictures", source: Box::new(late) })
        })
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
        retry_timeout: settings.pictures_deadline,
        ..RetryConfig::default()
    };
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(bucket)
        .with_region(&settings.pictures_region)
        .with_retry(retry)
        .with_http_connector(Connector::new(settings.pictures_deadline / 2)?);
    if let Some(endpoint) = &settings.pictures_endpoint {
        builder = builder.with_endpoint(endpoint).with_allow_http(endpoint.starts_with("http://"));
    }
    if let (Some(id), Some(secret)) = (&settings.pictures_key_id, &settings.pictures_secret) {
        builder = builder.with_access_key_id(id).with_secret_access_key(secret.expose());
    }
    builder.build().context("pictures: the bucket cannot be used with these settings")
}

fn store_failed(error: &Error) -> Fault {
    tracing::warn!(%error, "the picture store failed");
    Fault::unavailable("the picture store")
}
