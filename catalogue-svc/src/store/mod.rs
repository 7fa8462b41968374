//! The schema `catalogue`, a file a table: votes, their sums, and the snapshots of the boards.

pub mod board_snapshots;
pub mod listing_voters;
pub mod tallies;
pub mod voters;
pub mod votes;
