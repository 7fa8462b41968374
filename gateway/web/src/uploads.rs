//! Limits the uploads of pictures that arrive at once.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use kit::Fault;
use kit::overload::{ConcurrencyLimit, Permit};
use uuid::Uuid;

/// The uploads of all people at once: each has up to 10 MB on disk.
const MAX_UPLOADS: usize = 256;

/// Why a person may not upload a picture now.
#[derive(Debug)]
pub enum UploadRefusal {
    /// The person is uploading another one.
    OtherUpload,
    /// Too many people are uploading one.
    Overloaded(Fault),
}

/// Limits the uploads at once.
#[derive(Debug)]
pub struct Uploads {
    limit: ConcurrencyLimit,
    /// The people who are uploading a file.
    people: Arc<Mutex<HashSet<Uuid>>>,
}

/// The upload of a person, which ends when this is dropped.
#[derive(Debug)]
pub struct UploadGuard {
    person: Uuid,
    people: Arc<Mutex<HashSet<Uuid>>>,
    _permit: Permit,
}

impl Drop for UploadGuard {
    fn drop(&mut self) {
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        people.remove(&self.person);
    }
}

impl Default for Uploads {
    fn default() -> Self {
        Self {
            limit: ConcurrencyLimit::new("uploads", MAX_UPLOADS),
            people: Arc::default(),
        }
    }
}

impl Uploads {
    /// One upload of a person at a time, whatever the number of the person's accounts.
    ///
    /// # Errors
    /// The person is uploading another picture, or too many people are uploading one.
    pub fn begin(&self, person: Uuid) -> Result<UploadGuard, UploadRefusal> {
        let permit = self.limit.try_acquire();
        let permit = permit.map_err(UploadRefusal::Overloaded)?;
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        if !people.insert(person) {
            return Err(UploadRefusal::OtherUpload);
        }
        Ok(UploadGuard {
            person,
            people: Arc::clone(&self.people),
            _permit: permit,
        })
    }
}
