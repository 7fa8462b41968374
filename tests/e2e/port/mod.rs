//! The public port itself, with malformed and with long HTTP.

mod lengths;
mod smuggling;
