//! The fleet behind haproxy and nginx.
