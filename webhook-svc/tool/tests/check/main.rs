//! `webhook check` against receivers that keep the rules, and receivers that break one each.
#![expect(clippy::unwrap_used, reason = "tests")]

mod broken;
mod failing_work;
mod good;
mod process;
mod sender;
