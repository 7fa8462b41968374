//! Follows the gateway: accounts and plans, and months with very many calls, which become mails to staff (§8).

use contracts::common::v1::Change;
use contracts::gateway::v1::{Account, LargeMonth, Plan};
use kit::Clock;
use kit::boot::Boot;
use kit::feed::Projection;
use kit::leader::Leader;
use kit::mail::{self, Mailbox, NewMessage};
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::SCHEMA;
use crate::config::Settings;
use crate::store::{accounts, plans};

pub(crate) fn follow(boot: &Boot<Settings>, leader: &Leader) -> anyhow::Result<()> {
    let client = boot.client("gateway", &boot.settings.gateway_addresses)?;
    let gateway = Gateway {
        clock: boot.clock.clone(),
        staff_mail: boot.settings.staff_mail.clone(),
    };
    boot.follow(leader, "gateway", client, gateway);
    Ok(())
}

/// Stores accounts and plans, and mails to staff.
#[derive(Debug, Clone)]
pub struct Gateway {
    pub clock: Clock,
    /// Without it, the log says what the mail would.
    pub staff_mail: Option<Mailbox>,
}

/// An account or a plan.
#[derive(Debug)]
pub enum Row {
    Account(accounts::Row),
    Plan(plans::Row),
}

impl Projection for Gateway {
    type Row = Row;
    type Message = LargeMonth;

    fn row(&self, change: &Change) -> anyhow::Result<Option<Row>> {
        let state = change.state.clone();
        Ok(match change.entity.as_str() {
            "account" => Some(Row::Account(account(Account::decode(state)?)?)),
            "plan" => Some(Row::Plan(plan(Plan::decode(state)?))),
            _ => None,
        })
    }

    fn message(&self, change: &Change) -> anyhow::Result<Option<LargeMonth>> {
        if change.entity != "large_month" {
            return Ok(None);
        }
        Ok(Some(LargeMonth::decode(change.state.clone())?))
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

    async fn send(
        &self,
        connection: &mut PgConnection,
        months: Vec<LargeMonth>,
    ) -> anyhow::Result<()> {
        for month in months {
            let (subject, body) = render(&month);
            let Some(recipient) = &self.staff_mail else {
                tracing::warn!(
                    account = month.account_id,
                    month = month.month,
                    calls = month.calls,
                    "an account without a monthly limit has made very many calls; set WEBHOOK_STAFF_MAIL, and staff get a mail"
                );
                continue;
            };
            let now = self.clock.now();
            let mail = NewMessage {
                recipient: &recipient.to_string(),
                subject: &subject,
                body: &body,
            };
            mail::insert(&mut *connection, SCHEMA, mail, now).await?;
        }
        Ok(())
    }

    async fn sweep(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
    ) -> Result<(), sqlx::Error> {
        accounts::sweep(connection, generation).await?;
        plans::sweep(connection, generation).await
    }
}

/// The subject and the body of the mail to staff.
fn render(large: &LargeMonth) -> (String, String) {
    let LargeMonth {
        account_id,
        name,
        email,
        plan,
        month,
        calls,
        limit,
    } = large;
    (
        format!("{name} has made {limit} calls or more in {month}"),
        format!(
            "The account {name} ({email}, id {account_id}) on the plan {plan} has made {calls} calls in {month}. \
             The plan has no monthly limit, so nothing stops the account: please talk to it.\n\n\
             This mail comes once per account and month. The setting GATEWAY_LARGE_MONTH, now {limit}, says from how many calls.\n"
        ),
    )
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
