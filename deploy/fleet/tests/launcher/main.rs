//! The launcher as a process, with a real PostgreSQL and Redis and fake services.

#![expect(clippy::unwrap_used, reason = "test support: a step that fails is a failed test")]

mod killed;
mod life;
mod refusals;
mod test_fleet;
mod test_script;
