#![doc = include_str!("../README.md")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "test support: a test that cannot go on says so and ends"
)]

mod burst;
mod client;
mod dial;
mod files;
mod fleet;
mod guess;
mod load;
mod long_form;
pub mod mails;
mod openapi;
mod paused;
mod process;
mod public_writes;
pub mod raw;
mod small_fleet;
mod staff;
mod studio;
mod traffic;
mod utc_day;
mod votes;
mod web_client;
mod webhook_receiver;

pub use burst::{Passed, burst};
pub use client::{Client, Response};
pub use dial::dial;
pub use files::may_open;
pub use fleet::{Account, Fleet, Keys, Server, Service};
pub use guess::guess;
pub use load::Load;
pub use long_form::long_form;
pub use paused::{Paused, children};
pub use process::Process;
pub use public_writes::PublicWrites;
pub use small_fleet::{SmallFleet, binaries};
pub use staff::{KeyRequest, NewAccount, Staff, named};
pub use studio::Studio;
pub use testing::{eventually, eventually_within};
pub use traffic::Traffic;
pub use utc_day::a_day_with_time_left;
pub use votes::cast_vote;
pub use web_client::{WebClient, WebPage};
pub use webhook_receiver::{Receiver, add_endpoint};
