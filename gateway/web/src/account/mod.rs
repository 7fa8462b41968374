//! Accounts: keys, usage, webhooks, team and activity. Every page is an RPC of the service that owns its rules, with the account as scope.

pub mod activity;
pub mod choice;
pub mod effect;
pub mod keys;
pub mod list;
pub mod member_request;
pub mod page_context;
mod page_part;
pub mod plans;
mod recent_items;
pub mod requests;
pub mod settings;
pub mod team;
pub mod today;
pub mod usage;
pub mod webhooks;
