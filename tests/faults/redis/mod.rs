//! A Redis that is paused, emptied, or killed, while two gateways are called without a break. Meanwhile every call is answered 200,
//! and each gateway holds keys to their minute. Afterwards the month's use is what was answered, up to the bound that the gateway's
//! README gives, and who writes reads it again.

mod load;

use std::path::PathBuf;
use std::time::Duration;

use e2e::{Client, Fleet, SmallFleet, Staff, eventually};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::time::Instant;

use load::Load;

/// The default of the gateway's setting.
const MONTH_FLUSH: Duration = Duration::from_secs(1);
/// Calls that Redis may have been sent and not answered, at each outage: all that are under way, until three have failed on each of
/// a gateway's connections.
const UNCERTAIN: usize = 50;
/// How many calls are a fair part of a load.
const SOME: usize = 300;

struct Scene {
    small: SmallFleet,
    fleet: Fleet,
    load: Load,
}

/// What came of an outage.
struct Outcome {
    answered: usize,
    used: usize,
    /// Calls that were answered in the flush interval before Redis lost its data.
    last_interval: usize,
}

impl Scene {
    async fn set() -> Self {
        let mut small = SmallFleet::new();
        let plans = small.plans();
        let fleet = small
            .up_with(&["--replicas", "gateway=2", "--plans", &plans])
            .await;
        let load = Load::new(&fleet).await;
        Self { small, fleet, load }
    }

    fn redis(&self) -> Option<Pid> {
        self.small
            .fleet()
            .pids()
            .get("redis")
            .copied()
            .map(Pid::from_raw)
    }

    fn signal_redis(&self, signal: Signal) {
        kill(self.redis().unwrap(), signal).unwrap();
    }

    fn command(&self, words: &[&str]) -> Vec<String> {
        let client = redis::Client::open(self.fleet.redis_url.as_str()).unwrap();
        let mut connection = client.get_connection().unwrap();
        let mut command = redis::cmd(words[0]);
        command.arg(&words[1..]);
        let answer: redis::Value = command.query(&mut connection).unwrap();
        redis::from_redis_value(answer).unwrap_or_default()
    }

    /// The sum of a metric over the gateways.
    async fn metric(&self, name: &str, service: &str) -> Vec<f64> {
        let mut values = Vec::new();
        for one in self.fleet.services.iter().filter(|one| one.name == service) {
            let text = reqwest::get(&one.metrics)
                .await
                .unwrap()
                .text()
                .await
                .unwrap();
            let lines = text.lines().filter_map(|line| line.strip_prefix(name));
            values.push(
                lines
                    .filter_map(|rest| rest.trim().parse::<f64>().ok())
                    .sum(),
            );
        }
        values
    }

    /// Returns when every gateway has found Redis away, or back.
    async fn until_away(&self, away: bool) {
        eventually("the gateways have found Redis away, or back", async || {
            let open = self.metric("redis_breakers_open", "gateway").await;
            open.iter().all(|open| (*open > 0.5) == away).then_some(())
        })
        .await;
    }

    /// Returns when Redis was told of all calls, and PostgreSQL of what Redis has.
    async fn until_settled(&self) {
        let name = "month_use_exchanges_total";
        let before = self.metric(name, "gateway").await;
        eventually("the gateways have exchanged what they know", async || {
            let now = self.metric(name, "gateway").await;
            let more = now
                .iter()
                .zip(&before)
                .all(|(now, before)| *now > before + 2.5);
            more.then_some(())
        })
        .await;
    }

    #[expect(clippy::print_stdout, reason = "how much was forgotten is to be seen")]
    /// Lets an outage happen under load, and looks at the month's use afterwards.
    async fn through(&self, outage: impl AsyncFn() -> Instant) -> Outcome {
        let work = async {
            self.load.answers(SOME).await;
            let lost = outage().await;
            self.load.answers(SOME).await;
            self.load.stop();
            lost
        };
        let (lost, ()) = tokio::join!(work, self.load.flow());
        self.until_away(false).await;
        self.until_settled().await;
        let outcome = Outcome {
            answered: self.load.answered(),
            used: self.load.month_used().await.unwrap(),
            last_interval: self
                .load
                .answered_between(lost.checked_sub(MONTH_FLUSH).unwrap(), lost),
        };
        println!(
            "{} calls answered, {} counted; {} answered in the flush interval before",
            outcome.answered, outcome.used, outcome.last_interval
        );
        outcome
    }

