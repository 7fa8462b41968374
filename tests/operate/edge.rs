//! The fleet behind haproxy and nginx: TLS, both versions of HTTP, the address of the client, slow clients, and reloads.

use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use e2e::{Fleet, SmallFleet, eventually, guess};
use futures::future::join_all;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::proxies::{HAPROXY, Proxy};

const IDLE: usize = 200;
const SLOW: usize = 16;
const CALLS: usize = 20;
const RELOADS: usize = 3;
/// The exit status of curl when a GOAWAY says that the call was not processed.
const CURLE_HTTP2: i32 = 16;

/// Contains the lines of haproxy's configuration for hosts.
const SERVERS: &str = include_str!("../../deploy/runbook/servers.md");
/// Nobody listens on port 1.
const NOBODY: &str = "127.0.0.1:1";

#[derive(Debug)]
struct Answer {
    body: String,
    version: String,
    status: u16,
}

async fn sent(curl: &mut Command) -> Answer {
    answer(&curl.output().await.unwrap())
}

/// Repeats a call if a GOAWAY said that it was not processed: a proxy that reloads makes clients open another connection (RFC 9113, 6.8). Other
/// failures are not repeated.
async fn sent_again_after_goaway(call: impl Fn() -> Command) -> Answer {
    let first = call().output().await.unwrap();
    if first.status.code() == Some(CURLE_HTTP2) {
        return sent(&mut call()).await;
    }
    answer(&first)
}

fn answer(output: &Output) -> Answer {
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "curl: {complaint}");
    let text = str::from_utf8(&output.stdout).unwrap();
    let (body, last) = text.rsplit_once('\n').unwrap();
    let (version, status) = last.split_once(' ').unwrap();
    Answer { body: body.to_owned(), version: version.to_owned(), status: status.parse().unwrap() }
}

struct Edge<'a> {
    proxy: Proxy,
    fleet: &'a Fleet,
    /// The last byte of the client addresses 127.0.0.x that the test uses.
    hosts: [u8; 2],
}

