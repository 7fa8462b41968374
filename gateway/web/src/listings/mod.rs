//! Listings of an account: pages, games and events, their pictures, and claims. Every page is an RPC of listings-svc.

mod arrangement;
pub mod claims;
pub mod create;
mod crop;
pub mod edit;
pub mod entry;
mod facts;
mod form;
mod gallery;
pub mod list;
pub mod notes;
pub mod picture_file;
pub mod pictures;
pub mod show;
pub mod takedown;
mod typed;
pub mod upload;
mod words;

use std::time::Duration;

use kit::{Code, Fault};
use pages::{ApiCall, Fields, Shell};

use crate::app::Web;
use crate::domain::listing_kind::ListingKind;
use crate::page_error::PageError;
use crate::upstream::gateway::{READ_ONLY, Switches};
use crate::viewer::{AccountScope, Section, Viewer};

/// New games and events are refused (§7.3).
const PAUSED: &str =
    "New games and events are not accepted for a while. What is listed can still be changed.";

/// The answers of the gateway that every page of listings needs.
pub struct Frame {
    pub shell: Shell,
    /// Writes of games and events per day in the plan; `None` for no limit.
    writes_per_day: Result<Option<u32>, Fault>,
    switches: Result<Switches, Fault>,
}

impl Frame {
    /// While the gateway is away it lacks the name, and forms are refused.
    pub async fn load(web: &Web, viewer: &Viewer, scope: &AccountScope, section: Section) -> Self {
        let (found, switches) =
            futures::join!(web.gateway.account(scope.id), web.gateway.switches());
        let writes_per_day = match &found {
            Ok(found) => Ok(found.plan.as_ref().and_then(|plan| plan.writes_per_day)),
            Err(fault) => Err(fault.clone()),
        };
        let account = found.ok().and_then(|found| found.account);
        let name = account.map_or_else(|| "Account".to_owned(), |account| account.name);
        let shell = Shell {
            // A page whose data an API call returns sets that call instead.
            api_call: Some(ApiCall::none()),
            ..scope.shell(viewer, &name, section)
        };
        Self {
            shell,
            writes_per_day,
            switches,
        }
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
        switches.is_read_only.then_some(READ_ONLY)
    }

    /// The reason why new listings of a kind are closed, for a page.
    pub fn closed_to(&self, kind: ListingKind) -> Option<&'static str> {
        let switches = self.switches.as_ref().copied().unwrap_or_default();
        let is_paused = switches.submissions_are_paused && kind != ListingKind::Page;
        self.closed().or_else(|| is_paused.then_some(PAUSED))
    }

    /// The fault of the gateway, if it lacks an answer.
    pub fn fault(&self) -> Option<&Fault> {
        let switches = self.switches.as_ref().err();
        switches.or_else(|| self.writes_per_day.as_ref().err())
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
}

/// How long the page of a refused form waits for its other parts. The typed text matters more.
pub const BESIDE_REFUSED: Duration = Duration::from_secs(5);

/// Whether a service has not answered in time. The request then makes no further call to it: otherwise the page with the typed text would
/// miss the deadline.
pub fn is_away(fault: &Fault) -> bool {
    matches!(fault.code, Code::Unavailable | Code::OutcomeUnknown)
}

/// The kind of listing that a path names.
pub fn kind(text: &str) -> Result<ListingKind, PageError> {
    ListingKind::parse(text).ok_or_else(PageError::not_found)
}

/// The address of a listing in the dashboard.
fn path(scope: &AccountScope, kind: ListingKind, name: &str) -> String {
    format!("/accounts/{}/listings/{}/{name}", scope.id, kind.as_str())
}

/// The errors of a form without the one that the page shows as closed.
fn shown(fault: &Fault, errors: Fields) -> Fields {
    match fault.code {
        Code::Closed => Fields {
            general: None,
            ..errors
        },
        _ => errors,
    }
}
