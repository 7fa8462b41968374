//! The tables of schema `webhook`.

pub mod accounts;
pub mod attempts;
pub mod deliveries;
pub mod endpoints;
pub mod listings;
pub mod mails;
pub mod message_positions;
pub mod messages;
pub mod partitions;
pub mod plans;
pub mod queue;
pub mod retention;
pub mod secret_keys;
pub mod upgrade;

/// The reason of a cancelled attempt.
pub const CANCELLED: &str = "The listing is no longer published.";
