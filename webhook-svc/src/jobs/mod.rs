//! Background jobs. Each runs in one replica at a time, except [`secret_keys`].

pub mod maintenance;
pub mod recovery;
pub mod secret_keys;
pub mod sweep;
