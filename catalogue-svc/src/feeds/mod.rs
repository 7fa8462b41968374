//! Following feeds.
//!
//! That of listings is followed by every replica into memory ([`listings`]), and by one of the fleet into the schema
//! ([`crate::store::Listings`]); the catalogue's own by every replica into its boards ([`own`]).

pub mod listings;
pub mod vote_feed;
