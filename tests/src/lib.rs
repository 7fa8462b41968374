#![doc = include_str!("../README.md")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "test support: a test that cannot go on says so and ends"
)]

mod client;
mod eventually;
mod fleet;
mod guess;
pub mod raw;
mod small_fleet;
mod staff;

pub use client::{Answer, Client};
pub use eventually::{eventually, eventually_within};
pub use fleet::{Account, Fleet, Keys, Server, Service};
pub use guess::guess;
pub use small_fleet::SmallFleet;
pub use staff::{KeyRequest, NewAccount, Staff};
