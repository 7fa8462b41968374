//! Feeds of other services that economy-svc follows.

pub(crate) mod listings;
