//! `SERVICE healthcheck [IP:PORT]`: asks the admin port of a running service whether it is ready, in a container without a shell and curl.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, ensure};

/// The argument that asks for this, in place of the work of the service.
pub(crate) const COMMAND: &str = "healthcheck";
/// The default of `admin_listen`.
pub(crate) const ADMIN: &str = "127.0.0.1:9000";
const DEADLINE: Duration = Duration::from_secs(2);

/// Asks the admin port at `address`. It reads no settings, so that a probe needs no secrets.
///
/// # Errors
/// The service does not answer, or is not ready: the message has its answer.
pub(crate) fn run(address: Option<&str>) -> anyhow::Result<()> {
    let address: SocketAddr = (address.unwrap_or(ADMIN).parse())
        .context("give the address of the admin port as IP:PORT")?;
    let connected = TcpStream::connect_timeout(&address, DEADLINE);
    let mut stream = connected.with_context(|| format!("{address} does not answer"))?;
    stream.set_read_timeout(Some(DEADLINE))?;
    stream.write_all(b"GET /readyz HTTP/1.0\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    ensure!(answer.split(' ').nth(1) == Some("200"), "not ready: {answer}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admin::{Readiness, router};

    #[tokio::test]
    async fn only_a_ready_service_is_healthy() {
        let readiness = Readiness::default();
        let loaded = readiness.condition("the catalogue to be loaded");
        let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
        let router = router(readiness, recorder.handle());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let check = async || {
            let address = address.clone();
            let checked = tokio::task::spawn_blocking(move || run(Some(&address)));
            checked.await.unwrap().map_err(|error| error.to_string())
        };
        let checks = async {
            let error = check().await.unwrap_err();
            assert!(error.contains("the catalogue to be loaded"), "{error}");
            loaded.set(true);
            assert_eq!(check().await, Ok(()));
        };
        tokio::select! {
            () = checks => {}
            ended = axum::serve(listener, router).into_future() => ended.unwrap(),
        }
        // The admin port is closed.
        let error = check().await.unwrap_err();
        assert!(error.contains("does not answer"), "{error}");
        assert!(run(Some("gateway")).is_err());
    }
}
