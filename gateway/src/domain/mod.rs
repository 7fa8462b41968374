//! Pure rules without I/O and clock: keys, plans, quotas, switches, client addresses and authorization.

pub mod access;
pub mod account;
pub mod author;
pub mod call_record;
pub mod fields;
pub mod key;
pub mod key_request;
pub mod month;
pub mod owner_limits;
pub mod plan;
pub mod plan_table;
pub mod quota;
pub mod secret;
pub mod staff_action;
pub mod switch;
