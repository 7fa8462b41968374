//! The public port itself: what is hardly HTTP.

mod smuggling;
