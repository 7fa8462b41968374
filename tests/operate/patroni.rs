//! PostgreSQL under Patroni, whose primary fails.
