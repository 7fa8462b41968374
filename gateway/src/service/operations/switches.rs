//! Reads of the switches.

use kit::{Fault, pg};

use super::Operations;
use crate::domain::switch::Setting;
use crate::store::switches;

impl Operations {
    /// All switches, in their order.
    pub async fn list_switches(&self) -> Result<Vec<Setting>, Fault> {
        let connection = self.pool.acquire().await;
        let mut connection = connection.map_err(|error| pg::fault(&error))?;
        let settings = switches::all(&mut connection).await;
        let mut settings = settings.map_err(|error| pg::fault(&error))?;
        settings.sort_by_key(|setting| setting.switch);
        Ok(settings)
    }
}
