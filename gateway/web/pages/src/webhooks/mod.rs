//! Webhooks: addresses and deliveries.

pub mod deliveries;
pub mod endpoints;

/// What came of the first request to an address.
#[derive(Debug, Clone)]
pub enum AddressCheck {
    /// With this status.
    Answered(u32),
    /// For this reason.
    Unreached(String),
}

/// An event that an address may receive.
#[derive(Debug, Clone)]
pub struct EventRow {
    pub name: String,
    /// When it is sent.
    pub description: String,
}
