//! Redis over TLS.

use std::time::Duration;

use kit::config::Secret;
use kit::redis::{Redis, Script, Unavailable, evaluate};
use testing::redis::Servers;

const LONG: Duration = testing::LONG;

async fn works(url: String) {
    let redis = Redis::connect(&Secret::from(url), LONG, "").await.unwrap();
    let script = Script::new("return redis.call('incr', KEYS[1])");
    for expected in 1..=2 {
        for key in ["{a}", "{b}", "{c}", "{d}"] {
            let mut command = evaluate(&script, 1);
            command.arg(key);
            let counted = redis.invoke::<u64>("test", &script, &command).await;
            assert_eq!(counted, Ok(expected));
        }
    }
}

#[tokio::test]
async fn a_server_is_reached_over_tls() {
    let servers = Servers::tls().unwrap();
    works(servers.url()).await;
}

#[tokio::test]
async fn a_cluster_is_reached_over_tls() {
    let servers = Servers::cluster(true).unwrap();
    works(servers.url()).await;
}

#[tokio::test]
async fn an_unknown_certificate_authority_is_rejected() {
    let servers = Servers::tls().unwrap();
    let url = servers.url();
    let (system, _) = url.split_once('?').unwrap();
    let plain = system.replacen("rediss", "redis", 1);
    for url in [system, &plain] {
        let redis = Redis::lazy(&Secret::from(url.to_owned()), LONG, "").unwrap();
        let answer = redis.query::<()>("test", &redis::cmd("PING")).await;
        assert_eq!(answer, Err(Unavailable::NotApplied), "{url}");
    }
}
