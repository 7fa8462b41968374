//! Addresses: the list, the form, the secret that is shown once, and one address.

use askama::Template;
use fluent_bundle::FluentArgs;

use super::deliveries::DeliveryRow;
use super::{AddressCheck, EventRow};
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
    pub allowance: Allowance,
    pub may_change: bool,
}

impl WebhooksPage {
    /// How many of the addresses that the plan includes there are.
    fn of_plan(&self) -> String {
        let texts = Texts::of(self.frame.language);
        let Some(most) = self.allowance.most else {
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

/// What the plan of the account allows.
#[derive(Debug)]
pub struct Allowance {
    /// The most addresses; absent: no limit.
    pub most: Option<u64>,
    pub has_room: bool,
    /// Whether real events are sent, in addition to test events.
    pub real_events: bool,
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
    /// Marks the form, so that sending it twice adds one address.
    pub form: String,
    pub url: Field,
    pub events: Vec<EventChoice>,
}

#[derive(Debug)]
pub struct EventChoice {
    pub event: EventRow,
    pub is_ticked: bool,
}

/// A new signing secret, the only time that it is shown.
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
    /// Absent if the address was not called when it was entered.
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
    /// Absent if the address was not called when it was entered.
    pub address_check: Option<AddressCheck>,
    /// During a rotation: how long the old secret signs.
    pub rotating_until: Option<String>,
    pub health: Health,
    /// How the newest deliveries ended. `None` if there are no deliveries.
    pub recent: Option<String>,
    pub tests: Vec<TestChoice>,
    pub deliveries: Vec<DeliveryRow>,
    /// Mark the forms that act once.
    pub test_form: String,
    pub rotate_form: String,
    pub remove_form: String,
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

#[derive(Debug)]
pub struct EndpointStatus {
    pub label: StateText,
    /// Why the service has switched it off; empty if it has not.
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

/// A test event to choose.
#[derive(Debug)]
pub struct TestChoice {
    /// Event and kind, with a space between.
    pub value: String,
    pub label: String,
    pub is_chosen: bool,
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

    fn list(endpoints: Vec<EndpointRow>, may_change: bool, has_room: bool) -> String {
        let page = WebhooksPage {
            frame: Frame::default(),
            base: BASE.to_owned(),
            endpoints,
            allowance: Allowance {
                most: Some(5),
                has_room,
                real_events: false,
            },
            may_change,
        };
        page.render().unwrap()
    }

    fn row() -> EndpointRow {
        EndpointRow {
            id: "e".to_owned(),
            url: "https://hooks.example/<x>".to_owned(),
            events: "tip.paid".to_owned(),
            state: StateText::good("on"),
            queued: "1,204".to_owned(),
            last_success: None,
        }
    }

    #[test]
    fn an_empty_list_says_what_to_do() {
        let html = list(Vec::new(), true, true);
        assert!(
            html.contains("No address yet") && html.contains("/webhooks/new"),
            "{html}"
        );
        assert!(html.contains("test events only"), "{html}");
        let read_only = list(Vec::new(), false, true);
        assert!(!read_only.contains("/webhooks/new"), "{read_only}");
    }

    #[test]
    fn a_full_plan_says_so_and_offers_no_form() {
        let html = list(vec![row()], true, false);
        assert!(!html.contains("/webhooks/new"), "{html}");
        assert!(
            html.contains("Remove one") && html.contains("1,204"),
            "{html}"
        );
        assert!(!html.contains("<x>"), "{html}");
        assert!(list(vec![row()], true, true).contains("/webhooks/new"));
    }

    #[test]
    fn an_error_of_the_events_is_tied_to_each_of_them() {
        let event = |name: &str| EventChoice {
            event: EventRow {
                name: name.to_owned(),
                description: "A player tipped.".to_owned(),
            },
            is_ticked: name == "tip.paid",
        };
        let errors = Fields::one("events", "Give one or more.");
        let page = EndpointFormPage {
            frame: Frame::default(),
            heading: "Add an address",
            action: BASE.to_owned(),
            back: BASE.to_owned(),
            button: "Add the address",
            form: "f".to_owned(),
            url: Field::text("url", "Address")
                .url()
                .value("https://hooks.example/\"")
                .error_in(&errors),
            events: vec![event("tip.paid"), event("listing.updated")],
            errors,
        };
        let html = page.render().unwrap();
        assert_eq!(
            html.matches("aria-describedby=\"events-error\"").count(),
            2,
            "{html}"
        );
        assert!(html.contains("value=\"tip.paid\" checked"), "{html}");
        assert!(
            !html.contains("value=\"listing.updated\" checked"),
            "{html}"
        );
        assert!(
            html.contains("value=\"https://hooks.example/&#34;\""),
            "{html}"
        );
    }

    #[test]
    fn a_secret_is_shown_with_its_variable_and_the_next_step() {
        let page = SigningSecretPage {
            frame: Frame::default(),
            base: BASE.to_owned(),
            id: "e".to_owned(),
            url: "https://hooks.example/".to_owned(),
            heading: "The signing secret",
            secret: "svc_whsec_x".to_owned(),
            old_until: None,
            address_check: Some(answered()),
            form: "f".to_owned(),
        };
        let html = page.render().unwrap();
        assert!(
            html.contains("SERVICE_WEBHOOK_SECRET=svc_whsec_x"),
            "{html}"
        );
        assert!(
            html.contains("<code id=\"standard\">whsec_x</code>"),
            "{html}"
        );
        assert!(
            html.contains("action=\"/accounts/a/webhooks/e/test\""),
            "{html}"
        );
    }

    fn answered() -> AddressCheck {
        AddressCheck {
            result: "answered 405".to_owned(),
            has_answered: true,
        }
    }

    fn endpoint(may_change: bool, label: StateText) -> String {
        let page = EndpointPage {
            frame: Frame::default(),
            errors: Fields::default(),
            base: BASE.to_owned(),
            id: "e".to_owned(),
            url: "https://hooks.example/".to_owned(),
            status: EndpointStatus {
                is_on: label.text == "on",
                is_off: label.text == "switched off",
                reason: "It answered 410 <i>Gone</i>.".to_owned(),
                label,
            },
            events: vec!["tip.paid".to_owned()],
            added: "2026-11-23".to_owned(),
            address_check: Some(answered()),
            rotating_until: Some("2026-11-24 12:00 UTC".to_owned()),
            health: Health::default(),
            recent: Some("97 of the newest 100 were delivered".to_owned()),
            tests: vec![TestChoice {
                value: "ping".to_owned(),
                label: "ping".to_owned(),
                is_chosen: true,
            }],
            deliveries: Vec::new(),
            test_form: "form-of-test".to_owned(),
            rotate_form: "form-of-rotation".to_owned(),
            remove_form: "form-of-removal".to_owned(),
            may_change,
        };
        page.render().unwrap()
    }

    #[test]
    fn the_heading_names_the_host_and_not_the_whole_address() {
        let html = endpoint(true, StateText::good("on"));
        assert!(html.contains("<h1>Webhook hooks.example</h1>"), "{html}");
        let address = "<dt>Address</dt><dd><code>https://hooks.example/</code></dd>";
        assert!(html.contains(address), "{html}");
    }

    #[test]
    fn each_state_has_its_way_out() {
        let on = endpoint(true, StateText::good("on"));
        assert!(on.contains("/e/pause") && !on.contains("/e/resume"), "{on}");
        let off = endpoint(true, StateText::bad("switched off"));
        assert!(
            off.contains("/e/resume") && !off.contains("/e/pause"),
            "{off}"
        );
        assert!(
            off.contains("answered 410") && !off.contains("<i>"),
            "{off}"
        );
        assert!(!off.contains("/e/test"), "{off}");
        assert_eq!(on.matches("value=\"form-of-test\"").count(), 1, "{on}");
        assert_eq!(on.matches("value=\"form-of-rotation\"").count(), 1, "{on}");
        assert!(
            on.contains("/e/switch") && on.contains("2026-11-24 12:00 UTC"),
            "{on}"
        );
    }

    #[test]
    fn a_reader_has_no_forms() {
        let html = endpoint(false, StateText::good("on"));
        assert!(
            !html.contains("<form method=\"post\" action=\"/accounts"),
            "{html}"
        );
        assert!(!html.contains("/e/change"), "{html}");
    }

    #[test]
    fn nothing_to_recover_has_no_button() {
        let page = |count| RecoverPage {
            frame: Frame::default(),
            errors: Fields::default(),
            base: BASE.to_owned(),
            id: "e".to_owned(),
            url: "https://hooks.example/".to_owned(),
            since: Field::minute("since", "Since"),
            counted: Some(("2026-11-23T12:00".to_owned(), count)),
        };
        let html = page(0).render().unwrap();
        assert!(
            html.contains("No delivery") && !html.contains("value=\"yes\""),
            "{html}"
        );
        let html = page(1).render().unwrap();
        assert!(
            html.contains("1 delivery ") && html.contains("value=\"yes\""),
            "{html}"
        );
        assert!(page(2).render().unwrap().contains("2 deliveries "));
    }
}
