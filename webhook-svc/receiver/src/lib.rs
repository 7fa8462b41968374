#![doc = include_str!("../README.md")]

pub mod api;
pub mod check;
pub mod client;
pub mod clock;
pub mod content_encoding;
pub mod cursor_file;
pub mod inbox;
pub mod listen;
pub mod pull;
pub mod server;
pub mod signature;
pub mod signed_headers;
pub mod work;
