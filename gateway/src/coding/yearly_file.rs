//! A file that depends on the year.

use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, Mutex, PoisonError};

use time::OffsetDateTime;

use super::EncodedFile;

/// Makes the file of a year.
type MakeFile = dyn Fn(i32) -> anyhow::Result<EncodedFile> + Send + Sync;

/// A file that is made anew after New Year, such as the OpenAPI document, which names the latest release year.
pub struct YearlyFile {
    make: Box<MakeFile>,
    /// The year, and its file.
    current: Mutex<(i32, Arc<EncodedFile>)>,
}

impl YearlyFile {
    /// # Errors
    /// Those of `make`.
    pub fn new(
        now: OffsetDateTime,
        make: impl Fn(i32) -> anyhow::Result<EncodedFile> + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let file = Arc::new(make(now.year())?);
        Ok(Self {
            make: Box::new(make),
            current: Mutex::new((now.year(), file)),
        })
    }

    pub fn at(&self, now: OffsetDateTime) -> Arc<EncodedFile> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.0 != now.year() {
            match (self.make)(now.year()) {
                Ok(file) => *current = (now.year(), Arc::new(file)),
                Err(error) => {
                    tracing::error!(%error, "a file of the new year cannot be made");
                }
            }
        }
        Arc::clone(&current.1)
    }
}

impl Debug for YearlyFile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("YearlyFile").finish_non_exhaustive()
    }
}
