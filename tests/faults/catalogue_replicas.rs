//! Kills or pauses one of two replicas of catalogue-svc while callers load the gateway: no call fails.

use e2e::{Fleet, SmallFleet, eventually};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::load::Load;
use crate::paused::Paused;

/// The number of calls before an outage, and again after it.
const SOME: usize = 300;

struct Scene {
    small: SmallFleet,
    load: Load,
}

impl Scene {
    async fn set() -> Self {
        let mut small = SmallFleet::patient();
        // The gateway retries a call after a quarter of this deadline. On a busy machine, the other replica needs the rest.
        small.set("GATEWAY_UPSTREAM_DEADLINE", "10");
        let plans = small.plans();
        let fleet = small
            .up_with(&["--replicas", "catalogue-svc=2", "--plans", &plans])
            .await;
        let load = Load::new(&fleet).await;
        Self { small, load }
    }

    /// Applies `harm` to the second replica under load. The load asserts that every call is answered 200.
    async fn under_load(&self, harm: impl AsyncFn(Pid)) {
        let second = replicas(&self.small.fleet())[1].unwrap();
        let work = async {
            self.load.answers(SOME).await;
            harm(second).await;
            self.load.answers(SOME).await;
            self.load.stop();
        };
        tokio::join!(work, self.load.flow());
    }
}

fn replicas(fleet: &Fleet) -> Vec<Option<Pid>> {
    let replicas = fleet
        .services
        .iter()
        .filter(|it| it.name == "catalogue-svc");
    replicas.map(|it| it.pid.map(Pid::from_raw)).collect()
}

#[tokio::test]
async fn a_replica_that_is_killed_is_not_missed() {
    let scene = Scene::set().await;
    let killing = async |replica| {
        kill(replica, Signal::SIGKILL).unwrap();
        eventually("the replica is started again", async || {
            let now = replicas(&scene.small.fleet())[1]?;
            (now != replica).then_some(())
        })
        .await;
    };
    for _ in 0..3 {
        scene.under_load(killing).await;
    }
}

#[tokio::test]
async fn a_replica_that_stands_still_is_not_missed() {
    let scene = Scene::set().await;
    let pausing = async |replica| {
        let paused = Paused::process(replica);
        scene.load.answers(SOME).await;
        drop(paused);
    };
    for _ in 0..3 {
        scene.under_load(pausing).await;
    }
}
