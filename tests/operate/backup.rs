//! Backup of PostgreSQL and pictures, and a restore to an earlier time.
