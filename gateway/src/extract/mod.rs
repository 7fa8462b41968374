//! What handlers take out of a request.

pub mod caller;
pub mod if_match;
mod min_position;
pub mod object;
pub mod once;
pub mod query;
pub mod segment;
