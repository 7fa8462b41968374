//! Plan tables with which the gateway refuses to start.

use std::process::{Command, Output};

use sqlx::PgPool;

use crate::support::{Test, redis_url};

const TABLE: &str =
    "version = 1\n[[plan]]\nname = \"free\"\ntitle = \"Free\"\nwebhook_events = false\n";

/// Runs the gateway with a plan table, on the database of `pool`, until it exits.
fn run(pool: &PgPool, table: &str) -> Output {
    let options = pool.connect_options();
    let database = options.get_database().unwrap();
    #[expect(clippy::disallowed_methods, reason = "tests have no settings")]
    let given = std::env::var("DATABASE_URL").unwrap();
    let (server, _) = given.rsplit_once('/').unwrap();
    let file = std::env::temp_dir().join(format!("plans-{}.toml", kit::ids::row_id()));
    std::fs::write(&file, table).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gateway"))
        .args([
            "--profile=local",
            "--fleet-token=fleet-token-fleet-token-fleet-token",
            "--staff-token=staff-token-staff-token-staff-token",
            "--catalogue-addresses=http://127.0.0.1:1",
            "--listings-addresses=http://127.0.0.1:1",
            "--economy-addresses=http://127.0.0.1:1",
            "--webhook-addresses=http://127.0.0.1:1",
            "--docs-url=http://127.0.0.1:1/docs",
            "--api-url=http://127.0.0.1:1/v1",
            "--admin-listen=127.0.0.1:0",
            "--grpc-listen=127.0.0.1:0",
            "--http-listen=127.0.0.1:0",
            &format!("--database-url={server}/{database}"),
            &format!("--redis-url={}", redis_url()),
            &format!("--plans={}", file.display()),
        ])
        .output()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    output
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_table_without_a_plan_of_an_account_is_rejected(pool: PgPool) {
    let test = Test::new(pool.clone()).await;
    test.account("free").await;
    test.account("partner").await;
    let output = run(&pool, TABLE);
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    let expected = "plans: the table lacks partner, which accounts are on; it has free";
    assert!(said.contains(expected), "{said}");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_table_without_a_version_is_rejected(pool: PgPool) {
    let output = run(&pool, TABLE.trim_start_matches("version = 1\n"));
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("`version` is missing"), "{said}");
}
