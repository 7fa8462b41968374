//! The frame of an account's pages, from one answer of the gateway.

use std::time::Duration;

use contracts::gateway::v1 as proto;
use kit::Fault;
use pages::{ApiCall, Frame};
use tokio::time::timeout;

use crate::domain::listing_kind::ListingKind;
use crate::english::say;
use crate::request::{AccountScope, PersonRequest, Section};
use crate::upstream::gateway::Switches;

/// How long a page waits for its frame.
const WAIT: Duration = Duration::from_secs(5);

/// The account and the switches, as the gateway has them.
pub struct AccountContext {
    pub frame: Frame,
    found: Result<proto::AccountsServiceGetAccountResponse, Fault>,
}

impl AccountContext {
    /// While the gateway is unavailable, the frame lacks the account's name, and the page itself shows the reason. The frame says whether
    /// everything is read-only; the access layer refuses the forms then.
    pub async fn load(request: &PersonRequest, scope: &AccountScope, section: Section) -> Self {
        let found = timeout(WAIT, request.app.gateway.account(scope.id))
            .await
            .unwrap_or_else(|_elapsed| Err(Fault::unavailable("gateway")));
        let account = found.as_ref().ok().and_then(|found| found.account.as_ref());
        let unnamed = say("account-unnamed");
        let switches = found.as_ref().map(|found| Switches::of(&found.switches));
        let is_read_only = switches.is_ok_and(|it| it.is_read_only);
        let name = account.map_or(unnamed, |account| &account.name);
        let frame = Frame {
            // A page whose data an API call returns sets that call.
            api_call: None,
            closed: is_read_only.then(|| say("fault-closed")),
            ..scope.frame(&request.viewer, name, section)
        };
        Self { frame, found }
    }

    /// The account with its plan.
    pub fn account(&self) -> Result<&proto::AccountsServiceGetAccountResponse, Fault> {
        self.found.as_ref().map_err(Fault::clone)
    }

    /// Writes per day in the plan; `None` for no limit.
    pub fn writes_per_day(&self) -> Result<Option<u32>, Fault> {
        let plan = self.account()?.plan.as_ref();
        Ok(plan.and_then(|plan| plan.writes_per_day))
    }

    /// Says which API call gives the same as the page.
    #[must_use]
    pub fn api_call(mut self, call: impl Into<String>) -> Self {
        self.frame.api_call = Some(ApiCall::same(call));
        self
    }

    /// Whether new listings of a kind are not accepted now (§7.3).
    ///
    /// # Errors
    /// The fault of an unavailable gateway.
    pub fn is_paused(&self, kind: ListingKind) -> Result<bool, Fault> {
        let switches = Switches::of(&self.account()?.switches);
        Ok(switches.submissions_are_paused && kind != ListingKind::Page)
    }
}
