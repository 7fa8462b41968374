//! TLS to PostgreSQL, by the parameters of its URL.

use sqlx::{Connection as _, PgConnection};
use testing::postgres::Server;
use testing::wait_until;

/// Whether PostgreSQL has encrypted a connection to `host` with these parameters.
async fn is_encrypted(server: &Server, host: &str, parameters: &str) -> Result<bool, sqlx::Error> {
    let port = server.pool.connect_options().get_port();
    let url = format!("postgres://postgres@{host}:{port}/postgres?{parameters}");
    let mut connection = PgConnection::connect(&url).await?;
    let own = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
    sqlx::query_scalar(own).fetch_one(&mut connection).await
}

#[tokio::test]
async fn connections_are_encrypted_and_certificates_verified() {
    let server = Server::new().await.unwrap();
    let authority = server.enable_tls().await.unwrap();
    let authority = format!("sslrootcert={}", authority.display());
    let full = format!("sslmode=verify-full&{authority}");
    let ca = format!("sslmode=verify-ca&{authority}");
    wait_until("PostgreSQL accepts TLS", async || {
        is_encrypted(&server, "localhost", &full).await.is_ok()
    })
    .await;
    for (host, parameters, expected) in [
        ("localhost", &*full, true),
        ("127.0.0.1", &*ca, true),
        ("127.0.0.1", "sslmode=require", true),
        ("127.0.0.1", "sslmode=disable", false),
    ] {
        let encrypted = is_encrypted(&server, host, parameters).await.unwrap();
        assert_eq!(encrypted, expected, "{host} {parameters}");
    }
    // The certificate names `localhost` alone, and no public authority signed it.
    for (host, parameters) in [
        ("127.0.0.1", &*full),
        ("localhost", "sslmode=verify-full"),
        ("localhost", "sslmode=verify-ca"),
    ] {
        let refused = is_encrypted(&server, host, parameters).await;
        assert!(refused.is_err(), "{host} {parameters}");
    }
}
