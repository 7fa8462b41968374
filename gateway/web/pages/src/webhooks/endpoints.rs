//! Addresses: the list, the form, the secret that is shown once, and one address.

use askama::Template;
use fluent_bundle::FluentArgs;

use super::deliveries::DeliveryRow;
use super::{AddressCheck, EventRow};
use crate::field::Choice;
use crate::field::{Field, Fields};
use crate::frame::Frame;
use crate::state::StateText;
use crate::texts::Texts;

#[derive(Debug, Template)]
#[template(path = "webhooks/list.html")]
pub struct WebhooksPage {
    pub frame: Frame,
    /// The path of this page.
    pub base: String,
    pub endpoints: Vec<EndpointRow>,
    /// The most addresses of the plan; absent: no limit.
    pub most: Option<u64>,
    pub has_room: bool,
    /// Whether the plan includes real events, in addition to test events.
    pub real_events: bool,
    pub may_change: bool,
}

impl WebhooksPage {
    /// How many of the addresses that the plan includes there are.
    fn of_plan(&self) -> String {
        let texts = Texts::of(self.frame.language);
        let Some(most) = self.most else {
            return texts.say("webhook-plan-unlimited").to_owned();
        };
        let used = u64::try_from(self.endpoints.len()).unwrap_or(u64::MAX);
        let mut args = FluentArgs::new();
        args.set("count", most);
        args.set("number", texts.number(most));
        args.set("used", texts.number(used));
        texts.say_with("webhook-of-plan", &args)
    }
}

#[derive(Debug)]
pub struct EndpointRow {
    pub id: String,
    pub url: String,
    pub events: String,
    pub state: StateText,
    /// Deliveries that wait.
    pub queued: String,
    pub last_success: Option<String>,
}

/// Instead of the form of a new address: the plan includes no more.
#[derive(Debug, Template)]
#[template(path = "webhooks/full.html")]
pub struct NoMoreEndpointsPage {
    pub frame: Frame,
    pub base: String,
    pub text: &'static str,
    /// The page of the plans.
    pub plans: String,
}

/// The form of a new address, or of one that is changed.
#[derive(Debug, Template)]
#[template(path = "webhooks/form.html")]
pub struct EndpointFormPage {
    pub frame: Frame,
    pub errors: Fields,
    pub heading: &'static str,
    pub action: String,
    /// Where the form leads back to.
    pub back: String,
    pub button: &'static str,
    /// Hidden fields: what marks the form of a new address, so that sending it twice adds one; or what the address was when the form of a
    /// change was opened.
    pub hidden: Vec<(&'static str, String)>,
    pub url: Field,
    pub events: Vec<EventChoice>,
}

#[derive(Debug)]
pub struct EventChoice {
    pub event: EventRow,
    pub is_ticked: bool,
}

/// A new signing secret.
#[derive(Debug, Template)]
#[template(path = "webhooks/secret.html")]
pub struct SigningSecretPage {
    pub frame: Frame,
    pub base: String,
    pub id: String,
    pub url: String,
    pub heading: &'static str,
    pub secret: String,
    /// During a rotation: when the old secret ends.
    pub old_until: Option<String>,
    /// Of a new address.
    pub address_check: Option<AddressCheck>,
    /// Marks the form of the test event.
    pub form: String,
}

impl SigningSecretPage {
    /// The secret as Standard Webhooks has it.
    fn standard_secret(&self) -> &str {
        let secret = self.secret.as_str();
        secret.strip_prefix("svc_").unwrap_or(secret)
    }
}

#[derive(Debug, Template)]
#[template(path = "webhooks/show.html")]
pub struct EndpointPage {
    pub frame: Frame,
    pub errors: Fields,
    pub base: String,
    pub id: String,
    pub url: String,
    pub status: EndpointStatus,
    pub events: Vec<String>,
    pub added: String,
    pub address_check: AddressCheck,
    /// During a rotation.
    pub waiting: Option<WaitingSecret>,
    pub health: Health,
    /// How the newest deliveries ended. `None` if there are no deliveries.
    pub recent: Option<String>,
    /// Test events to choose from: event and kind, with a space between.
    pub tests: Vec<Choice>,
    pub deliveries: Vec<DeliveryRow>,
    /// Mark the forms that act once.
    pub test_form: String,
    pub rotate_form: String,
    pub may_change: bool,
}

impl EndpointPage {
    /// The host of the address, as the name of the page.
    fn host(&self) -> &str {
        let url = self.url.as_str();
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        rest.split(['/', '?', '#']).next().unwrap_or(rest)
    }
}

/// A new secret that waits.
#[derive(Debug)]
pub struct WaitingSecret {
    pub id: String,
    /// How long the old secret signs.
    pub until: String,
}

#[derive(Debug)]
pub struct EndpointStatus {
    pub label: StateText,
    /// Why the service has disabled it; empty if it has not.
    pub reason: String,
    pub is_on: bool,
    pub is_off: bool,
}

/// Counts are grouped; times say their zone.
#[derive(Debug, Default)]
pub struct Health {
    pub queued: String,
    pub queued_since: Option<String>,
    /// Failed deliveries since the last success; absent: none.
    pub failures: Option<String>,
    pub last_failure: Option<String>,
    pub last_success: Option<String>,
}

/// Sends everything again that has failed since a time.
#[derive(Debug, Template)]
#[template(path = "webhooks/recover.html")]
pub struct RecoverPage {
    pub frame: Frame,
    pub errors: Fields,
    pub base: String,
    pub id: String,
    pub url: String,
    pub since: Field,
    /// The time that was counted from, as the form sends it, and the number of deliveries.
    pub counted: Option<(String, u64)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "/accounts/a/webhooks";

    #[test]
    fn an_error_of_the_events_is_linked_to_each_checkbox() {
        let event = |name: &str| EventChoice {
            event: EventRow { name: name.to_owned(), description: "A player tipped.".to_owned() },
            is_ticked: name == "tip.paid",
        };
        let errors = Fields::one("events", "Give one or more.");
        let page = EndpointFormPage {
            frame: Frame::default(),
            heading: "Add an address",
            action: BASE.to_owned(),
            back: BASE.to_owned(),
            button: "Add the address",
            hidden: vec![("form", "f".to_owned())],
            url: Field::url("url", "Address").value("https://hooks.example/\"").error_in(&errors),
            events: vec![event("tip.paid"), event("listing.updated")],
            errors,
        };
        let html = page.render().unwrap();
        assert_eq!(html.matches("aria-describedby=\"events-error\"").count(), 2, "{html}");
        assert!(html.contains("value=\"tip.paid\" checked"), "{html}");
        assert!(!html.contains("value=\"listing.updated\" checked"), "{html}");
        assert!(html.contains("value=\"https://hooks.example/&#34;\""), "{html}");
    }
}
