//! The public API of a running fleet, with one module per subject of the contract.
#![expect(clippy::unwrap_used, reason = "a test")]

mod answers;
mod bad_input;
mod clients;
mod dashboard;
mod docs;
mod economy;
mod internal;
mod labels;
mod links;
mod lists;
mod me;
mod messages;
mod numbers;
mod pictures;
mod port;
mod reads;
mod schemathesis;
mod site;
mod staff_apply;
mod staff_tool;
mod updated_since;
mod writes;
