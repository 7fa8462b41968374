//! Rules without I/O.

pub mod account_name;
pub mod action;
pub mod device;
pub mod email;
pub mod link;
pub mod link_host;
pub mod listing_kind;
pub mod next_page;
pub mod password;
pub mod percent;
pub mod picture_name;
pub mod recovery;
pub mod role;
pub mod session_token;
pub mod shell_word;
pub mod staff_action;
pub mod subject;
pub mod totp;
pub mod typed_code;
