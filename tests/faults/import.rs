//! An import by the `staff` tool is completed by another after its service was killed.

use std::fmt::Write as _;

use e2e::{SmallFleet, Staff, eventually};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

const GAMES: usize = 8_000;

/// A file of new games. Every hundredth game lacks its year, and is refused.
fn games() -> String {
    let mut text = String::new();
    for n in 0..GAMES {
        let year = if n % 100 == 99 { "null" } else { "2024" };
        writeln!(
            text,
            r#"{{"slug":"imported-{n}","title":"Imported {n}","tagline":"","genres":["puzzle"],"platforms":["web"],"stage":"released","release_year":{year},"creator":"maliyo-games","links":{{}}}}"#
        )
        .unwrap();
    }
    text
}

#[tokio::test]
#[ignore = "long: imports 8,000 games"]
async fn an_import_whose_service_was_killed_is_completed_by_another() {
    let mut small = SmallFleet::patient();
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    let client = Staff::of(&fleet).await.caller(&fleet, "unlimited").await;
    let total =
        async || client.get("/games?genre=puzzle&limit=1").await.body["meta"]["total"].as_u64();
    let before = total().await.unwrap();
    let file = small.write("games.ndjson", games());

    let import = ["--json", "listing", "import", file.as_str()];
    let importing = small.run_staff(&import);
    let killing = async {
        eventually("the import is under way", async || {
            (total().await > Some(before)).then_some(())
        })
        .await;
        let pid = fleet.service("listings-svc").pid.unwrap();
        kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
    };
    let (interrupted, ()) = tokio::join!(importing, killing);
    let complaint = String::from_utf8_lossy(&interrupted.stderr);
    assert_eq!(interrupted.status.code(), Some(3), "{complaint}");
    assert!(complaint.contains("import the file again"), "{complaint}");

    let report = eventually("the service is up again", async || {
        let output = small.run_staff(&import).await;
        let is_done = output.status.success();
        is_done.then(|| String::from_utf8(output.stdout).unwrap())
    })
    .await;
    let report: Value = serde_json::from_str(&report).unwrap();
    let file_report = &report["files"][0];
    let refused = GAMES / 100;
    let [created, unchanged] = ["created", "unchanged"].map(|it| file_report[it].as_u64().unwrap());
    assert!(unchanged > 0, "{report}");
    let loaded = u64::try_from(GAMES - refused).unwrap();
    assert_eq!(created + unchanged, loaded, "{report}");
    assert_eq!(file_report["refused"], refused, "{report}");
    let first = &file_report["refused_rows"][0];
    assert_eq!(
        (&first["line"], &first["name"]),
        (&100.into(), &"imported-99".into()),
        "{first}"
    );
    assert!(first["fields"]["release_year"].is_string(), "{first}");
    let expected = before + loaded;
    eventually("all imported games are listed", async || {
        (total().await == Some(expected)).then_some(())
    })
    .await;

    let again: Value = serde_json::from_str(&small.staff(&import).await).unwrap();
    assert_eq!(again["files"][0]["unchanged"], GAMES - refused, "{again}");
    assert_eq!(
        (&again["files"][0]["created"], &again["files"][0]["updated"]),
        (&0.into(), &0.into()),
        "{again}"
    );
    assert_eq!(total().await, Some(expected));
}
