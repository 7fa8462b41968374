//! The base address of the public pages, which more than one service puts into what it says.

/// Reads a base address; a slash at its end is taken off. A parser for clap.
///
/// # Errors
/// What is wanted instead.
pub fn parse(text: &str) -> Result<String, String> {
    match url::Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
            if url.query().is_some() || url.fragment().is_some() {
                return Err("it has no query and no fragment".to_owned());
            }
            Ok(text.trim_end_matches('/').to_owned())
        }
        _ => Err("it is an address such as https://mchezo.example".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_address_ends_without_a_slash() {
        assert_eq!(
            parse("http://127.0.0.1:8080/"),
            Ok("http://127.0.0.1:8080".to_owned())
        );
        for bad in [
            "mchezo.example",
            "ftp://x.example",
            "https://x.example/?a",
            "",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
