//! Deliveries: the list with its filter, and one with its attempts.

use askama::Template;

use crate::field::Choice;
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
    pub states: Vec<Choice>,
    pub is_filtered: bool,
    pub rows: Vec<DeliveryRow>,
    /// The address of the next page.
    pub next: Option<String>,
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
