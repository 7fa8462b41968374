//! Kills one of two replicas of catalogue-svc while callers load the gateway: no call fails. Pauses one: no page of the site is older than a
//! save or a takedown.

use e2e::{Fleet, Load, Paused, SmallFleet, Staff, WebClient};
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
        let fleet = small.up_with(&["--replicas", "catalogue-svc=2"]).await;
        let load = Load::new(&fleet).await;
        Self { small, load }
    }
}

/// The second replica.
fn second(fleet: &Fleet) -> i32 {
    fleet.replicas("catalogue-svc").nth(1).unwrap().pid.unwrap()
}

#[tokio::test]
#[ignore = "long: one replica of a fleet fails under load"]
async fn a_replica_that_is_killed_or_stands_still_costs_no_call_and_shows_nothing_old() {
    let scene = Scene::set().await;
    a_replica_is_killed(&scene).await;
    no_page_is_older_than_a_write(&scene.small.fleet()).await;
}

/// The load asserts that every call is answered 200.
async fn a_replica_is_killed(scene: &Scene) {
    for _ in 0..3 {
        let killing = async {
            scene.load.answers(SOME).await;
            scene.small.kill(second(&scene.small.fleet())).await;
            scene.load.answers(SOME).await;
            scene.load.stop();
        };
        tokio::join!(killing, scene.load.flow());
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
    let second = Pid::from_raw(second(fleet));
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
