//! The fleet behind PgBouncer.
