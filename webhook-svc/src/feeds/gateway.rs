//! Follows the gateway: accounts and plans.

use contracts::common::v1::Change;
use contracts::gateway::v1::{Account, Plan};
use kit::feed::Projection;
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::{accounts, plans};

/// Stores accounts and plans.
#[derive(Debug, Clone, Copy)]
pub struct Gateway;

/// An account or a plan.
#[derive(Debug)]
pub enum Row {
    Account(accounts::Row),
    Plan(plans::Row),
}

impl Projection for Gateway {
    type Row = Row;
    type Message = ();

    const TABLES: &'static [&'static str] = &["account", "plan"];

    fn row(&self, change: &Change) -> anyhow::Result<Option<Row>> {
        let state = change.state.clone();
        Ok(match change.entity.as_str() {
            "account" => Some(Row::Account(account(Account::decode(state)?)?)),
            "plan" => Some(Row::Plan(plan(Plan::decode(state)?))),
            _ => None,
        })
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        rows: Vec<Row>,
    ) -> anyhow::Result<()> {
        let (mut new_accounts, mut new_plans) = (Vec::new(), Vec::new());
        for row in rows {
            match row {
                Row::Account(row) => new_accounts.push(row),
                Row::Plan(row) => new_plans.push(row),
            }
        }
        accounts::upsert(connection, generation, new_accounts).await?;
        plans::upsert(connection, generation, new_plans).await?;
        Ok(())
    }
}

fn account(account: Account) -> anyhow::Result<accounts::Row> {
    Ok(accounts::Row {
        id: account.id.parse()?,
        plan: account.plan,
    })
}

fn plan(plan: Plan) -> plans::Row {
    plans::Row {
        name: plan.name,
        endpoints: plan.webhook_endpoints.map(i64::from),
        events: plan.webhook_events,
        coming: plan.coming,
    }
}
