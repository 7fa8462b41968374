//! Deliveries: the list with its filter, and one with its attempts.

use askama::Template;

use crate::field::Fields;
use crate::frame::Frame;
use crate::state::StateText;

#[derive(Debug, Template)]
#[template(path = "webhooks/deliveries.html")]
pub struct DeliveryListPage {
    pub frame: Frame,
    pub errors: Fields,
    pub base: String,
    pub id: String,
    pub url: String,
    pub states: Vec<FilterChoice>,
    pub is_filtered: bool,
    pub rows: Vec<DeliveryRow>,
    /// The address of the next page.
    pub next: Option<String>,
}

#[derive(Debug)]
pub struct FilterChoice {
    pub value: String,
    pub label: String,
    pub is_chosen: bool,
}

#[derive(Debug)]
pub struct DeliveryRow {
    pub id: i64,
    pub created: String,
    pub event: String,
    pub state: StateText,
    pub tries: u32,
    /// The last answer, in words; empty if nothing was tried.
    pub answer: String,
    /// When the next try is.
    pub due: Option<String>,
}

#[derive(Debug, Template)]
#[template(path = "webhooks/delivery.html")]
pub struct DeliveryPage {
    pub frame: Frame,
    pub errors: Fields,
    pub base: String,
    /// The id of the endpoint.
    pub endpoint: String,
    pub url: String,
    pub row: DeliveryRow,
    pub message_id: String,
    /// What the state means here.
    pub explanation: String,
    /// Why it is not sent, if it is cancelled.
    pub cancelled: Option<String>,
    /// What the button does.
    pub send_again: &'static str,
    pub attempts: Vec<AttemptRow>,
    /// Indented JSON.
    pub body: String,
    pub curl: String,
    /// A call that reads the listing of the message as it is now.
    pub listing_call: Option<String>,
    pub may_change: bool,
}

#[derive(Debug)]
pub struct AttemptRow {
    pub number: u64,
    pub at: String,
    pub duration: String,
    /// Status or reason, in words.
    pub result: String,
    pub is_success: bool,
    /// Whether there was an answer.
    pub has_status: bool,
    /// The beginning of the response's body.
    pub answer: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(event: &str) -> DeliveryRow {
        DeliveryRow {
            id: 7_123_456_789,
            created: "2026-11-23 12:05 UTC".to_owned(),
            event: event.to_owned(),
            state: StateText::bad("failed"),
            tries: 6,
            answer: "did not answer within 8 seconds".to_owned(),
            due: Some("2026-11-23 12:05 UTC".to_owned()),
        }
    }

    fn list(rows: Vec<DeliveryRow>, is_filtered: bool) -> String {
        let page = DeliveryListPage {
            frame: Frame::default(),
            errors: Fields::default(),
            base: "/accounts/a/webhooks".to_owned(),
            id: "e".to_owned(),
            url: "https://hooks.example/".to_owned(),
            states: vec![FilterChoice {
                value: "failed".to_owned(),
                label: "failed".to_owned(),
                is_chosen: is_filtered,
            }],
            is_filtered,
            rows,
            next: Some("/accounts/a/webhooks/e/deliveries?cursor=x&state=failed".to_owned()),
        };
        page.render().unwrap()
    }

    #[test]
    fn an_empty_list_says_what_to_do() {
        let html = list(Vec::new(), false);
        assert!(html.contains("Send a test event"), "{html}");
        let html = list(Vec::new(), true);
        assert!(html.contains("No delivery matches"), "{html}");
        assert!(html.contains("value=\"failed\" selected"), "{html}");
    }

    #[test]
    fn a_page_of_a_hundred_deliveries_is_small() {
        let html = list((0..100).map(|_| row("<img src=x>")).collect(), false);
        assert!(html.len() < 60_000, "{}", html.len());
        assert!(!html.contains("<img"));
        assert!(html.contains("cursor=x&#38;state=failed"), "{html}");
    }

    fn delivery(may_change: bool) -> String {
        let page = DeliveryPage {
            frame: Frame::default(),
            errors: Fields::default(),
            base: "/accounts/a/webhooks".to_owned(),
            endpoint: "e".to_owned(),
            url: "https://hooks.example/".to_owned(),
            row: row("ping"),
            message_id: "m".to_owned(),
            explanation: "Every try has failed.".to_owned(),
            cancelled: None,
            send_again: "One try is made now.",
            attempts: vec![AttemptRow {
                number: 1,
                at: "2026-11-23 12:05:07 UTC".to_owned(),
                duration: "8,000 ms".to_owned(),
                result: "answered 500".to_owned(),
                is_success: false,
                has_status: true,
                answer: "<script>alert(1)</script>".to_owned(),
            }],
            body: "{}".to_owned(),
            curl: "curl".to_owned(),
            listing_call: None,
            may_change,
        };
        page.render().unwrap()
    }

    #[test]
    fn what_a_receiver_answers_is_text() {
        let html = delivery(false);
        assert!(!html.contains("<script>alert"), "{html}");
        assert!(!html.contains("/again"), "{html}");
        assert!(html.contains("Your receiver said:"), "{html}");
        assert!(delivery(true).contains("/deliveries/7123456789/again"));
    }
}
