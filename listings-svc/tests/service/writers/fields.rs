//! The fields of each kind of listing, with values that are valid and that are not.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use sqlx::PgPool;

use super::assert_that_writers_agree;

/// Mostly valid values.
fn values(valid: Vec<Value>, invalid: Vec<Value>) -> BoxedStrategy<Value> {
    prop_oneof![24 => select(valid), 1 => select(invalid)].boxed()
}

fn title() -> BoxedStrategy<Value> {
    let valid = ["A Game", " padded ", "Cafe\u{301}", "\u{1F3AE} Ludo", "Ọmọ"];
    let invalid = vec![
        json!(null),
        json!(""),
        json!("two\nlines"),
        json!("x".repeat(121)),
        json!(5),
    ];
    values(valid.map(Value::from).to_vec(), invalid)
}

fn line() -> BoxedStrategy<Value> {
    let valid = vec![json!(null), json!(""), json!(" Sow\u{301} "), json!("Reap")];
    values(
        valid,
        vec![json!("x".repeat(161)), json!("a\u{202e}b"), json!([])],
    )
}

fn paragraphs() -> BoxedStrategy<Value> {
    let valid = vec![
        json!(null),
        json!("One\r\ntwo\n"),
        json!("\u{200b}"),
        json!("e\u{301}"),
    ];
    values(
        valid,
        vec![json!("x".repeat(10_001)), json!("\u{0}"), json!(true)],
    )
}

fn links(key: &str) -> BoxedStrategy<Value> {
    let valid = vec![
        json!(null),
        json!({}),
        json!({ key: "https://a.example/x" }),
        json!({ key: null, "website": "https://b.example" }),
    ];
    let invalid = vec![
        json!({ key: "http://a.example" }),
        json!({ "nope": "https://a.example" }),
        json!([]),
    ];
    values(valid, invalid)
}

fn places() -> [(&'static str, BoxedStrategy<Value>); 2] {
    let countries = values(
        vec![json!("NG"), json!("ng"), json!("AO")],
        vec![json!(null), json!("FR"), json!(5)],
    );
    let cities = values(
        vec![json!("Lagos"), json!(" UIGE "), json!("Nowhere")],
        vec![json!("two\nlines"), json!(5)],
    );
    [("country_code", countries), ("city", cities)]
}

#[testing::database_test(listings::MIGRATOR)]
async fn every_writer_writes_a_page_alike(pool: PgPool) {
    let base = json!({"name": "A", "kind": "studio", "country_code": "NG", "city": "Lagos"});
    let mut fields = vec![
        ("name", title()),
        (
            "kind",
            values(
                vec![json!("studio"), json!("person")],
                vec![json!(null), json!("x")],
            ),
        ),
        (
            "roles",
            values(
                vec![json!(null), json!(["artist", "coder"])],
                vec![json!(["a", "a"]), json!("artist")],
            ),
        ),
        ("tagline", line()),
        ("bio", paragraphs()),
        ("links", links("other")),
    ];
    fields.extend(places());
    assert_that_writers_agree(pool, "page", base, fields).await;
}

#[testing::database_test(listings::MIGRATOR)]
async fn every_writer_writes_a_game_alike(pool: PgPool) {
    let base = json!({"title": "A", "creator": "studio", "release_year": 2020});
    let credits = values(
        vec![
            json!(null),
            json!([{"name": " Ade\u{301} "}, {"handle": "studio", "name": "S", "role": "Art"}]),
            json!([{"handle": null, "name": "A", "role": null}]),
        ],
        vec![
            json!([{"handle": "nobody", "name": "N"}]),
            json!([{"name": ""}]),
            json!([{"name": "A", "rôle": "B"}]),
        ],
    );
    let years = values(
        vec![json!(2020), json!(2031)],
        vec![json!(1900), json!("2020"), json!(20.5)],
    );
    let fields = vec![
        ("title", title()),
        ("tagline", line()),
        ("description", paragraphs()),
        (
            "genres",
            values(
                vec![json!(null), json!(["runner", "puzzle"])],
                vec![json!(["nope"]), json!(["puzzle", "puzzle"])],
            ),
        ),
        (
            "platforms",
            values(
                vec![json!(null), json!(["web"])],
                vec![json!(["psp"]), json!("web")],
            ),
        ),
        (
            "stage",
            values(
                vec![json!(null), json!("released"), json!("early_access")],
                vec![json!("done")],
            ),
        ),
        ("release_year", years),
        (
            "trailer_url",
            values(
                vec![json!(null), json!("https://a.example/e\u{301}")],
                vec![json!("http://a.example"), json!(5)],
            ),
        ),
        ("links", links("play")),
        ("credits", credits),
    ];
    assert_that_writers_agree(pool, "game", base, fields).await;
}

#[testing::database_test(listings::MIGRATOR)]
async fn every_writer_writes_an_event_alike(pool: PgPool) {
    let base = json!({"title": "A", "kind": "jam", "starts_at": "2026-07-01", "country_code": "NG", "city": "Lagos"});
    let starts_at = values(
        vec![json!("2026-07-01"), json!("2026-07-02")],
        vec![json!(null), json!("2026-02-30")],
    );
    let website = values(
        vec![json!(null), json!("https://a.example")],
        vec![json!("a.example")],
    );
    let mut fields = vec![
        ("title", title()),
        (
            "kind",
            values(
                vec![json!("jam"), json!("meetup")],
                vec![json!(null), json!("x")],
            ),
        ),
        ("starts_at", starts_at),
        (
            "ends_at",
            values(
                vec![json!(null), json!("2026-07-01"), json!("2026-07-02")],
                vec![json!("2026-06-30"), json!(5)],
            ),
        ),
        (
            "online",
            values(vec![json!(null), json!(true)], vec![json!("yes")]),
        ),
        ("website", website.clone()),
        // Another name of the same field.
        ("url", website),
        ("description", paragraphs()),
    ];
    fields.extend(places());
    assert_that_writers_agree(pool, "event", base, fields).await;
}
