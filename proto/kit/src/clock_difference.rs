//! Compares the machine's clock with PostgreSQL's and Redis's. A replica whose clock differs from
//! PostgreSQL's at its start is not ready.
//!
//! Replicas use PostgreSQL's time ([`pg::now`]) for what they must agree on, and in each
//! transaction of a feed; calls are counted by Redis's. Checks of calls, answers and caches use the
//! clock of the replica, which must therefore be about right. A replica that is ready stays ready
//! when the clocks come to differ: if PostgreSQL's clock is the wrong one, all replicas would stop
//! at once. No replica waits for a comparison with Redis's clock, because it also works without
//! Redis. A metric and the log tell the operator.

use std::time::Duration;

use sqlx::PgPool;
use time::OffsetDateTime;

use crate::admin::Condition;
use crate::clock::Clock;
use crate::pg;
use crate::redis::Redis;

/// A larger difference is wrong.
const LIMIT: time::Duration = time::Duration::seconds(2);
/// How often the clocks are compared until they agree, and after that.
const FIRST_INTERVAL: Duration = Duration::from_secs(5);
const INTERVAL: Duration = Duration::from_mins(1);
/// How long PostgreSQL may take to tell its time.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Who has the other clock.
#[derive(Debug, Clone)]
pub(crate) enum Server {
    PostgreSql(PgPool),
    /// Of a cluster, any node.
    Redis(Redis),
}

/// The comparison of the clocks of one process.
#[derive(Debug)]
pub(crate) struct ClockComparison {
    server: Server,
    /// Met once the clocks have agreed.
    agreed: Option<Condition>,
    has_agreed: bool,
    is_wrong: bool,
}

impl Server {
    fn name(&self) -> &'static str {
        match self {
            Self::PostgreSql(_) => "PostgreSQL",
            Self::Redis(_) => "Redis",
        }
    }

    /// How far this machine's clock is ahead of the server's.
    async fn compare(&self) -> anyhow::Result<time::Duration> {
        // A clock that tests have moved differs on purpose.
        let clock = Clock::system();
        match self {
            Self::PostgreSql(pool) => {
                let asking = pg::within(pool, TIMEOUT, async |connection| {
                    let before = clock.now();
                    let there = pg::now(connection, &clock).await?;
                    Ok(ahead(before, there, clock.now()))
                });
                Ok(asking.await?)
            }
            Self::Redis(redis) => {
                let before = clock.now();
                let told = redis.query("read the time", &redis::cmd("TIME")).await;
                // The connection logs why.
                let (seconds, microseconds): (i64, i64) =
                    told.map_err(|_unavailable| anyhow::anyhow!("Redis is unavailable"))?;
                let there =
                    time::Duration::seconds(seconds) + time::Duration::microseconds(microseconds);
                let there = OffsetDateTime::UNIX_EPOCH.saturating_add(there);
                Ok(ahead(before, there, clock.now()))
            }
        }
    }
}

impl ClockComparison {
    /// The process is ready only when its clock has agreed with PostgreSQL's.
    pub(crate) fn with_postgresql(pool: PgPool, agreed: Condition) -> Self {
        Self::new(Server::PostgreSql(pool), Some(agreed))
    }

    pub(crate) fn with_redis(redis: Redis) -> Self {
        Self::new(Server::Redis(redis), None)
    }

    fn new(server: Server, agreed: Option<Condition>) -> Self {
        Self { server, agreed, has_agreed: false, is_wrong: false }
    }

    /// Compares the clocks again and again, for ever.
    pub(crate) async fn watch(mut self) -> anyhow::Result<()> {
        loop {
            let interval = if self.has_agreed { INTERVAL } else { FIRST_INTERVAL };
            tokio::time::sleep(interval).await;
            self.compare().await;
        }
    }

    /// Compares the clocks. Nothing changes while the server does not answer.
    pub(crate) async fn compare(&mut self) {
        match self.server.compare().await {
            Ok(ahead) => self.record(ahead),
            Err(error) => {
                let server = self.server.name();
                tracing::debug!(%error, "cannot compare the clock with {server}'s");
            }
        }
    }

    /// Records how far this clock is ahead of the server's.
    fn record(&mut self, ahead: time::Duration) {
        let (seconds, server) = (ahead.as_seconds_f64(), self.server.name());
        metrics::gauge!("clock_difference_seconds", "server" => server).set(seconds);
        let was_wrong = std::mem::replace(&mut self.is_wrong, ahead.abs() > LIMIT);
        if !self.is_wrong {
            if was_wrong {
                tracing::info!("the clock agrees with {server}'s again");
            }
            self.has_agreed = true;
            if let Some(agreed) = &self.agreed {
                agreed.set(true);
            }
            return;
        }
        let problem = format!("the clock differs by {seconds:+.1} s from {server}'s");
        if !was_wrong {
            tracing::error!("{problem}; set the clock that is wrong");
        }
        if let Some(agreed) = self.agreed.as_ref().filter(|_| !self.has_agreed) {
            agreed.fail(format!("{problem}; set this machine's clock"));
        }
    }
}

