//! The schema `catalogue`, a file a table: listings, from which replicas start, and votes.

pub mod board_snapshots;
pub mod entity;
pub mod listing_voters;
pub mod load;
pub mod tallies;
pub mod voters;
pub mod votes;
