//! What is learned from feeds: games from listings-svc, and from the gateway's own feed what other replicas have changed.

pub mod listings;
pub mod own;
