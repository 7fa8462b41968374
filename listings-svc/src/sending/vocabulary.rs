//! Genres, countries and cities, kept in memory while they stay as they are.

use std::sync::{Arc, Mutex, PoisonError};

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::domain::city::Gazetteer;
use crate::domain::known::Known;
use crate::store::known;

/// What bodies may refer to.
#[derive(Debug, Default)]
pub struct Vocabulary(Mutex<Option<(i64, Arc<Known>)>>);

impl Vocabulary {
    /// What is known now: loaded again when an import has changed it, or the year has turned.
    pub async fn now(
        &self,
        connection: &mut PgConnection,
        now: OffsetDateTime,
    ) -> Result<Arc<Known>, sqlx::Error> {
        let version = known::version(connection).await?;
        if let Some((held, known)) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner)
            && *held == version
            && known.year == now.year()
        {
            return Ok(Arc::clone(known));
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
}
