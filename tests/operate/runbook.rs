//! The runbook: what alerts and settings link to exists.
