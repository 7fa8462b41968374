//! The public port itself, with malformed HTTP.

mod smuggling;
