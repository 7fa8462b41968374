//! Follows the gateway: accounts and plans.

use contracts::common::v1::Change;
use contracts::gateway::v1::{self as proto, Account};
use kit::feed::Projection;
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::accounts;
use crate::store::plans::{self, Plan};

/// Stores accounts and plans.
#[derive(Debug, Clone, Copy)]
pub struct Gateway;

/// An account, or a whole table of plans.
#[derive(Debug)]
pub enum Row {
    Account(accounts::Row),
    Plans(Vec<Plan>),
}

impl Projection for Gateway {
    type Row = Row;
    type Message = ();

    const TABLES: &'static [&'static str] = &["account", "plan"];

    fn row(&self, change: &Change) -> anyhow::Result<Option<Row>> {
        let state = change.state.clone();
        Ok(match change.entity.as_str() {
            "account" => {
                let account = Account::decode(state)?;
                Some(Row::Account(accounts::Row { id: account.id.parse()?, plan: account.plan }))
            }
            "plans" => {
                let table = proto::Plans::decode(state)?.plans.into_iter();
                Some(Row::Plans(table.map(plan).collect()))
            }
            _ => None,
        })
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        rows: Vec<Row>,
    ) -> anyhow::Result<()> {
        let (mut changed, mut table) = (Vec::new(), None);
        for row in rows {
            match row {
                Row::Account(account) => changed.push(account),
                Row::Plans(plans) => table = Some(plans),
            }
        }
        accounts::upsert(connection, generation, changed).await?;
        if let Some(table) = table {
            plans::replace(connection, generation, &table).await?;
        }
        Ok(())
    }
}

fn plan(plan: proto::Plan) -> Plan {
    Plan {
        name: plan.name,
        title: plan.title,
        endpoints: plan.webhook_endpoints.map(i64::from),
        events: plan.webhook_events,
        coming: plan.coming,
    }
}
