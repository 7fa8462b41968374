//! The URL of a PostgreSQL database.

use sqlx::postgres::PgConnectOptions;

/// Parses the URL. sqlx leaves an IPv6 address in its brackets, and would look it up as a name.
pub fn parse(url: &str) -> Option<PgConnectOptions> {
    let options: PgConnectOptions = url.parse().ok()?;
    let host = options.get_host();
    let address = host.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    match address.map(ToOwned::to_owned) {
        Some(address) => Some(options.host(&address)),
        None => Some(options),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_address_is_no_name() {
        for (url, host) in [
            ("postgres://u:p@[::1]:5433/d", "::1"),
            ("postgres://u:p@[::1]/d?sslmode=require", "::1"),
            ("postgres://u:p@db.example/d", "db.example"),
            ("postgres://u:p@127.0.0.1/d", "127.0.0.1"),
        ] {
            assert_eq!(parse(url).unwrap().get_host(), host, "{url}");
        }
        assert!(parse("postgres//h/d").is_none());
    }
}