/// How far this clock is ahead of one that showed `there` at some moment between `before` and `after`.
fn ahead(before: OffsetDateTime, there: OffsetDateTime, after: OffsetDateTime) -> time::Duration {
    if there < before {
        before - there
    } else if there > after {
        after - there
    } else {
        time::Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;
    use testing::wait_until;
    use time::macros::datetime;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;
    use crate::admin::Readiness;

    #[test]
    fn a_slow_answer_is_no_difference() {
        let at = |seconds| datetime!(2026-01-01 00:00 UTC) + time::Duration::seconds(seconds);
        for (there, expected) in [(0, 0), (5, 0), (9, 0), (-3, 3), (12, -3)] {
            let found = ahead(at(0), at(there), at(9));
            assert_eq!(found.whole_seconds(), expected, "{there}");
        }
    }

    #[testing::database_test]
    async fn a_replica_whose_clock_differs_at_its_start_is_not_ready(pool: PgPool) {
        let readiness = Readiness::default();
        let agreed = readiness.condition("the clock to be compared");
        let mut comparison = ClockComparison::with_postgresql(pool.clone(), agreed);
        // A comparison that takes too long has no result, so try again.
        for (behind, expected) in [(604_800, "+604"), (-600, "-")] {
            let behind = testing::postgres::behind(&pool, behind).await.unwrap();
            comparison.server = Server::PostgreSql(behind);
            let says = format!("the clock differs by {expected}");
            wait_until(&says, async || {
                comparison.compare().await;
                readiness.missing()[0].starts_with(&says)
            })
            .await;
            assert!(!*readiness.watch().borrow());
        }
        comparison.server = Server::PostgreSql(pool);
        wait_until("the clocks agree", async || {
            comparison.compare().await;
            *readiness.watch().borrow()
        })
        .await;
    }

    #[testing::database_test]
    async fn a_clock_that_goes_wrong_later_is_measured_and_the_replica_stays_ready(pool: PgPool) {
        let readiness = Readiness::default();
        let agreed = readiness.condition("the clock to be compared");
        let recorder = PrometheusBuilder::new().build_recorder();
        let mut comparison = ClockComparison::with_postgresql(pool.clone(), agreed);
        comparison.has_agreed = true;
        comparison.agreed.as_ref().unwrap().set(true);
        for (behind, is_wrong, measured) in [(600, true, "600"), (0, false, "0")] {
            comparison.server = Server::PostgreSql(match behind {
                0 => pool.clone(),
                behind => testing::postgres::behind(&pool, behind).await.unwrap(),
            });
            wait_until("the clocks are compared", async || {
                comparison.compare().await;
                comparison.is_wrong == is_wrong
            })
            .await;
            assert!(*readiness.watch().borrow(), "{:?}", readiness.missing());
            // The recorder of this thread is local: a future may not hold it.
            metrics::with_local_recorder(&recorder, || {
                comparison.record(time::Duration::seconds(behind.into()));
            });
            let metrics = recorder.handle().render();
            let line = format!("clock_difference_seconds{{server=\"PostgreSQL\"}} {measured}");
            assert!(metrics.lines().any(|it| it == line), "{metrics}");
        }
    }

    /// A Redis whose clock shows this second. It answers one connection.
    async fn redis_at(second: i64) -> Redis {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("redis://{}", listener.local_addr().unwrap());
        let answer = move |command: &str| {
            if command.contains("TIME") {
                format!("*2\r\n${}\r\n{second}\r\n$1\r\n0\r\n", second.to_string().len())
            } else if command.contains("INFO") {
                "$0\r\n\r\n".to_owned()
            } else {
                "+OK\r\n".to_owned()
            }
        };
        #[expect(clippy::disallowed_methods, reason = "a test has no shutdown")]
        tokio::spawn(async move {
            let (mut caller, _) = listener.accept().await.unwrap();
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = caller.read(&mut bytes).await {
                let text = String::from_utf8_lossy(&bytes[..read]);
                let commands = text.split('*').filter(|command| !command.is_empty());
                let answers: String = commands.map(answer).collect();
                caller.write_all(answers.as_bytes()).await.unwrap();
            }
        });
        Redis::lazy(&url.into(), Duration::from_mins(1), "a test").unwrap()
    }

    #[tokio::test]
    async fn the_clock_of_redis_is_compared_too() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let _recording = metrics::set_default_local_recorder(&recorder);
        let now = Clock::system().now().unix_timestamp();
        for (behind, is_wrong) in [(0, false), (3_600, true), (-3_600, true)] {
            let mut comparison =
                ClockComparison::with_redis(redis_at(now - i64::from(behind)).await);
            comparison.compare().await;
            assert_eq!(comparison.is_wrong, is_wrong, "{behind}");
            let metrics = recorder.handle().render();
            let name = "clock_difference_seconds{server=\"Redis\"} ";
            let measured = metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            let measured: f64 = measured.parse().unwrap();
            assert!((measured - f64::from(behind)).abs() < 60.0, "{measured}");
        }
    }
}
