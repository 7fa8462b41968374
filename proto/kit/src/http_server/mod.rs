//! A port for clients outside the fleet, behind a proxy that buffers requests and responses: HTTP/1.1 and HTTP/2 without TLS on one listener,
//! served by hyper-util.
//!
//! It limits connections and streams, and closes connections that send no request or take no response. A limit for each client is a matter of
//! the proxy. The service limits concurrent requests, and the time and length of their bodies.

mod activity;
mod connection;
mod content_encoding;
pub mod host;
mod lingering_stream;
mod method;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use clap::Args;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::a_second_or_more;
use crate::descriptor_limit;
use crate::throttle::Throttle;
use connection::{builder, serve_connection};
pub use content_encoding::content_coding;
pub use method::method_label;

/// Pause after a connection could not be accepted, for example without file descriptors.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(20);
/// Warnings of accepts that failed.
static WARNINGS: Throttle = Throttle::new();

/// The limits of a port, as settings of a service.
#[derive(Debug, Clone, Copy, Args)]
// clap would name the group after the type.
#[group(skip)]
#[expect(clippy::struct_field_names, reason = "the names of the settings")]
pub struct PortLimits {
    /// Concurrent connections; further ones wait
    #[arg(long, default_value_t = 4_096, value_parser = clap::value_parser!(u32).range(1..))]
    pub http_connections: u32,
    /// Seconds until the head of the first request of a connection
    #[arg(long, default_value = "10", value_parser = a_second_or_more)]
    pub http_head: Duration,
    /// Seconds that a connection may be idle: longer than a proxy in front keeps one, most 60, so that no request meets a closing one
    #[arg(long, default_value = "75", value_parser = a_second_or_more)]
    pub http_idle: Duration,
}

/// Serves until `draining`, then finishes running requests.
pub async fn serve(
    listener: TcpListener,
    limits: PortLimits,
    draining: CancellationToken,
    router: Router,
) {
    let connections = descriptor_limit::allowed("http_connections", limits.http_connections, 1);
    let permits = Arc::new(Semaphore::new(connections as usize));
    let builder = Arc::new(builder());
    let tasks = TaskTracker::new();
    loop {
        let accepting = async {
            // The semaphore is never closed.
            let permit = Arc::clone(&permits).acquire_owned().await;
            (listener.accept().await, permit)
        };
        let (accepted, permit) = tokio::select! {
            () = draining.cancelled() => break,
            accepted = accepting => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                let (builder, router) = (Arc::clone(&builder), router.clone());
                let draining = draining.clone();
                // The tracker waits for the connection, so its handle is not needed.
                drop(tasks.spawn(async move {
                    let _permit = permit;
                    metrics::gauge!("http_connections").increment(1);
                    serve_connection(&builder, stream, peer, limits, router, draining).await;
                    metrics::gauge!("http_connections").decrement(1);
                }));
            }
            Err(error) => {
                if WARNINGS.admits() {
                    tracing::warn!(%error, "cannot accept a connection");
                }
                tokio::time::sleep(ACCEPT_BACKOFF).await;
            }
        }
    }
    drop(listener);
    tasks.close();
    tasks.wait().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Settings {
        #[command(flatten)]
        limits: PortLimits,
    }

    /// Otherwise a proxy may send a request on a connection that the service is closing.
    #[test]
    fn an_idle_connection_lasts_longer_here_than_at_the_proxies() {
        let settings: Settings = clap::Parser::parse_from(["test"]);
        let idle = settings.limits.http_idle.as_secs();
        let haproxy = include_str!("../../../../deploy/edge/haproxy.cfg");
        let nginx = include_str!("../../../../deploy/edge/nginx.conf");
        for (proxy, setting) in [
            (haproxy, " timeout http-keep-alive "),
            (haproxy, " pool-purge-delay "),
            (nginx, " keepalive_timeout "),
        ] {
            let values = proxy.split(setting).skip(1);
            let seconds: Vec<u64> = values
                .map(|value| value.split_once('s').unwrap().0)
                .map(|value| value.parse().unwrap())
                .collect();
            assert!(!seconds.is_empty(), "no{setting}");
            assert!(seconds.iter().all(|one| *one < idle), "{setting}: {seconds:?}");
        }
    }
}
