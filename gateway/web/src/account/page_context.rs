//! The frame of an account's pages, with the answers of the gateway that it needs.

use std::time::Duration;

use contracts::gateway::v1 as proto;
use kit::Fault;
use pages::{ApiCall, Frame};
use tokio::time::timeout;

use crate::domain::listing_kind::ListingKind;
use crate::request::{AccountScope, PersonRequest, Section};
use crate::upstream::gateway::Switches;

/// How long a page waits for its frame.
const WAIT: Duration = Duration::from_secs(5);

/// The account and the switches, as the gateway has them.
pub struct AccountContext {
    pub frame: Frame,
    found: Result<proto::AccountsServiceGetAccountResponse, Fault>,
    switches: Result<Switches, Fault>,
}

impl AccountContext {
    /// While the gateway is away, the frame lacks the account's name, and the page itself shows the reason. The frame says whether
    /// everything is read-only; the access layer refuses the forms then.
    pub async fn load(request: &PersonRequest, scope: &AccountScope, section: Section) -> Self {
        let gateway = &request.app.gateway;
        let answers = async { futures::join!(gateway.account(scope.id), gateway.switches()) };
        let answers = timeout(WAIT, answers).await;
        let (found, switches) = answers.unwrap_or_else(|_elapsed| {
            let fault = Fault::unavailable("gateway");
            (Err(fault.clone()), Err(fault))
        });
        let account = found.as_ref().ok().and_then(|found| found.account.as_ref());
        let language = request.language();
        let unnamed = language.say("account-unnamed");
        let is_read_only = switches.as_ref().is_ok_and(|it| it.is_read_only);
        let name = account.map_or(unnamed, |account| &account.name);
        let frame = Frame {
            // A page whose data an API call returns sets that call.
            api_call: None,
            closed: is_read_only.then(|| language.say("fault-closed")),
            ..scope.frame(&request.viewer, name, section)
        };
        Self {
            frame,
            found,
            switches,
        }
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
    /// The fault of a gateway that is away.
    pub fn is_paused(&self, kind: ListingKind) -> Result<bool, Fault> {
        let switches = self.switches.as_ref().map_err(Fault::clone)?;
        Ok(switches.submissions_are_paused && kind != ListingKind::Page)
    }
}
