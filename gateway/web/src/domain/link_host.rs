//! Where links to other sites lead.

use url::Url;

/// The domains of each store and network, by the key of a link. Their subdomains belong to them.
const DOMAINS: [(&str, &[&str]); 12] = [
    ("steam", &["steampowered.com", "steamcommunity.com"]),
    ("playStore", &["play.google.com"]),
    ("appStore", &["apps.apple.com", "itunes.apple.com"]),
    ("itch", &["itch.io"]),
    ("epic", &["epicgames.com"]),
    ("xbox", &["xbox.com", "apps.microsoft.com", "www.microsoft.com"]),
    ("playstation", &["playstation.com"]),
    ("nintendo", &["nintendo.com", "nintendo.co.jp", "nintendo.co.uk", "nintendo-europe.com"]),
    ("facebook", &["facebook.com"]),
    ("instagram", &["instagram.com"]),
    ("x", &["x.com", "twitter.com"]),
    ("youtube", &["youtube.com", "youtu.be"]),
];

/// The host of an address in ASCII, without `www.`: a look-alike in other letters begins with
/// `xn--`.
pub fn of(address: &str) -> String {
    let host = host(address);
    host.strip_prefix("www.").unwrap_or(&host).to_owned()
}

/// Whether the address is one of the store or the network of this key.
pub fn is_of(key: &str, address: &str) -> bool {
    let host = host(address);
    let host = host.strip_suffix('.').unwrap_or(&host);
    let domains = DOMAINS.iter().find(|(known, _)| *known == key);
    let mut domains = domains.into_iter().flat_map(|(_, domains)| *domains);
    domains.any(|domain| {
        let rest = host.strip_suffix(domain);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

fn host(address: &str) -> String {
    let url = Url::parse(address).ok();
    url.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use contracts::public::{CREATOR_LINKS, GAME_LINKS};

    use super::*;

    #[test]
    fn a_store_has_its_domain_and_the_domains_below() {
        for (key, address) in [
            ("steam", "https://store.steampowered.com/app/1"),
            ("steam", "https://STORE.SteamPowered.com./app/1"),
            ("itch", "https://itch.io/"),
            ("itch", "https://savanna.itch.io/okoto"),
            ("playStore", "https://play.google.com/store/apps/details?id=a"),
            ("x", "https://www.x.com/savanna"),
        ] {
            assert!(is_of(key, address), "{key} {address}");
        }
    }

    #[test]
    fn a_look_alike_is_not_the_store() {
        for (key, address) in [
            // A Cyrillic letter.
            ("steam", "https://store.st\u{435}ampowered.com/app/1"),
            ("steam", "https://store.steampowered.com.evil.example/"),
            ("steam", "https://evil.example/store.steampowered.com"),
            ("steam", "https://evil.example/?https://store.steampowered.com"),
            ("steam", "https://store-steampowered.com/"),
            ("steam", "https://evilsteampowered.com/"),
            ("steam", "https://savanna.itch.io/"),
            ("playStore", "https://sites.google.com/play"),
            ("itch", "https://itch.io.example/"),
            ("steam", "https://192.0.2.7/"),
            ("steam", "steampowered.com"),
            ("play", "https://store.steampowered.com/"),
            ("website", "https://itch.io/"),
        ] {
            assert!(!is_of(key, address), "{key} {address}");
        }
    }

    #[test]
    fn each_store_and_network_has_its_domains() {
        let own_site = ["play", "website", "other"];
        for key in GAME_LINKS.iter().chain(&CREATOR_LINKS).filter(|key| !own_site.contains(key)) {
            let (_, domains) = DOMAINS.iter().find(|(known, _)| known == key).unwrap();
            for domain in *domains {
                assert!(is_of(key, &format!("https://{domain}/")), "{key} {domain}");
            }
        }
    }

    #[test]
    fn a_host_is_written_in_ascii() {
        for (address, host) in [
            ("https://www.Savanna.example:8443/a", "savanna.example"),
            ("https://st\u{435}am.example/", "xn--stam-w4d.example"),
            ("not an address", ""),
        ] {
            assert_eq!(of(address), host, "{address}");
        }
    }
}
