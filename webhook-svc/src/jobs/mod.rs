//! Background jobs. Each runs in one replica at a time.

pub mod maintenance;
pub mod recovery;
pub mod sweep;
