//! The services behind the gateway: a client each, with a method for each of its calls, a deadline, and a limit of calls at once.

mod catalogue;
mod economy;
mod limit;
mod listings;
pub mod min_position;
pub mod pictures;
mod position;
mod write;

use std::time::Duration;

pub use catalogue::Catalogue;
pub use economy::{Economy, Rates};
pub use listings::Listings;

/// What calls to a service are held to.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// What takes longer counts as away.
    pub deadline: Duration,
    /// The same for what changes something. It is waited for longer, since nobody knows what became of it else.
    pub write_deadline: Duration,
    /// Calls that it has at once.
    pub calls: usize,
    /// How long a further one waits for a permit.
    pub patience: Duration,
}
