//! Webhooks: addresses and deliveries.

pub mod deliveries;
pub mod endpoints;

/// What came of the first request to an address.
#[derive(Debug, Clone)]
pub struct AddressCheck {
    pub result: String,
    /// Whether the result is an answer, and not the reason why there was none.
    pub has_answered: bool,
}

/// An event that an address may receive.
#[derive(Debug, Clone)]
pub struct EventRow {
    pub name: String,
    /// When it is sent.
    pub description: String,
}
