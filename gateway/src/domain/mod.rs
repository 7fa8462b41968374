//! Keys, plans, quotas, switches, addresses and what a call may do: pure, without I/O or a clock.

pub mod access;
pub mod account;
pub mod address;
pub mod fields;
pub mod key;
pub mod key_request;
pub mod picture;
pub mod plan;
pub mod plan_table;
pub mod quota;
pub mod secret;
pub mod staff_action;
pub mod switch;