    /// A key of 60 calls a minute passes 60 times at each gateway.
    async fn each_gateway_holds_the_minute(&self) {
        let key = Staff::of(&self.fleet)
            .await
            .caller(&self.fleet, "free")
            .await;
        for gateway in self
            .fleet
            .services
            .iter()
            .filter(|one| one.name == "gateway")
        {
            let caller = key.at(gateway);
            for call in 0..70 {
                let answer = caller.get("/games?limit=1").await;
                if call < 60 {
                    assert_eq!(answer.status, 200, "{}", answer.text);
                } else {
                    answer.assert_error(429, "rate_limited");
                }
            }
        }
    }

    /// What is written is there for the next call, at both gateways.
    async fn own_writes_are_read(&self) {
        let slug = "adventures-of-nyangi";
        let path = format!("/games/{slug}");
        for service in ["gateway", "listings-svc"] {
            eventually("each process has found Redis again", async || {
                let open = self.metric("redis_breakers_open", service).await;
                open.iter().all(|open| *open < 0.5).then_some(())
            })
            .await;
        }
        let callers: Vec<Client> = self
            .fleet
            .by_gateway()
            .iter()
            .map(|gateway| Client::new(gateway, &gateway.account("partner").keys.live))
            .collect();
        for _ in 0..3 {
            let take_down = ["take-down", "game", slug, "--reason", "A test"];
            self.small.staff(&take_down).await;
            for caller in &callers {
                caller.get(&path).await.assert_error(404, "not_found");
            }
            self.small.staff(&["restore", "game", slug]).await;
            for caller in &callers {
                assert_eq!(caller.get(&path).await.status, 200);
            }
        }
    }
}

impl Outcome {
    /// Nothing is counted twice, and what is forgotten was answered in the last flush interval, or sent and not answered.
    fn assert_bound(&self, lost_data: bool) {
        let Self {
            answered,
            used,
            last_interval,
        } = self;
        let forgotten = UNCERTAIN + if lost_data { *last_interval } else { 0 };
        assert!(*used <= *answered, "{used} of {answered} are counted");
        assert!(
            used + forgotten >= *answered,
            "{used} of {answered} are counted"
        );
    }
}

#[tokio::test]
async fn a_redis_that_is_paused_is_done_without() {
    let scene = Scene::set().await;
    let outcome = scene
        .through(async || {
            scene.signal_redis(Signal::SIGSTOP);
            scene.until_away(true).await;
            scene.each_gateway_holds_the_minute().await;
            scene.load.answers(SOME).await;
            scene.signal_redis(Signal::SIGCONT);
            Instant::now()
        })
        .await;
    outcome.assert_bound(false);
    scene.own_writes_are_read().await;
}

#[tokio::test]
async fn a_redis_that_is_emptied_counts_on_from_postgresql() {
    let scene = Scene::set().await;
    let outcome = scene
        .through(async || {
            let lost = Instant::now();
            scene.command(&["FLUSHALL"]);
            lost
        })
        .await;
    outcome.assert_bound(true);
    scene.own_writes_are_read().await;
}

#[tokio::test]
async fn a_redis_that_is_killed_counts_on_from_its_file() {
    let scene = Scene::set().await;
    let outcome = scene.through(async || scene.kill().await).await;
    outcome.assert_bound(true);
    scene.own_writes_are_read().await;
}

#[tokio::test]
async fn a_redis_that_comes_back_empty_counts_on_from_postgresql() {
    let scene = Scene::set().await;
    let outcome = scene
        .through(async || {
            // Its files are gone, as with their disk.
            let folder = PathBuf::from(&scene.command(&["CONFIG", "GET", "dir"])[1]);
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    std::fs::remove_dir_all(path).unwrap();
                } else {
                    std::fs::remove_file(path).unwrap();
                }
            }
            scene.kill().await
        })
        .await;
    outcome.assert_bound(true);
    scene.own_writes_are_read().await;
}

impl Scene {
    /// Kills Redis, and waits until the launcher has started it again. Returns when it was killed.
    async fn kill(&self) -> Instant {
        let before = self.redis().unwrap();
        let killed = Instant::now();
        kill(before, Signal::SIGKILL).unwrap();
        self.until_away(true).await;
        self.each_gateway_holds_the_minute().await;
        eventually("Redis is started again", async || {
            (self.redis()? != before).then_some(())
        })
        .await;
        killed
    }
}
