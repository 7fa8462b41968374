//! Following the listings feed: every replica into memory ([`listings`]), one of the fleet into the schema
//! ([`crate::store::Listings`]).

pub mod listings;
