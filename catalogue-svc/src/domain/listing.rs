//! The two datasets of listings.

pub use kit::Mode;
