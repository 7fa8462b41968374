//! What [`database_test`](crate::database_test) expands to.

use std::pin::Pin;

use sqlx::PgPool;
use sqlx::migrate::Migrator;
use sqlx::testing::{TestArgs, TestFn as _};

/// The body of a test, boxed so that all tests share the code of [`run`].
pub type Test = fn(PgPool) -> Pin<Box<dyn Future<Output = ()>>>;

/// Runs a test on a new database with the tables of `migrator`. The path of the test names the database.
pub fn run(path: &'static str, migrator: Option<&'static Migrator>, test: Test) {
    let mut args = TestArgs::new(path);
    if let Some(migrator) = migrator {
        args.migrator(migrator);
    }
    test.run_test(args);
}
