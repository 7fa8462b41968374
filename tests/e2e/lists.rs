//! Clients that several tests share to read lists.

use e2e::{Client, Fleet, Staff};

/// A client that reads the live listings.
pub(crate) async fn live(fleet: &Fleet) -> Client {
    Staff::new(fleet).await.caller(fleet, "unlimited").await
}

/// A client that reads the samples. They are the same for every account, so it uses the ready-made account without limits.
pub(crate) fn sample(fleet: &Fleet) -> Client {
    Client::new(fleet, &fleet.account("unlimited").keys.test)
}
