//! What the public interface shows, as messages: for callers that want no JSON.

pub(super) mod creators;
pub(super) mod events;
pub(super) mod games;
pub(super) mod places;
pub(super) mod rankings;
pub(super) mod search;
