//! What economy-svc learns from others.

pub(crate) mod listings;
