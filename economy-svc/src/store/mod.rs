//! The schema `economy` in PostgreSQL, a file a subject. Everything but the games, which listings-svc tells of, is changed through
//! [`crate::write`] only.

pub mod currencies;
pub mod economy;
pub mod games;
pub mod history;
pub mod pages;
pub mod reports;
pub mod swaps;
pub mod tips;
pub mod version;
