//! The base URL of the public pages, a setting of several services.

/// Parses a base URL and removes a slash at its end. A value parser for clap.
///
/// # Errors
/// A description of a valid value.
pub fn parse(text: &str) -> Result<String, String> {
    match url::Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
            if url.query().is_some() || url.fragment().is_some() {
                return Err("it must not have a query or a fragment".to_owned());
            }
            Ok(text.trim_end_matches('/').to_owned())
        }
        _ => Err("it must be a URL such as https://mchezo.example".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_at_the_end_is_removed() {
        assert_eq!(parse("http://127.0.0.1:8080/"), Ok("http://127.0.0.1:8080".to_owned()));
        for bad in ["mchezo.example", "ftp://x.example", "https://x.example/?a", ""] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
