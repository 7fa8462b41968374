//! Lists of endpoint URLs and of IP addresses, each with the verdict it must get.

use std::net::IpAddr;

use http::Uri;
use rustls::pki_types::ServerName;
use webhook::domain::address::{Address, AllowList};
use webhook::domain::network::special_purpose;

const ADDRESSES: &str = include_str!("data/addresses.txt");
const NETWORKS: &str = include_str!("data/networks.txt");

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ") && *line != "#")
}

/// Decodes the escapes that the head of `addresses.txt` describes.
fn spelled(text: &str) -> String {
    let mut text = text.replace('␠', " ").replace('␉', "\t");
    for length in [63, 64] {
        text = text.replace(&format!("…{length}"), &"a".repeat(length));
    }
    while let Some((before, rest)) = text.split_once("\\u{") {
        let (code, after) = rest.split_once('}').unwrap();
        let code = u32::from_str_radix(code, 16).unwrap();
        text = format!("{before}{}{after}", char::from_u32(code).unwrap());
    }
    text
}

#[test]
fn every_url_of_the_list_is_accepted_or_refused_as_listed() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in lines(ADDRESSES) {
        let (text, expected) = line.split_once(" => ").unwrap();
        let found = Address::parse(&spelled(text), &AllowList::default());
        if let Ok(address) = &found {
            // The HTTP client and rustls must parse what we accept.
            let uri = Uri::try_from(address.as_str()).unwrap();
            ServerName::try_from(uri.host().unwrap()).unwrap();
        }
        let good = match (&found, expected.strip_prefix('!')) {
            (Ok(address), None) => address.as_str() == spelled(expected),
            (Err(sentence), Some(word)) => sentence.contains(word),
            _ => false,
        };
        if !good {
            let found = found.map(|address| address.as_str().to_owned());
            wrong.push(format!("{text}: {found:?} instead of {expected}"));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 200, "{count}");
}

#[test]
fn every_ip_address_of_the_list_is_classified_as_listed() {
    for line in lines(NETWORKS) {
        let (address, expected) = line.split_once(' ').unwrap();
        let address: IpAddr = address.parse().unwrap();
        let found = special_purpose(address).unwrap_or("public");
        assert!(found.contains(expected), "{address} is {found}");
    }
}
