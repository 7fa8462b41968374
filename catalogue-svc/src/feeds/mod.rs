//! Followers of feeds.
//!
//! Every replica follows the feed of listings into memory ([`listings`]), and one replica also into the schema
//! ([`persist`]). One replica adds up the votes of the catalogue's own feed ([`votes`]).

pub mod listings;
pub mod persist;
pub mod tally_change;
pub mod votes;
