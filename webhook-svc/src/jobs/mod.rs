//! Background jobs. Each runs in one replica at a time.

pub mod mail;
pub mod maintenance;
pub mod sweep;
