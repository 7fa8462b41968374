//! Cookies, and limits on tries.

mod cookie;
pub mod limits;

pub use cookie::CookieStyle;
