use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Result<Address, String> {
    Address::parse(text, &AllowList::default())
}

#[test]
fn an_address_longer_than_the_limit_is_refused() {
    let of = |length: usize| {
        let base = "https://hooks.example/";
        format!("{base}{}", "a".repeat(length - base.len()))
    };
    assert_eq!(parse(&of(MAX_LENGTH)).unwrap().as_str().len(), MAX_LENGTH);
    assert!(parse(&of(MAX_LENGTH + 1)).unwrap_err().contains("2048"));
    let grows = format!("https://hooks.example/{}", "é".repeat(1_000));
    assert!(parse(&grows).unwrap_err().contains("2048"));
}

#[test]
fn the_allow_list_matches_exact_origins() {
    let allowed: AllowList =
        "localhost:9400, 127.0.0.1:9443,[::1]:9443,http://localhost:9500,hooks.example:443"
            .parse()
            .unwrap();
    for good in [
        "https://localhost:9400/a",
        "https://127.0.0.1:9443/",
        "https://[::1]:9443/",
        "http://localhost:9500/",
        "https://hooks.example/",
        "https://public.example/",
    ] {
        assert!(Address::parse(good, &allowed).is_ok(), "{good}");
    }
    for bad in [
        "http://localhost:9400/",
        "https://localhost:9500/",
        "https://localhost:9401/",
        "https://127.0.0.2:9443/",
        "http://hooks.example/",
        "https://user@localhost:9400/",
    ] {
        assert!(Address::parse(bad, &allowed).is_err(), "{bad}");
    }
    let local = [127, 0, 0, 1].into();
    assert!(allowed.permits(local, 9443));
    assert!(!allowed.permits(local, 9400));
    assert!(allowed.permits_name("localhost"));
    assert!(!allowed.permits_name("public.example"));
    for bad in ["localhost", "localhost:", "localhost:x", "ftp://a:1", "a:1/b", "u@a:1"] {
        assert!(bad.parse::<AllowList>().unwrap_err().contains(bad), "{bad}");
    }
    assert!("".parse::<AllowList>().unwrap().is_empty());
}

#[test]
fn a_refusal_names_the_hosts_that_need_not_be_public() {
    let allowed: AllowList = "http://127.0.0.1:9500,localhost:9400".parse().unwrap();
    for refused in ["http://127.0.0.1:9501/", "https://127.0.0.1/", "https://hooks.example:1/"] {
        let sentence = Address::parse(refused, &allowed).unwrap_err();
        let hint = " Also permitted here: http://127.0.0.1:9500, https://localhost:9400.";
        assert!(sentence.ends_with(hint), "{sentence}");
        // Owners of endpoints read this message; they do not know our settings.
        assert!(!sentence.contains("WEBHOOK_ALLOW"), "{sentence}");
        assert!(!parse(refused).unwrap_err().contains("permitted here"));
    }
}

#[test]
fn the_path_is_not_shown_in_a_log() {
    let address = parse("https://hooks.example/in/geheim?key=geheim").unwrap();
    assert_eq!(format!("{address:?}"), "hooks.example:443/…");
}

/// Random concatenations of parts of unusual URLs.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("https://"),
        Just("http://"),
        Just("//"),
        Just("@"),
        Just(":"),
        Just("443"),
        Just("8443"),
        Just("#"),
        Just("?"),
        Just("/"),
        Just("\\"),
        Just("."),
        Just("hooks.example"),
        Just("localhost"),
        Just("127.0.0.1"),
        Just("0x7f"),
        Just("1"),
        Just("[::1]"),
        Just("%31"),
        Just("１"),
        Just("。"),
        Just("ü"),
        Just("\u{ad}"),
        Just("\t"),
        Just("xn--"),
        Just("-"),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_accepted_or_refused_with_a_sentence(text: String) {
        if let Err(sentence) = parse(&text) {
            prop_assert!(sentence.ends_with('.'), "{}", sentence);
        }
    }

    #[test]
    fn an_accepted_address_is_public_and_normalized(tail in pieces()) {
        for text in [tail.clone(), format!("https://{tail}"), format!("https://hooks.example{tail}")] {
            let Ok(address) = parse(&text) else { continue };
            prop_assert_eq!(address.port, 443);
            prop_assert!(address.as_str().starts_with("https://"));
            prop_assert!(address.host.contains('.') && !address.host.ends_with('.'), "{:?}", address);
            prop_assert!(address.host.parse::<IpAddr>().is_err());
            prop_assert_eq!(parse(address.as_str()), Ok(address));
        }
    }
}
