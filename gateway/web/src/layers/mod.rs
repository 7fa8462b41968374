//! The layers of every request.
//!
//! They are: id, headers, error pages, deadline, the client's address, the form of the path, the
//! coding of a form, access control, the person of a form, and the limit of pages per minute.
//!
//! Public pages also have a tag and a cache.

pub mod access;
pub mod client;
pub mod coding;
pub mod deadline;
pub mod error_page;
pub mod form_person;
pub mod headers;
pub mod log;
pub mod path;
pub mod public;
pub mod typed_form;
