//! The frame of an account's pages, with the answers of the gateway that it needs.

use std::time::Duration;

use contracts::gateway::v1 as proto;
use kit::{Code, Fault};
use pages::site::Texts;
use pages::{ApiCall, Shell};
use tokio::time::timeout;

use crate::domain::listing_kind::ListingKind;
use crate::person_request::PersonRequest;
use crate::upstream::gateway::Switches;
use crate::viewer::{AccountScope, Section};

/// How long a page waits for its frame, and the page of a refused form for its other parts. A form that was refused because a service hangs
/// has waited before, and its page must still meet the deadline of the request.
const WAIT: Duration = Duration::from_secs(5);

/// The account and the switches, as the gateway has them.
pub struct AccountFrame {
    pub shell: Shell,
    found: Result<proto::AccountsServiceGetAccountResponse, Fault>,
    switches: Result<Switches, Fault>,
}

impl AccountFrame {
    /// While the gateway is away, the frame lacks the account's name, and the page itself shows the reason.
    pub async fn load(request: &PersonRequest, scope: &AccountScope, section: Section) -> Self {
        let gateway = &request.app.gateway;
        let answers = async { futures::join!(gateway.account(scope.id), gateway.switches()) };
        let answers = timeout(WAIT, answers).await;
        let (found, switches) = answers.unwrap_or_else(|_elapsed| {
            let fault = Fault::unavailable("gateway");
            (Err(fault.clone()), Err(fault))
        });
        let account = found.as_ref().ok().and_then(|found| found.account.as_ref());
        let unnamed = request.language().say("account-unnamed");
        let name = account.map_or(unnamed, |account| &account.name);
        let shell = Shell {
            // A page whose data an API call returns sets that call.
            api_call: None,
            ..scope.shell(&request.viewer, name, section)
        };
        Self {
            shell,
            found,
            switches,
        }
    }

    /// The shell, which says why the forms of the account are closed.
    pub fn closed_shell(self) -> Shell {
        Shell {
            closed: self.closed(),
            ..self.shell
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
        self.shell.api_call = Some(ApiCall::same(call));
        self
    }

    /// The reason why changes are closed, for a page. The handler of a form checks it again.
    pub fn closed(&self) -> Option<&'static str> {
        let switches = self.switches.as_ref().copied().unwrap_or_default();
        let is_closed = switches.is_read_only;
        is_closed.then(|| self.texts().say("fault-closed"))
    }

    /// The reason why new listings of a kind are closed, for a page (§7.3).
    pub fn closed_to(&self, kind: ListingKind) -> Option<&'static str> {
        let switches = self.switches.as_ref().copied().unwrap_or_default();
        let is_paused = switches.submissions_are_paused && kind != ListingKind::Page;
        let paused = is_paused.then(|| self.texts().say("account-paused"));
        self.closed().or(paused)
    }

    /// The texts of the page.
    fn texts(&self) -> &'static Texts {
        Texts::of(self.shell.language)
    }

    /// Lets a form pass.
    ///
    /// # Errors
    /// `closed`, or the fault of a gateway that is away.
    pub fn admit(&self, new: Option<ListingKind>) -> Result<(), Fault> {
        if let Err(fault) = &self.switches {
            return Err(fault.clone());
        }
        let closed = new.map_or_else(|| self.closed(), |kind| self.closed_to(kind));
        match closed {
            None => Ok(()),
            Some(reason) => Err(Fault::new(Code::Closed, reason)),
        }
    }

    /// Reads another part of the page of a refused form. Does not read it if the service was away: the page with the typed text would miss
    /// the deadline. If the gateway was away, that service was not called.
    pub async fn read_after<T>(
        &self,
        refusal: &Fault,
        read: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Fault> {
        let is_away = matches!(refusal.code, Code::Unavailable | Code::OutcomeUnknown);
        if is_away && self.switches.is_ok() && self.found.is_ok() {
            return Err(refusal.clone());
        }
        let read = timeout(WAIT, read).await;
        read.unwrap_or_else(|_elapsed| Err(Fault::unavailable("service")))
    }
}
