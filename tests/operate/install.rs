//! Roles, migrations and the check of the configuration.
