//! Reads of the switches.

use kit::Fault;

use super::Operations;
use crate::domain::switch::Setting;
use crate::store::switches;

impl Operations {
    /// All switches, in their order.
    pub async fn list_switches(&self) -> Result<Vec<Setting>, Fault> {
        let mut connection = self.pool.acquire().await?;
        let mut settings = switches::all(&mut connection).await?;
        settings.sort_by_key(|setting| setting.switch);
        Ok(settings)
    }
}
