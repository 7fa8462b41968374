//! Caches genres, countries and cities until an import changes them.

use std::sync::{Arc, Mutex, PoisonError};

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::submission::{Submission, Target};
use crate::domain::entity::Entity;
use crate::domain::fields::REFERENCE_FIELDS;
use crate::domain::gazetteer::Gazetteer;
use crate::domain::reference_data::ReferenceData;
use crate::store::reference_data;

#[derive(Debug, Default)]
pub struct ReferenceDataCache(Mutex<Option<(i64, Arc<ReferenceData>)>>);

impl ReferenceDataCache {
    /// The current reference data. Loads it again after an import has changed it, and in a new year.
    pub async fn get(
        &self,
        connection: &mut PgConnection,
        now: OffsetDateTime,
    ) -> Result<Arc<ReferenceData>, sqlx::Error> {
        let version = reference_data::version(connection).await?;
        if let Some((_, data)) = self.cached(now).filter(|(cached, _)| *cached == version) {
            return Ok(data);
        }
        let cities = reference_data::cities(&mut *connection).await?;
        // A change after this version was read may be loaded now already; the next call then loads it again.
        let data = Arc::new(ReferenceData {
            year: now.year(),
            genres: reference_data::keys(&mut *connection, Entity::Genre).await?,
            countries: reference_data::keys(&mut *connection, Entity::Country).await?,
            gazetteer: Arc::new(Gazetteer::new(cities)),
            ..ReferenceData::default()
        });
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *cached = Some((version, Arc::clone(&data)));
        Ok(data)
    }

    /// The reference data for a submission. What is loaded is enough for a body that cannot name any.
    pub async fn get_for(
        &self,
        connection: &mut PgConnection,
        submission: &Submission,
        now: OffsetDateTime,
    ) -> Result<Arc<ReferenceData>, sqlx::Error> {
        match self.cached(now) {
            Some((_, data)) if !uses_reference_data(submission) => Ok(data),
            _ => self.get(connection, now).await,
        }
    }

    fn cached(&self, now: OffsetDateTime) -> Option<(i64, Arc<ReferenceData>)> {
        let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cached.clone().filter(|(_, data)| data.year == now.year())
    }
}

/// Whether the body may name reference data.
fn uses_reference_data(submission: &Submission) -> bool {
    match submission.target {
        Target::New(_) => true,
        Target::Change(..) => {
            let mut names = REFERENCE_FIELDS.iter();
            names.any(|name| submission.body.contains_key(*name))
        }
        Target::Pictures(..) => false,
    }
}
