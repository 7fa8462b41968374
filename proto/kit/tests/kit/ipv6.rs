//! Servers with an IPv6 address, which a URL has in brackets.

use std::net::Ipv6Addr;

use kit::redis::{Redis, Unavailable};
use sqlx::{ConnectOptions as _, Connection as _, PgPool};
use testing::redis::Servers;
use testing::silent_proxy::SilentProxy;

#[testing::database_test]
async fn postgresql_is_reached_at_an_ipv6_address(direct: PgPool) {
    let options = direct.connect_options();
    let local = Ipv6Addr::LOCALHOST.into();
    let proxy = SilentProxy::at(local, options.get_host(), options.get_port());
    let mut url = options.to_url_lossy();
    url.set_host(Some("[::1]")).unwrap();
    url.set_port(Some(proxy.await.unwrap().address.port())).unwrap();
    let through = kit::pg_url::parse(url.as_str()).unwrap();
    let mut connection = through.connect().await.unwrap();
    connection.ping().await.unwrap();
}

#[tokio::test]
async fn redis_is_reached_at_an_ipv6_address() {
    let servers = Servers::plain(1).unwrap();
    let place = servers.place(0);
    let (host, port) = place.split_once(':').unwrap();
    let local = Ipv6Addr::LOCALHOST.into();
    let proxy = SilentProxy::at(local, host, port.parse().unwrap());
    let url = format!("redis://{}", proxy.await.unwrap().address);
    let redis = Redis::lazy(&url.into(), testing::LONG, "a test goes on").unwrap();
    let answer: Result<String, Unavailable> = redis.query("test", &redis::cmd("PING")).await;
    assert_eq!(answer.unwrap(), "PONG");
}
