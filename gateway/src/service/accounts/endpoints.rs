//! The audit of changes that tokens make to endpoints of webhooks. webhook-svc stores the endpoints, but does not know tokens.

use contracts::gateway::v1::Actor;
use kit::audit::Subject;
use kit::{Fault, pg};
use serde_json::Value;

use super::{Accounts, account_and_author};
use crate::domain::fields::Problems;
use crate::domain::staff_action::Action;
use crate::write::audit;

impl Accounts {
    /// Records a change of an endpoint. `details` has the id of the account.
    ///
    /// # Errors
    /// PostgreSQL failed.
    pub async fn record_endpoint_change(
        &self,
        actor: Actor,
        endpoint: &str,
        details: Value,
    ) -> Result<(), Fault> {
        let mut problems = Problems::default();
        let account = details["account"].as_str().unwrap_or_default();
        let action = Action::ChangeEndpoint;
        let (_, by) = account_and_author(&mut problems, account, Some(actor), action);
        problems.finish()?;
        let subject = Subject {
            entity: "endpoint",
            name: endpoint.to_owned(),
            details,
        };
        let (pool, now) = (&self.operations.pool, self.operations.clock.now());
        let recorded = pg::within(pool, pg::deadline(pool), async |connection| {
            audit::record(connection, &by, subject, now).await
        });
        recorded.await.map_err(|error| pg::fault(&error))
    }
}
