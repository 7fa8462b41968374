//! How far the listings had come when a read began. The gate asks Redis while the read is on its way; its handler may need the
//! answer to tell whether what it got is behind (§1).

use axum::extract::FromRequestParts;
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use http::request::Parts;
use kit::feed::{self, Position};

use super::caller::no_gate;
use crate::errors::Refusal;

/// The position that Redis was told last, asked for once however many wait for it.
#[derive(Debug, Clone)]
pub struct Latest(Shared<BoxFuture<'static, Option<Position>>>);

impl Latest {
    /// Asks as soon as somebody waits for it.
    pub fn of(latest: &feed::Latest) -> Self {
        let latest = latest.clone();
        Self(async move { latest.read().await }.boxed().shared())
    }

    /// The position; `None` when Redis is away, or was told nothing.
    pub async fn position(&self) -> Option<Position> {
        self.0.clone().await
    }
}

impl<S: Sync> FromRequestParts<S> for Latest {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        parts.extensions.get().cloned().ok_or_else(no_gate)
    }
}
