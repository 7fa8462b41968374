#![doc = include_str!("../README.md")]

pub mod check;
pub mod client;
pub mod clock;
pub mod inbox;
pub mod listen;
pub mod server;
pub mod signature;
pub mod work;
