//! Operations on accounts.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::api::timestamp;
use uuid::Uuid;

use super::Operations;
use crate::domain::account::{Account, unknown};
use crate::domain::plan::Plan;
use crate::domain::quota::{AccountMonth, Month};
use crate::store::{accounts, keys, month_use};

impl Operations {
    pub(crate) async fn account(&self, id: Uuid) -> Result<Account, Fault> {
        let found = accounts::find(&self.pool, id).await?;
        found.ok_or_else(|| unknown(id))
    }

    /// The current month of an account on `plan`, with its calls as of the last flush.
    pub(crate) async fn account_month(
        &self,
        account: Uuid,
        plan: &Plan,
    ) -> Result<proto::MonthUse, Fault> {
        let month = Month::of(self.clock.now());
        let mut connection = self.pool.acquire().await?;
        let used = month_use::read(&mut connection, AccountMonth { account, month }).await?;
        Ok(proto::MonthUse {
            starts_at: Some(timestamp::encode(month.start())),
            resets_at: Some(timestamp::encode(month.end())),
            used: used.unwrap_or_default(),
            limit: plan.calls_per_month,
        })
    }

    /// The working live keys of an account, and open requests for some.
    pub(crate) async fn working_keys(&self, account: Uuid) -> Result<u32, Fault> {
        let mut connection = self.pool.acquire().await?;
        let working = keys::count_working(&mut connection, account).await?;
        Ok(working.try_into().unwrap_or_default())
    }
}
