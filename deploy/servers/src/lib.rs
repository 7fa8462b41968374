//! Finds PostgreSQL and Redis on this machine, and says how to start private ones: for the launcher, and for tests with servers of their own.

pub mod postgres;
mod program;
pub mod redis;
mod user;

pub use program::find;
pub use user::ServerUser;
