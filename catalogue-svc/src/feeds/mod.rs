//! The feed of listings, which every replica follows into memory.

pub mod listings;
