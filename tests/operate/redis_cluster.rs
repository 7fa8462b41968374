//! Redis Cluster with TLS and three masters with replicas. One master fails: every read is answered, and until a replica has taken over, each
//! gateway counts the calls of that master's accounts locally.

use e2e::{Client, Fleet, Receiver, SmallFleet, Staff, burst, eventually};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use testing::redis::Servers;

use crate::model::{Model, TWO_OF_EACH};

const KILLED: usize = 0;
/// The last slot of that node: redis-cli assigns the slots to three masters in this way.
const LAST_SLOT: u32 = 5460;
const NODES: std::ops::Range<usize> = 0..6;

/// A client on the plan `free` whose counters are on the killed node.
async fn caller_on_killed(servers: &Servers, fleet: &Fleet) -> Client {
    let mut staff = Staff::new(fleet).await;
    loop {
        let caller = staff.caller(fleet, "free").await;
        let me = caller.get("/me").await;
        let account = me.data()["account"]["id"].as_str().unwrap().to_owned();
        let key = format!("gateway:{{{account}}}:usage");
        let slot = servers.command(1, &["cluster", "keyslot", &key]).unwrap();
        if slot.trim().parse::<u32>().unwrap() <= LAST_SLOT {
            return caller;
        }
    }
}

async fn until_failed_over(servers: &Servers) {
    eventually("a replica has taken the place of its master", async || {
        let info = servers.command(1, &["cluster", "info"]).ok()?;
        let has = |line: &str| info.lines().any(|it| it.trim() == line);
        (has("cluster_slots_ok:16384") && has("cluster_slots_fail:0")).then_some(())
    })
    .await;
    let nodes = || servers.command(1, &["cluster", "nodes"]);
    eventually("the dead master has no slots", async || {
        let nodes = nodes().ok()?;
        let mut masters = nodes.lines().filter(|line| line.contains(" 0-5460"));
        masters.all(|line| !line.contains("fail") && !line.contains("disconnected")).then_some(())
    })
    .await;
}

#[tokio::test]
#[ignore = "long: two replicas of each service, and a failover of Redis Cluster"]
async fn a_master_of_redis_cluster_is_killed_and_every_read_is_answered() {
    let servers = Servers::cluster_with_replicas(true).unwrap();
    let receiver = Receiver::start().await;
    let mut small = SmallFleet::patient();
    small.set("REDIS_URL", &servers.url());
    // Redis does fail here, so the gateways use the default timeout.
    small.set("GATEWAY_REDIS_PATIENCE", "50");
    small.set("WEB_TRUSTED_PROXIES", "127.0.0.1");
    small.set("WEBHOOK_ALLOW", &format!("http://{}", receiver.address));
    let fleet = small.up_with(&["--replicas", TWO_OF_EACH]).await;
    let model = Model::new(&fleet, &fleet, receiver).await;
    let caller = caller_on_killed(&servers, &fleet).await;

    let fault = async || {
        // Each gateway has the key in its cache after this.
        let mut passed = vec![burst(&fleet, &caller).await];
        for node in NODES {
            let soon = ["config", "set", "cluster-node-timeout", "2000"];
            servers.command(node, &soon).unwrap();
        }
        let killed = servers.pid(KILLED).try_into().unwrap();
        kill(Pid::from_raw(killed), Signal::SIGKILL).unwrap();
        passed.push(burst(&fleet, &caller).await);
        until_failed_over(&servers).await;
        println!("calls of an account with 60 a minute: {passed:?}");
    };
    model.through("a master of Redis Cluster is killed", fault).await;
    small.assert_own_writes_are_read(&fleet).await;
}
