//! Follows the gateway: accounts.

use contracts::common::v1::Change;
use contracts::gateway::v1::Account;
use kit::feed::Projection;
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::accounts;

/// Stores accounts.
#[derive(Debug, Clone, Copy)]
pub struct Gateway;

impl Projection for Gateway {
    type Row = accounts::Row;
    type Message = ();

    const TABLES: &'static [&'static str] = &["account"];

    fn row(&self, change: &Change) -> anyhow::Result<Option<accounts::Row>> {
        if change.entity != "account" {
            return Ok(None);
        }
        let account = Account::decode(change.state.clone())?;
        Ok(Some(accounts::Row {
            id: account.id.parse()?,
            plan: account.plan,
        }))
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        rows: Vec<accounts::Row>,
    ) -> anyhow::Result<()> {
        Ok(accounts::upsert(connection, generation, rows).await?)
    }
}
