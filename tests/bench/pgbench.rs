//! pgbench's updates of one row or two rows, on the PostgreSQL of a fleet.

use std::process::Stdio;

use e2e::SmallFleet;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::process::Command;

pub(crate) struct Pgbench {
    url: String,
    script: String,
    clients: usize,
}

impl Pgbench {
    /// Each transaction updates one of `rows` rows.
    pub(crate) async fn new(small: &SmallFleet, rows: usize, clients: usize) -> Self {
        let script = format!(
            "\\set id random(1, {rows})\nupdate bench.counter set n = n + 1 where id = :id;\n"
        );
        Self::with(small, rows, script, clients).await
    }

    /// Each transaction updates two of `rows` rows, in the order of their ids, so that no two transactions deadlock.
    pub(crate) async fn two_rows(small: &SmallFleet, rows: usize, clients: usize) -> Self {
        let half = rows / 2;
        let script = format!(
            "\\set one random(1, {half})\n\\set other random({half} + 1, {rows})\nbegin;\n\
             update bench.counter set n = n + 1 where id = :one;\n\
             update bench.counter set n = n - 1 where id = :other;\ncommit;\n"
        );
        Self::with(small, rows, script, clients).await
    }

    /// Recreates the table.
    #[expect(clippy::disallowed_methods, reason = "the benchmarks have no schema of their own")]
    async fn with(small: &SmallFleet, rows: usize, script: String, clients: usize) -> Self {
        let url = small.fleet().database_url;
        let mut connection = PgConnection::connect(&url).await.unwrap();
        let table = format!(
            "drop schema if exists bench cascade;
             create schema bench;
             create table bench.counter (id int primary key, n bigint not null);
             insert into bench.counter select id, 0 from generate_series(1, {rows}) as id"
        );
        let making = sqlx::raw_sql(AssertSqlSafe(table));
        making.execute(&mut connection).await.unwrap();
        Self { script: small.write("update.sql", script), url, clients }
    }

    pub(crate) async fn rate(&self, seconds: u32) -> f64 {
        let output = Command::new("pgbench")
            .args(["--no-vacuum", "--protocol=prepared"])
            .args([
                "--client",
                &self.clients.to_string(),
                "--jobs=2",
                "--time",
                &seconds.to_string(),
            ])
            .args(["--file", &self.script, &self.url])
            .stdin(Stdio::null())
            .output()
            .await
            .unwrap_or_else(|error| {
                panic!(
                    "pgbench: {error}; it comes with PostgreSQL's server (`apt install postgresql`)"
                )
            });
        let said = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "pgbench: {said}{complained}");
        let rate = said.lines().find_map(|line| {
            let (rate, _) = line.strip_prefix("tps = ")?.split_once(' ')?;
            rate.parse().ok()
        });
        rate.unwrap_or_else(|| panic!("pgbench says no rate: {said}"))
    }
}
