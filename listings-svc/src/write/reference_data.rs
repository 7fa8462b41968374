//! Genres, countries and cities, kept in memory while they stay as they are.

use std::sync::{Arc, Mutex, PoisonError};

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::submission::{Submission, Target};
use crate::domain::gazetteer::Gazetteer;
use crate::domain::known::Known;
use crate::store::known;

/// What bodies may refer to.
#[derive(Debug, Default)]
pub struct ReferenceData(Mutex<Option<(i64, Arc<Known>)>>);

impl ReferenceData {
    /// What is known now, for a submission: loaded again when an import has changed it, or the year has turned.
    pub async fn now(
        &self,
        connection: &mut PgConnection,
        submission: &Submission,
        now: OffsetDateTime,
    ) -> Result<Arc<Known>, sqlx::Error> {
        let held = self.held().filter(|(_, known)| known.year == now.year());
        if let Some((_, known)) = &held
            && !refers(submission)
        {
            return Ok(Arc::clone(known));
        }
        let version = known::version(connection).await?;
        if let Some((_, known)) = held.filter(|(held, _)| *held == version) {
            return Ok(known);
        }
        // What changes after the version was read is loaded now and once more.
        let known = Arc::new(Known {
            year: now.year(),
            genres: known::genres(&mut *connection).await?,
            countries: known::countries(&mut *connection).await?,
            gazetteer: Gazetteer::new(known::cities(&mut *connection).await?),
            ..Known::default()
        });
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *held = Some((version, Arc::clone(&known)));
        Ok(known)
    }

    fn held(&self) -> Option<(i64, Arc<Known>)> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Whether a body may name any of it.
fn refers(submission: &Submission) -> bool {
    match submission.target {
        Target::NewGame | Target::NewEvent | Target::NewPage => true,
        Target::Game(_) | Target::Event(_) | Target::Page(_) => ["genres", "country_code", "city"]
            .into_iter()
            .any(|field| submission.body.contains_key(field)),
    }
}
