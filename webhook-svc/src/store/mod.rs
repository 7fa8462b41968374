//! The tables of schema `webhook`.

pub(crate) mod accounts;
pub(crate) mod listings;
pub(crate) mod plans;
