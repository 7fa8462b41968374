//! Feed followers: games from listings-svc, and the gateway's own feed, in which replicas see each other's changes.

pub mod invalidation;
pub mod listings;
