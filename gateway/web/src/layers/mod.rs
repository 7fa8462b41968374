//! The layers of every request: id, headers, error pages, deadline, the client's address, the form of the path, the coding of a form, access control,
//! and the limit of pages per minute.
//!
//! Public pages also have a tag and a cache.

pub mod access;
pub mod client;
pub mod coding;
pub mod deadline;
pub mod error_page;
pub mod headers;
pub mod log;
pub mod path;
pub mod public;
pub mod typed_form;
