//! What every request passes: its id, headers, time and origin, who may see its page, and how many pages a minute.

pub mod access;
pub mod client;
pub mod headers;
pub mod log;
pub mod typed_form;
pub mod visit;
