//! TLS between services, and which service may call what.

mod permissions;
mod tokens;
mod transport;
