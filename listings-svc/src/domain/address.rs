//! URLs of other sites: https, with a host (§4.3).

use unicode_normalization::UnicodeNormalization as _;
use url::{Host, Url};

use super::pictures::FileName;
use super::text::clip;

const MAX_CHARS: usize = 2_048;

/// Validates an https address. Stores it as written, so that a client reads back what it sent.
pub fn read(raw: &str) -> Result<String, String> {
    let address: String = raw.trim().nfc().collect();
    if address.is_empty() {
        return Err("Give an address, or null when there is none.".to_owned());
    }
    let length = address.chars().count();
    if length > MAX_CHARS {
        return Err(format!(
            "Shorten it: it has {length} characters, and the maximum is {MAX_CHARS}."
        ));
    }
    // The URL parser drops or escapes some of these characters without an error.
    if address
        .chars()
        .any(|c| c.is_whitespace() || c.is_control() || c == char::REPLACEMENT_CHARACTER)
    {
        return Err("An address has no spaces and no control characters.".to_owned());
    }
    let https = address.get(..8).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://"));
    let host = &address.get(8..).unwrap_or_default();
    // Without a host, the URL parser takes the next segment of the path as the host.
    if !https || host.starts_with(['/', '\\', '?', '#']) {
        return Err("Give a full https address, such as https://example.com/game.".to_owned());
    }
    match Url::parse(&address) {
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            Err("A public address carries no user name or password.".to_owned())
        }
        Ok(url) if url.port() == Some(0) => Err("Port 0 is not valid.".to_owned()),
        Ok(url) => match url.host() {
            Some(Host::Domain(name)) if !is_host_name(name) => {
                Err(format!("`{}` is not a valid host name.", clip(name)))
            }
            Some(_) => Ok(address),
            None => Err("The address has no host.".to_owned()),
        },
        Err(error) => Err(format!("This is not an address: {error}.")),
    }
}

/// Reads the address of a picture: one on another site, or an uploaded one, in the form that listings store.
pub fn read_picture(raw: &str, public_url: &str) -> Result<String, String> {
    let uploaded = FileName::read(raw.trim(), public_url);
    uploaded.map_or_else(|| read(raw), |name| Ok(name.address()))
}

/// Whether `name` is a DNS name: labels of 1 to 63 bytes, 253 bytes in all. A trailing dot stands for the root.
fn is_host_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.len() <= 253 && name.split('.').all(|label| (1..=63).contains(&label.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn https_addresses_are_kept_as_written() {
        for good in [
            "https://example.com",
            "HTTPS://Example.com/A?b=c#d",
            "https://bücher.example/日本",
            "https://store.steampowered.com/app/526890",
            "https://example.com./",
            "https://example.com:8443/",
            "https://192.0.2.7/",
            "https://[2001:db8::7]/",
        ] {
            assert_eq!(read(good), Ok(good.to_owned()));
        }
        assert_eq!(read(" https://example.com/ "), Ok("https://example.com/".to_owned()));
    }

    #[test]
    fn other_addresses_are_refused() {
        for bad in [
            "",
            "http://example.com",
            "https:example.com",
            "https://",
            "https:///path",
            "https://?q",
            "https://exa mple.com",
            "https://example.com/\u{7}",
            "https://me:secret@example.com",
            "https://example.com:99999",
            "https://example.com:0/",
            "https://.",
            "https://./path",
            "https://a..b/",
            "https://.example.com",
            "https://example.com../",
            "https://%2E/",
            "javascript:alert(1)",
            "//example.com",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(read(&format!("https://example.com/{}", "a".repeat(MAX_CHARS))).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_accepted_or_refused(raw in "(https://)?\\PC{0,60}") {
            if let Ok(address) = read(&raw) {
                prop_assert!(address.to_ascii_lowercase().starts_with("https://"));
                prop_assert_eq!(read(&address), Ok(address));
            }
        }
    }
}