impl Edge<'_> {
    /// Lists games, over a new connection.
    fn games(&self) -> Command {
        let key = &self.fleet.account("partner").keys.live;
        let mut curl = self.proxy.curl("/v1/games?limit=1");
        curl.args(["--header", &format!("authorization: Bearer {key}")]);
        curl
    }

    async fn check(&self) {
        self.redirects_to_tls().await;
        self.serves_both_versions().await;
        self.passes_the_address_of_the_client().await;
        self.is_not_held_up().await;
        self.reloads_while_calls_run().await;
    }

    /// The redirect keeps the path, the query and, by its status, the method.
    async fn redirects_to_tls(&self) {
        let path = "/games?genre=puzzle&q=stone%20age";
        let output = self.proxy.plain_curl(path).output().await.unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "curl: {complaint}");
        let text = str::from_utf8(&output.stdout).unwrap();
        let (status, location) = text.split_once(' ').unwrap();
        assert_eq!(status, "308");
        let place = location.strip_prefix("https://").unwrap();
        // haproxy keeps the port in the request. Requests to the public address have none.
        let (host, rest) = place.split_once('/').unwrap();
        assert!(host.starts_with("127.0.0.1"), "{location}");
        assert_eq!(format!("/{rest}"), path, "{location}");
    }

    async fn serves_both_versions(&self) {
        for (option, version) in [("--http2", "2"), ("--http1.1", "1.1")] {
            let api = sent(self.games().arg(option)).await;
            assert_eq!((api.version.as_str(), api.status), (version, 200));
            assert!(api.body.contains("\"success\":true"), "{api:?}");
            let site = sent(self.proxy.curl("/").arg(option)).await;
            assert_eq!((site.version.as_str(), site.status), (version, 200));
            assert!(site.body.contains("<html"), "{site:?}");
        }
    }

    /// The gateway limits the refused calls of a client address. An address that a client invents in a header does not count.
    async fn passes_the_address_of_the_client(&self) {
        let [guesser, other] = self.hosts;
        let attempt = async |host: u8, claimed: String| {
            let mut curl = self.proxy.curl("/v1/games?limit=1");
            curl.args(["--interface", &format!("127.0.0.{host}")]);
            for header in [
                format!("authorization: Bearer {}", guess()),
                format!("x-forwarded-for: {claimed}"),
                format!("forwarded: for={claimed}"),
            ] {
                curl.args(["--header", &header]);
            }
            sent(&mut curl).await.status
        };
        let mut calls = 0;
        eventually("the address has no refused calls left", async || {
            calls += 1;
            let status = attempt(guesser, format!("198.51.100.{}", calls % 250)).await;
            assert!([401, 429].contains(&status), "{status}");
            (status == 429).then_some(())
        })
        .await;
        let of_guesser = format!("127.0.0.{guesser}");
        assert_eq!(attempt(other, of_guesser).await, 401);
    }

    /// Idle connections and slow bodies do not block other calls.
    async fn is_not_held_up(&self) {
        let open = (0..IDLE).map(async |_| TcpStream::connect(self.proxy.address).await.unwrap());
        let idle = join_all(open).await;
        let key = &self.fleet.account("partner").keys.live_write;
        let mut slow: Vec<_> = (0..SLOW)
            .map(|_| {
                let mut curl = self.proxy.curl("/v1/games");
                curl.args(["--request", "POST", "--upload-file", "-"])
                    .args(["--header", &format!("authorization: Bearer {key}")])
                    .args(["--header", "content-type: application/json"])
                    .stdin(Stdio::piped())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        for _ in 0..CALLS {
            for curl in &mut slow {
                curl.stdin.as_mut().unwrap().write_all(b" ").await.unwrap();
            }
            let answer = sent(&mut self.games()).await;
            assert_eq!(answer.status, 200, "{answer:?}");
        }
        for mut curl in slow {
            // The proxy may have closed the connection already.
            drop(curl.kill().await);
        }
        drop(idle);
    }

    async fn reloads_while_calls_run(&self) {
        let (answered, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let caller = async || {
            while !is_over.load(Ordering::Relaxed) {
                let answer = sent_again_after_goaway(|| self.games()).await;
                assert_eq!(answer.status, 200, "{answer:?}");
                answered.fetch_add(1, Ordering::Relaxed);
            }
        };
        let reloading = async {
            for _ in 0..RELOADS {
                self.proxy.reload().await;
                let before = answered.load(Ordering::Relaxed);
                eventually("calls are answered", async || {
                    (answered.load(Ordering::Relaxed) >= before + CALLS).then_some(())
                })
                .await;
            }
            is_over.store(true, Ordering::Relaxed);
        };
        tokio::join!(reloading, caller(), caller());
    }
}

#[tokio::test]
#[ignore = "long: two edges, one after the other"]
async fn a_fleet_is_served_through_haproxy_and_nginx() {
    let mut small = SmallFleet::patient();
    small.set("GATEWAY_REFUSED_CALLS", "5");
    for service in ["GATEWAY", "WEB"] {
        small.set(&format!("{service}_TRUSTED_PROXIES"), "127.0.0.1");
    }
    let fleet = small.up().await;
    let place = |url: &str| url.trim_start_matches("http://").to_owned();
    let public = |name| place(fleet.service(name).http.as_ref().unwrap());
    let admin_port = |name| {
        let ready = place(&fleet.service(name).ready);
        let (_, port) = ready.split_once(':').unwrap();
        port.trim_end_matches("/readyz").to_owned()
    };
    let variables = [
        ("GATEWAY", public("gateway")),
        ("GATEWAY_ADMIN_PORT", admin_port("gateway")),
        ("WEB", public("web")),
        ("WEB_ADMIN_PORT", admin_port("web")),
    ];
    let haproxy =
        Edge { proxy: Proxy::haproxy(HAPROXY, &variables).await, fleet: &fleet, hosts: [11, 12] };
    let nginx = Edge {
        proxy: Proxy::nginx(&public("gateway"), &public("web")).await,
        fleet: &fleet,
        hosts: [21, 22],
    };
    haproxy.check().await;
    nginx.check().await;
    calls_the_edge_of_the_other_host(&fleet, &variables).await;
}

/// The line in the page that begins with `start`.
fn line_of_hosts(start: &str) -> &'static str {
    let lines = SERVERS.lines().map(str::trim);
    let found: Vec<_> = lines.filter(|line| line.starts_with(start)).collect();
    assert_eq!(found.len(), 1, "{start}");
    found[0]
}

/// The edge of a host. Each pair is for the gateway and web.
struct HostEdge<'a> {
    replicas: [&'a str; 2],
    admin_ports: [&'a str; 2],
    /// The edge of the other host, the admin ports of its replicas, and its certificate.
    other: &'a str,
    other_admin_ports: [&'a str; 2],
    other_certificate: &'a str,
}

impl HostEdge<'_> {
    /// haproxy's configuration with the lines from the page.
    fn configuration(&self) -> String {
        let header = "http-request set-header X-Forwarded-For";
        let of_host = line_of_hosts(header).replace("10.0.0.1 10.0.0.2", "127.0.0.1");
        let mut configuration = HAPROXY.replacen(&format!("{header} %[src]"), &of_host, 1);
        for (place, name) in ["gateway", "web"].into_iter().enumerate() {
            let variable = name.to_uppercase();
            let template = format!(
                "server-template {name} 10 \"${{{variable}}}\" port \"${{{variable}_ADMIN_PORT}}\""
            );
            assert!(configuration.contains(&template), "{template}");
            let port = |port: &str| format!("port {port}");
            let here = line_of_hosts("server here ")
                .replace("127.0.0.1:8080", self.replicas[place])
                .replace("port 9000", &port(self.admin_ports[place]));
            let there = line_of_hosts("server there ")
                .replace("10.0.0.2:443", self.other)
                .replace("port 9000", &port(self.other_admin_ports[place]))
                .replace("/etc/ssl/certs/ca-certificates.crt", self.other_certificate)
                .replace("mchezo.africa", "127.0.0.1");
            configuration = configuration.replace(&template, &format!("{here}\n    {there}"));
        }
        configuration
    }
}

/// A host without a ready replica forwards requests to the edge of the other host, over TLS, with the addresses of the clients.
async fn calls_the_edge_of_the_other_host(fleet: &Fleet, variables: &[(&str, String); 4]) {
    let [gateway, gateway_admin, web, web_admin] = variables.each_ref().map(|it| it.1.as_str());
    let other = HostEdge {
        replicas: [gateway, web],
        admin_ports: [gateway_admin, web_admin],
        other: NOBODY,
        other_admin_ports: ["1"; 2],
        // Its own certificate, since haproxy reads the file when it starts.
        other_certificate: "certificate.pem",
    };
    let other = Proxy::haproxy(&other.configuration(), &[]).await;
    let own = HostEdge {
        replicas: [NOBODY; 2],
        admin_ports: ["1"; 2],
        other: &other.address.to_string(),
        other_admin_ports: [gateway_admin, web_admin],
        other_certificate: &other.certificate(),
    };
    let edge =
        Edge { proxy: Proxy::haproxy(&own.configuration(), &[]).await, fleet, hosts: [31, 32] };
    for path in ["/", "/v1/openapi.json"] {
        eventually("the other edge gets requests", async || {
            let answer = sent(&mut edge.proxy.curl(path)).await;
            (answer.status == 200).then_some(())
        })
        .await;
    }
    edge.serves_both_versions().await;
    edge.passes_the_address_of_the_client().await;
}
