//! Kills one of two replicas of catalogue-svc while callers load the gateway: no call fails. Pauses one: no page of the site is older than a
//! save or a takedown.

use e2e::{Fleet, Load, Paused, SmallFleet, Staff, WebClient, eventually};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

/// The number of calls before an outage, and again after it.
const SOME: usize = 300;

struct Scene {
    small: SmallFleet,
    load: Load,
}

impl Scene {
    async fn set() -> Self {
        let mut small = SmallFleet::patient();
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
#[ignore = "long: one replica of a fleet fails under load"]
async fn a_replica_that_is_killed_or_stands_still_costs_no_call_and_shows_nothing_old() {
    let scene = Scene::set().await;
    a_replica_is_killed(&scene).await;
    no_page_is_older_than_a_write(&scene.small.fleet()).await;
}

async fn a_replica_is_killed(scene: &Scene) {
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

/// The number of saves, each while a replica stands still, and of the pages that are read after each.
const SAVES: usize = 3;
const PAGES: usize = 40;

const GAME: &str = "/games/lagging-game";

/// Opens the page of the game again and again: each time it has this tagline or, without one, is gone. Either replica answers.
async fn assert_page(browser: &mut WebClient, tagline: Option<&str>) {
    for _ in 0..PAGES {
        let page = browser.get(GAME).await;
        let status = if tagline.is_some() { 200 } else { 404 };
        assert_eq!(page.status, status, "{}", page.text);
        let shown = page.text.contains(tagline.unwrap_or_default());
        assert!(shown, "{tagline:?}: {}", page.text);
    }
}

/// Neither a save nor a takedown that a stopped replica missed.
async fn no_page_is_older_than_a_write(fleet: &Fleet) {
    let staff = Staff::of(fleet).await;
    let studio = json!({"handle": "lagging", "name": "Lagging", "kind": "studio", "country_code": "TD", "city": "Far"});
    staff.import("page", &[studio]).await;
    let game = json!({
        "slug": "lagging-game", "title": "Lagging Game", "genres": ["puzzle"], "release_year": 2024, "creator": "lagging",
    });
    staff.import("game", &[game]).await;
    let second = replicas(fleet)[1].unwrap();
    let mut browser = WebClient::new(fleet);
    for save in 0..SAVES {
        let tagline = format!("Save {save} of this game");
        let paused = Paused::process(second);
        let changes = json!({"tagline": &tagline});
        staff.edit("game", "lagging-game", &changes).await;
        // It goes on with what it had, and reads the feed a moment later.
        drop(paused);
        assert_page(&mut browser, Some(&tagline)).await;
    }
    let paused = Paused::process(second);
    staff.take_down("game", "lagging-game").await;
    drop(paused);
    assert_page(&mut browser, None).await;
}
