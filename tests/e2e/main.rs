//! The public interface on a running fleet. A module a subject of the contract.
#![expect(clippy::unwrap_used, reason = "a test")]

mod answers;
mod bad_input;
mod changes;
mod checks;
mod creators;
mod dashboard;
mod economy;
mod envelope;
mod events;
mod games;
mod internal;
mod key_review;
mod keys;
mod lists;
mod me;
mod members;
mod pictures;
mod places;
mod port;
mod quota;
mod rankings;
mod schemas;
mod search;
mod site;
mod staff_apply;
mod staff_tool;
mod states;
mod votes;
mod write_errors;
mod writes;
