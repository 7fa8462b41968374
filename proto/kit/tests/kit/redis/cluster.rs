//! A cluster of three masters.

use std::time::Duration;

use futures::future::join_all;
use kit::config::Secret;
use kit::redis::{Redis, Script, Unavailable, evaluate};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use redis::Cmd;
use testing::redis::Servers;
use testing::wait_until;

const LONG: Duration = testing::LONG;
/// The timeout of calls to a node that hangs. Longer than any pause of the machine, since the other nodes must answer in time.
const SHORT: Duration = Duration::from_secs(12);
const COUNT: &str = "return redis.call('incr', KEYS[1])";

fn connect(url: String, timeout: Duration) -> Redis {
    Redis::lazy(&Secret::from(url), timeout, "a test goes on").unwrap()
}

fn key(account: usize) -> String {
    format!("{{{account}}}:count")
}

fn count(script: &Script, account: usize) -> Cmd {
    let mut command = evaluate(script, 1);
    command.arg(key(account));
    command
}

async fn counted(redis: &Redis, script: &Script, account: usize) -> Result<u64, Unavailable> {
    let command = count(script, account);
    redis.invoke("test", script, &command).await
}

fn node_of(servers: &Servers, account: usize) -> usize {
    let slot: u32 =
        servers.command(0, &["cluster", "keyslot", &key(account)]).unwrap().trim().parse().unwrap();
    // redis-cli assigns the slots to three nodes in this way.
    let node = [5460, 10922, 16383].iter().position(|last| slot <= *last);
    node.unwrap()
}

/// An account with a slot on this node.
fn account_on(servers: &Servers, node: usize) -> usize {
    (0..1_000).find(|account| node_of(servers, *account) == node).unwrap()
}

#[tokio::test]
async fn the_url_of_a_single_node_is_rejected_at_start() {
    let servers = Servers::cluster(false).unwrap();
    let url = Secret::from(servers.url_of_node(1));
    let refused = Redis::connect(&url, LONG, "").await.unwrap_err();
    let refused = format!("{refused:#}");
    assert!(refused.contains("redis+cluster://"), "{refused}");
}

#[tokio::test]
async fn a_node_that_hangs_delays_only_its_own_keys() {
    let servers = Servers::cluster(false).unwrap();
    let redis = connect(servers.url(), SHORT);
    let script = Script::new(COUNT);
    let [hung, well] = [0, 1].map(|node| account_on(&servers, node));
    for account in [hung, well] {
        wait_until("both nodes are connected", async || {
            counted(&redis, &script, account).await.is_ok()
        })
        .await;
    }
    servers.command(0, &["client", "pause", "3600000", "all"]).unwrap();
    // Enough failures to open the breaker, but other calls are answered in between.
    let calls = [hung, well, hung, well, hung, well, hung, well];
    let answers = join_all(calls.map(|account| counted(&redis, &script, account))).await;
    for (account, answer) in calls.iter().zip(&answers) {
        if *account == hung {
            assert_eq!(*answer, Err(Unavailable::Unknown));
        } else {
            assert!(answer.is_ok(), "{answers:?}");
        }
    }
    assert!(counted(&redis, &script, well).await.is_ok());
}

#[tokio::test]
async fn the_replica_of_a_master_that_hangs_is_found() {
    let servers = Servers::cluster_with_replicas(false).unwrap();
    // Short, because each call to the master that hangs takes this long.
    let redis = connect(servers.url(), Duration::from_millis(500));
    let script = Script::new(COUNT);
    let account = account_on(&servers, 0);
    wait_until("the master is connected", async || counted(&redis, &script, account).await.is_ok())
        .await;
    for node in 0..6 {
        let soon = ["config", "set", "cluster-node-timeout", "2000"];
        servers.command(node, &soon).unwrap();
    }
    // The process is killed with the other servers, although it is stopped.
    let master = servers.pid(0).try_into().unwrap();
    kill(Pid::from_raw(master), Signal::SIGSTOP).unwrap();
    wait_until("the replica answers in its place", async || {
        counted(&redis, &script, account).await.is_ok()
    })
    .await;
}
