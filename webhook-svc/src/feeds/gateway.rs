//! Follows the gateway: accounts and plans.

use anyhow::Context as _;
use contracts::common::v1::Change;
use contracts::gateway::v1::{Account, Plan};
use kit::boot::Boot;
use kit::feed::{Store, Taken};
use prost::Message as _;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::SCHEMA;
use crate::config::Settings;
use crate::store::{accounts, plans};

pub(crate) fn follow(boot: &Boot<Settings>, pool: &PgPool) -> anyhow::Result<()> {
    let addresses = &boot.settings.gateway_addresses;
    boot.follow(pool, SCHEMA, "gateway", addresses, Gateway)
}

/// Stores accounts and plans.
#[derive(Debug, Clone)]
pub struct Gateway;

impl Store for Gateway {
    async fn apply(
        &self,
        connection: &mut PgConnection,
        changes: &[Change],
        taken: Taken,
    ) -> anyhow::Result<()> {
        let (mut new_accounts, mut new_plans) = (Vec::new(), Vec::new());
        for change in changes {
            let state = change.state.clone();
            let context = || format!("change {} of gateway", change.seq);
            match change.entity.as_str() {
                "account" => {
                    let row = account(Account::decode(state)?).with_context(context)?;
                    new_accounts.push(row);
                }
                "plan" => new_plans.push(plan(Plan::decode(state).with_context(context)?)),
                _ => {}
            }
        }
        accounts::upsert(connection, taken.epoch, new_accounts).await?;
        plans::upsert(connection, taken.epoch, new_plans).await?;
        Ok(())
    }

    async fn sweep(&self, connection: &mut PgConnection, epoch: Uuid) -> anyhow::Result<()> {
        accounts::sweep(connection, epoch).await?;
        plans::sweep(connection, epoch).await?;
        Ok(())
    }
}

fn account(account: Account) -> anyhow::Result<accounts::Row> {
    Ok(accounts::Row {
        id: account.id.parse()?,
        plan: account.plan,
        email: account.email,
    })
}

fn plan(plan: Plan) -> plans::Row {
    plans::Row {
        name: plan.name,
        endpoints: plan.webhook_endpoints.map(i64::from),
        events: plan.webhook_events,
    }
}
