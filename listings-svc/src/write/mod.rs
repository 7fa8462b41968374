//! The commands. Every change of a record is made by one of them.
//!
//! A command is one function in one transaction of the feed, with the steps lock, load, decide,
//! save, publish; each kind of command has a file. Rows are locked in the order accounts, listings,
//! the lock of a kind, pictures, head of the feed; a page is locked before its games. An import
//! locks its kind first, and no account.

pub mod absent;
pub mod claims;
pub mod import;
pub mod limits;
pub mod moderate;
pub mod own_action;
mod page_games;
pub mod page_owners;
pub mod pictures;
mod record_change;
pub mod staff_edit;
pub mod submission;

use kit::feed::Producer;

use crate::feed::PublicUrl;

/// What commands need. Each begins with a transaction of the producer.
#[derive(Debug)]
pub struct CommandDependencies {
    pub producer: Producer,
    pub public_url: PublicUrl,
    /// Maximum number of pending submissions of one account.
    pub max_pending: i64,
}
