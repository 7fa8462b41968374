//! PostgreSQL under Patroni, whose leader, store or proxy fails. Reads are answered, and no acknowledged write is lost.

use std::cell::Cell;
use std::time::Duration;

use e2e::{Receiver, SmallFleet, eventually, long_form};

use crate::model::{Model, TWO_OF_EACH};
use crate::patroni_cluster::Cluster;

/// How long a server is paused: longer than the time that Patroni allows a silent leader.
const PAUSE: Duration = Duration::from_secs(15);

struct PatroniFleet {
    cluster: Cluster,
    model: Model,
    _fleet: SmallFleet,
}

impl PatroniFleet {
    async fn start() -> Self {
        let cluster = Cluster::start().await;
        let receiver = Receiver::start().await;
        let mut small = SmallFleet::patient_except_with_postgresql();
        small.set("DATABASE_URL", &cluster.url());
        small.set("WEBHOOK_ALLOW", &format!("http://{}", receiver.address));
        let fleet = small.up_with(&["--replicas", TWO_OF_EACH]).await;
        let model = Model::new(&fleet, &fleet, receiver).await;
        Self { cluster, model, _fleet: small }
    }

    /// Kills the leader, waits for its successor, and restarts it.
    async fn kill_the_leader(&self) {
        let leader = self.cluster.leader().await;
        self.cluster.kill_node(leader);
        self.another_leads(leader).await;
        self.cluster.start_node(leader);
        self.cluster.until_whole().await;
    }

    /// Pauses the leader until it has a successor.
    async fn pause_the_leader(&self) {
        let leader = self.cluster.leader().await;
        let paused = self.cluster.pause_node(leader);
        self.another_leads(leader).await;
        drop(paused);
        self.cluster.until_whole().await;
    }

    /// Kills the leader of etcd, while the other two members go on, and restarts it after the comparison.
    async fn without_the_leader_of_etcd(&self) {
        let killed = Cell::new(None);
        let fault = async || {
            killed.set(Some(self.cluster.etcd.kill_leader().await));
            self.cluster.until_whole().await;
        };
        self.model.through("the leader of etcd is killed", fault).await;
        self.cluster.etcd.start(killed.get().unwrap());
    }

    async fn another_leads(&self, before: usize) {
        eventually("another node leads", async || {
            (self.cluster.leader().await != before).then_some(())
        })
        .await;
    }
}

/// Runs each fault `PATRONI_CYCLES` times.
#[tokio::test]
#[ignore = "long: each failover takes up to ten seconds, and 15 s are a pause"]
async fn postgresql_fails_over_and_no_acknowledged_write_is_lost() {
    let cycles: u32 = long_form("PATRONI_CYCLES", 1);
    let patroni = PatroniFleet::start().await;
    let (model, cluster) = (&patroni.model, &patroni.cluster);
    for _ in 0..cycles {
        let killed = async || patroni.kill_the_leader().await;
        let cost = model.through("the leader is killed", killed).await;
        // Redis counts the calls, and has not failed.
        assert_eq!(cost.uncounted, 0, "{cost:?}");
        let paused = async || patroni.pause_the_leader().await;
        model.through("the leader is paused", paused).await;
        let restarted = async || cluster.etcd.restart();
        model.through("all of etcd is killed and starts again", restarted).await;
        patroni.without_the_leader_of_etcd().await;
        // Without etcd, Patroni demotes the leader, so nothing is written until etcd answers.
        let store_paused = async || {
            let paused = cluster.etcd.pause();
            tokio::time::sleep(PAUSE).await;
            drop(paused);
            cluster.until_whole().await;
        };
        model.through("all of etcd is paused for 15 s", store_paused).await;
        let proxy = async || cluster.restart_haproxy();
        model.through("haproxy is killed and starts again", proxy).await;
    }
}
