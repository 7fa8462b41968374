//! Rules without I/O.

pub mod agent;
pub mod email;
pub mod link;
pub mod listing_kind;
pub mod next_page;
pub mod password;
pub mod recovery;
pub mod role;
pub mod session_token;
pub mod totp;
