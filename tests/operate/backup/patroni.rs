//! A restore of a cluster under Patroni, by the steps of `deploy/backup/README.md`.

use e2e::eventually;

use super::pgbackrest::PgBackRest;
use super::sql::{text, time_in_a_later_second};
use crate::patroni_cluster::{Cluster, NODES};

async fn insert(url: &str, name: &str) {
    text(url, &format!("insert into entry values ('{name}')")).await;
}

async fn timeline(url: &str) -> Option<String> {
    text(url, "select left(pg_walfile_name(pg_current_wal_lsn()), 8)").await
}

/// Follows the page, from the stop of the standbys to the full backup.
async fn restore(cluster: &Cluster, leader: usize, pgbackrest: &PgBackRest, time: &str) {
    let standbys = (0..NODES).filter(|node| *node != leader);
    for standby in standbys.clone() {
        cluster.stop_patroni(standby).await;
    }
    cluster.patronictl(&["pause", "fleet", "--wait"]).await;
    cluster.stop_patroni(leader).await;
    let restored = pgbackrest.restore(time).await;
    assert!(restored.status.success(), "{restored:?}");

    cluster.start_node(leader);
    let name = format!("n{leader}");
    let restart = ["restart", "fleet", &name, "--force"];
    cluster.patronictl(&restart).await;
    assert_eq!(cluster.leader().await, leader);
    for standby in standbys {
        cluster.start_node(standby);
        let name = format!("n{standby}");
        let reinit = ["reinit", "fleet", &name, "--force", "--wait"];
        cluster.patronictl(&reinit).await;
    }
    cluster.patronictl(&["resume", "fleet", "--wait"]).await;
    cluster.until_whole().await;
    pgbackrest.backup("full").await;
}

#[tokio::test]
#[ignore = "long: three nodes of PostgreSQL, their backup and its restore"]
async fn a_cluster_under_patroni_is_restored_to_a_time_between_two_writes() {
    let cluster = Cluster::start().await;
    let pgbackrest = PgBackRest::new(&cluster.user, &cluster.folder);
    let archive = pgbackrest.archive_command();
    let archive = format!("postgresql.parameters.archive_command={archive}");
    let mode = "postgresql.parameters.archive_mode=on";
    // No leader is to be replaced: Patroni's usual deadlines.
    let settings = ["ttl=30", "retry_timeout=10", mode, &archive];
    cluster.configure(&settings).await;
    let leader = cluster.leader().await;
    let (data, port) = (cluster.data(leader), cluster.ports.postgres[leader]);
    pgbackrest.configure(&data, &cluster.folder, port);
    let url = cluster.url_of_node(leader);

    text(&url, "create table entry (name text)").await;
    insert(&url, "before-the-backup").await;
    pgbackrest.backup("full").await;
    insert(&url, "after-the-backup").await;
    let time = time_in_a_later_second(&url).await;
    insert(&url, "lost").await;
    // Then the restored server is further behind than `maximum_lag_on_failover`: it leads only because the cluster is paused.
    text(&url, "select pg_switch_wal()::text").await;
    let before = timeline(&url).await;

    restore(&cluster, leader, &pgbackrest, &time).await;

    assert_eq!(cluster.leader().await, leader);
    assert!(timeline(&url).await > before);
    insert(&url, "after-the-restore").await;
    let entries = "select string_agg(name, ' ' order by name) from entry";
    for node in 0..NODES {
        let url = cluster.url_of_node(node);
        eventually("a node has the kept entries and the new one", async || {
            let found = text(&url, entries).await?;
            (found == "after-the-backup after-the-restore before-the-backup").then_some(())
        })
        .await;
        let follows = text(&url, "select pg_is_in_recovery()::text").await;
        assert_eq!(follows, Some((node != leader).to_string()));
    }
}
