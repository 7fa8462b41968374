//! Who reads lists: callers that several tests share.

use e2e::{Client, Fleet, Staff};

/// A caller who sees the real listings.
pub(crate) async fn live(fleet: &Fleet) -> Client {
    Staff::of(fleet).await.caller(fleet, "unlimited").await
}

/// A caller who sees the samples. They are the same for all, so the ready-made account without limits will do.
pub(crate) fn sample(fleet: &Fleet) -> Client {
    Client::new(fleet, &fleet.account("unlimited").keys.test)
}
