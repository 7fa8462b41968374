//! The document as it is served.

use std::sync::{Arc, Mutex, PoisonError};

use time::OffsetDateTime;

use super::document;
use crate::coding::EncodedFile;
use crate::layers::policy::Policy;

/// The document in every coding. The latest release year depends on the present one, so it is made again after New Year.
#[derive(Debug)]
pub struct ServedDocument {
    api_url: String,
    policy: fn(&str) -> Option<Policy>,
    /// The year, and its document.
    current: Mutex<(i32, Arc<EncodedFile>)>,
}

impl ServedDocument {
    /// # Errors
    /// Those of [`document`].
    pub fn new(
        api_url: &str,
        policy: fn(&str) -> Option<Policy>,
        now: OffsetDateTime,
    ) -> anyhow::Result<Self> {
        let file = encoded(api_url, policy, now.year())?;
        Ok(Self {
            api_url: api_url.to_owned(),
            policy,
            current: Mutex::new((now.year(), Arc::new(file))),
        })
    }

    pub fn at(&self, now: OffsetDateTime) -> Arc<EncodedFile> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.0 != now.year() {
            match encoded(&self.api_url, self.policy, now.year()) {
                Ok(file) => *current = (now.year(), Arc::new(file)),
                Err(error) => {
                    tracing::error!(%error, "the OpenAPI document of the new year cannot be made");
                }
            }
        }
        Arc::clone(&current.1)
    }
}

fn encoded(
    api_url: &str,
    policy: fn(&str) -> Option<Policy>,
    year: i32,
) -> anyhow::Result<EncodedFile> {
    let document = document(api_url, year, policy)?;
    Ok(EncodedFile::new(serde_json::to_vec(&document)?)?)
}
