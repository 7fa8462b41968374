//! Which service may call what, and the replacement of tokens.

mod permissions;
mod tokens;
