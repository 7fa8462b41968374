//! What webhook-svc learns from others.

pub(crate) mod gateway;
pub(crate) mod listings;
