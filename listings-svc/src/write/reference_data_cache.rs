//! Caches genres, countries and cities until an import changes them.

use std::sync::{Arc, Mutex, PoisonError};

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::submission::{Submission, Target};
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
        submission: &Submission,
        now: OffsetDateTime,
    ) -> Result<Arc<ReferenceData>, sqlx::Error> {
        let cached = self.cached().filter(|(_, data)| data.year == now.year());
        if let Some((_, data)) = &cached
            && !uses_reference_data(submission)
        {
            return Ok(Arc::clone(data));
        }
        let version = reference_data::version(connection).await?;
        if let Some((_, data)) = cached.filter(|(cached, _)| *cached == version) {
            return Ok(data);
        }
        // A change after this version was read may be loaded now already; the next call then loads it again.
        let data = Arc::new(ReferenceData {
            year: now.year(),
            genres: reference_data::genres(&mut *connection).await?,
            countries: reference_data::countries(&mut *connection).await?,
            gazetteer: Arc::new(Gazetteer::new(
                reference_data::cities(&mut *connection).await?,
            )),
            ..ReferenceData::default()
        });
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *cached = Some((version, Arc::clone(&data)));
        Ok(data)
    }

    fn cached(&self) -> Option<(i64, Arc<ReferenceData>)> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Whether the body may name reference data.
fn uses_reference_data(submission: &Submission) -> bool {
    match submission.target {
        Target::NewGame | Target::NewEvent | Target::NewPage => true,
        Target::Game(_) | Target::Event(_) | Target::Page(_) | Target::Withdrawal(..) => {
            let mut names = ["genres", "country_code", "city"].into_iter();
            names.any(|name| submission.body.contains_key(name))
        }
        Target::Pictures(..) => false,
    }
}
