//! Followers of feeds.
//!
//! Every replica follows the feed of listings into memory ([`listings`]), and one replica also into the schema
//! ([`crate::store::Listings`]). Every replica follows the catalogue's own feed into its boards ([`vote_feed`]).

pub mod listings;
pub mod vote_feed;
