//! Access to the schema `gateway` in PostgreSQL, one file per table. Accounts, keys and switches are changed by
//! [`crate::write`] only.

pub mod accounts;
pub(crate) mod column;
pub mod games;
pub mod key_requests;
pub mod keys;
pub mod month_use;
pub mod pages;
pub mod plans;
pub mod switches;
