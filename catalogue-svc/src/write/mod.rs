//! Commands: every change of votes is made by one of these functions, in one transaction of the feed, a file a subject.
//!
//! Each command takes these steps: lock, look, save, publish. Commands of one voter wait for each
//! other, and so do votes on one listing for the time of their last statements. Votes from one site
//! wait for its void. All lock in one order: the key of voids, the voter, the site, the counts of
//! networks, the sums by hour and listing, the sums by listing. Votes and voids are not published:
//! their sums are the tallies ([`crate::store::tallies`]).

mod board_snapshot;
mod void;
mod vote;

pub use board_snapshot::{NamedMove, announce};
pub use void::{VoidChange, set_void};
pub use vote::{Limits, cast};
