//! The backup of an installation in containers (`deploy/CONTAINERS.md`): a database dump, restored into the empty schemas of another server.

use e2e::{Client, KeyRequest, SmallFleet, Staff, eventually};
use testing::postgres::Server;
use tokio::process::Command;

use crate::containers::run;
use crate::install::url;

/// Whether the API has a game.
async fn has(client: &Client, game: &str) -> bool {
    client.get(&format!("/games/{game}")).await.status == 200
}

/// Takes half a minute: two fleets start, the second one with its own server.
#[tokio::test]
async fn a_dump_is_restored_into_another_server() {
    let mut first = SmallFleet::patient();
    let fleet = first.up().await;
    let mut staff = Staff::new(&fleet).await;
    let account = staff.account("partner").await;
    let (_, kept) = staff.key(&account, KeyRequest::live()).await;
    let (revoked, ended) = staff.key(&account, KeyRequest::live()).await;
    staff.revoke(&revoked).await;
    first.import_games(&["before-the-dump".to_owned()]).await;
    let dump = first.write("dump", "");
    let mut pg_dump = Command::new("pg_dump");
    run(pg_dump.args(["-Fc", "-f", &dump, "-d", &fleet.database_url])).await;
    first.import_games(&["after-the-dump".to_owned()]).await;
    first.down().await;

    // The first start creates the roles and schemas, as the job `roles` does.
    let server = Server::new().await.unwrap();
    let mut second = SmallFleet::patient();
    second.set("DATABASE_URL", &url(&server, "postgres"));
    second.up().await;
    second.down().await;
    let mut pg_restore = Command::new("pg_restore");
    let pg_restore = pg_restore.args(["--clean", "--if-exists", "-d", &url(&server, "postgres")]);
    run(pg_restore.arg(&dump)).await;

    let fleet = second.up().await;
    let key = Client::new(&fleet, &kept);
    assert_eq!(key.get("/me").await.status, 200);
    let refused = Client::new(&fleet, &ended).get("/me").await;
    refused.assert_error(401, "invalid_key");
    eventually("each follower has what was restored", async || {
        has(&key, "before-the-dump").await.then_some(())
    })
    .await;
    assert!(!has(&key, "after-the-dump").await);
    // Writes continue after those in the dump.
    second.import_games(&["after-the-dump".to_owned()]).await;
    assert!(has(&key, "after-the-dump").await);
}
