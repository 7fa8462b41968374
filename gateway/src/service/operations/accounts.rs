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

/// What an account uses of its plan.
pub(crate) struct PlanUse {
    /// The current month.
    pub(crate) month: Month,
    /// Calls in the month, as of the last flush.
    pub(crate) calls: u64,
    /// Working live keys, and open requests for some.
    pub(crate) working_keys: u32,
}

impl PlanUse {
    /// The month of an account on `plan`.
    pub(crate) fn month_use(&self, plan: &Plan) -> proto::MonthUse {
        proto::MonthUse {
            starts_at: Some(timestamp::encode(self.month.start())),
            resets_at: Some(timestamp::encode(self.month.end())),
            used: self.calls,
            limit: plan.calls_per_month,
        }
    }
}

impl Operations {
    pub(crate) async fn account(&self, id: Uuid) -> Result<Account, Fault> {
        let found = accounts::find(&self.pool, id).await?;
        found.ok_or_else(|| unknown(id))
    }

    pub(crate) async fn plan_use(&self, account: Uuid) -> Result<PlanUse, Fault> {
        let now = self.clock.now();
        let month = Month::of(now);
        let account_month = AccountMonth { account, month };
        let read = async {
            let mut connection = self.pool.acquire().await?;
            let working = keys::count_working(&mut connection, account).await?;
            let used = month_use::read(&mut connection, account_month).await?;
            Ok::<_, sqlx::Error>((working, used))
        };
        let (working, used) = read.await?;
        Ok(PlanUse {
            month,
            calls: used.unwrap_or_default(),
            working_keys: working.try_into().unwrap_or_default(),
        })
    }
}
