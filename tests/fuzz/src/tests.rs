//! Calls each function with valid, empty and malformed inputs. libFuzzer finds more.

use contracts::common::v1::Mode;
use contracts::listings::v1 as listings_v1;
use image::codecs::png::PngEncoder;
use image::{Rgb, RgbImage};
use prost::Message as _;
use prost_types::Timestamp;

use super::*;

#[test]
fn an_address_reads_back_or_is_refused() {
    assert!(address(" https://bücher.example:8443/game?a=b#c"));
    for text in ["", "https://\u{0}é@[::1]:0"] {
        assert!(!address(text), "{text}");
    }
}

#[test]
fn a_header_about_the_client_is_read() {
    let lines = [
        "for=192.0.2.1;proto=https, for=\"[2001:db8::1]:4711\"",
        "192.0.2.1, 198.51.100.7:4711",
    ];
    for line in lines {
        assert!(client_address(line.as_bytes()), "{line}");
    }
    for line in [&b""[..], b"for=\", \xFF\x80[::", b"\0"] {
        assert!(!client_address(line), "{line:?}");
    }
}

#[test]
fn a_cursor_reads_back_or_is_refused() {
    // 1 March 2026.
    let nanos = 1_772_323_200 * 1_000_000_000_i128;
    let good = Binding::new("games", []).encode(&(nanos, "slug")).unwrap();
    assert!(cursor(&good));
    for text in ["", "AAAAAAAAAAA", "%\u{0}é"] {
        assert!(!cursor(text), "{text}");
    }
}

#[test]
fn a_feed_row_is_an_entity_of_its_kind_or_refused() {
    let at = Some(Timestamp::default());
    let game = listings_v1::Game {
        mode: Mode::Test.into(),
        visible: true,
        page_id: ID.to_owned(),
        created_at: at,
        updated_at: at,
        first_published_at: at,
        ..listings_v1::Game::default()
    };
    assert!(feed_row(&game.encode_to_vec()));
    assert!(feed_row(b""), "a hidden listing needs no fields");
    for encoded in [&b"\x0A\xFF"[..], b"\xFF\0"] {
        assert!(!feed_row(encoded), "{encoded:?}");
    }
}

#[test]
fn a_line_of_an_import_is_a_row_or_refused_with_a_reason() {
    let page =
        r#"{"handle": "logic-dev", "name": "Logic Dev", "kind": "studio", "country_code": "KE"}"#;
    assert!(import_row(page));
    for line in [
        r#"{"title": 7, "links": {"a": 1, "a": [null, 1e400]}}"#,
        "\u{FEFF}{\"key\": \u{0}\u{FFFD}",
    ] {
        assert!(!import_row(line), "{line}");
    }
}

#[test]
fn a_body_is_read_or_refused() {
    assert!(json_body(
        br#"{"title": "Logic Dev", "links": {"play": null}}"#
    ));
    let refused = [
        &br#"{"a": "\ud800", "a": 1e400}"#[..],
        b"",
        b"{\"a\": \"\xFF\0",
    ];
    for body in refused {
        assert!(!json_body(body), "{body:?}");
    }
}

#[test]
fn a_key_is_parsed_or_refused() {
    assert!(key("svc_test_000000000000000000000000000000001riOPW"));
    for text in ["", "svc_live_pub_\u{0}é"] {
        assert!(!key(text), "{text}");
    }
}

#[test]
fn markdown_becomes_elements_of_markdown_only() {
    for text in [
        "## Keys\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```sh\ncurl\n```\n",
        "",
        "<script>`\u{0}![](<b onclick=\"x\">)\n\n<!-- # \u{FEFF}",
    ] {
        page_text(text);
    }
}

#[test]
fn a_picture_is_rendered_or_refused() {
    let mut png = Vec::new();
    RgbImage::from_pixel(128, 128, Rgb([220, 20, 20]))
        .write_with_encoder(PngEncoder::new(&mut png))
        .unwrap();
    assert!(picture(&png));
    for file in [&b""[..], &png[..40], b"\xFF\xD8\xFF\xE0\0"] {
        assert!(!picture(file), "{file:?}");
    }
}

#[test]
fn a_query_is_read_or_refused() {
    for text in [
        "q=caf%C3%A9+noir&limit=20&at=now",
        "at=2026-03-01&cursor=AA",
        "",
    ] {
        assert!(query(text), "{text}");
    }
    assert!(!query("q=%zz&%ff=1&&=&Q=\u{0}é"));
}

#[test]
fn the_year_of_a_time_has_four_digits() {
    for text in ["2026-03-01T08:00:00+02:00", "2026-03-01"] {
        assert!(timestamp(text), "{text}");
    }
    for text in ["", "9999-12-31T23:59:59-00:01", "\u{FF12}\u{0}"] {
        assert!(!timestamp(text), "{text}");
    }
}
