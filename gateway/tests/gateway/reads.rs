//! The reads besides games: the requests to catalogue-svc.

use contracts::catalogue::v1 as proto;
use contracts::common::v1::{Mode, PageRequest};
use sqlx::PgPool;

use crate::support::{Test, TestKey};

/// In every request of these tests.
const MODE: i32 = Mode::Live as i32;

fn page(limit: u32, cursor: &str) -> PageRequest {
    PageRequest {
        limit,
        cursor: cursor.to_owned(),
    }
}

/// Gets `path` and asserts which request catalogue-svc received.
async fn asks<Q: Clone + PartialEq + std::fmt::Debug + 'static>(
    test: &Test,
    key: &TestKey,
    path: &str,
    request: Q,
) {
    let response = test.get(key, path).await;
    assert!(response.is_ok(), "{path}: {}", response.text);
    assert_eq!(test.catalogue.last_request::<Q>(), request, "{path}");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_parameter_of_a_list_reaches_the_catalogue(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let creators = proto::ListCreatorsRequest {
        mode: MODE,
        page: Some(page(7, "abc")),
        at_least: None,
        kind: Some("studio".into()),
        role: Some("artist".into()),
        country: Some("ng".into()),
        city: Some("lagos".into()),
        q: Some("trés or".into()),
        updated_since: Some("2026-03-01".into()),
    };
    let path = "/creators?kind=studio&role=artist&country=ng&city=lagos&q=tr%C3%A9s+or&updated_since=2026-03-01&limit=7&cursor=abc&x=1";
    asks(&test, &key, path, creators).await;

    let events = proto::ListEventsRequest {
        mode: MODE,
        page: Some(page(7, "abc")),
        at_least: None,
        kind: Some("jam".into()),
        country: Some("ng".into()),
        city: Some("lagos".into()),
        when: Some("past".into()),
        from: Some("2026-01-01".into()),
        to: Some("2026-02-01".into()),
        q: Some("x".into()),
        updated_since: Some("2026-03-01".into()),
        with_times: false,
    };
    let path = "/events?kind=jam&country=ng&city=lagos&when=past&from=2026-01-01&to=2026-02-01&q=x&updated_since=2026-03-01&limit=7&cursor=abc";
    asks(&test, &key, path, events).await;

    let cities = proto::ListCitiesRequest {
        mode: MODE,
        page: Some(page(7, "abc")),
        at_least: None,
        country: Some("ng".into()),
    };
    let path = "/cities?country=ng&limit=7&cursor=abc&city=lagos";
    asks(&test, &key, path, cities).await;

    let search = proto::SearchRequest {
        mode: MODE,
        page: Some(page(7, "abc")),
        at_least: None,
        q: "kora".to_owned(),
        r#type: Some("games".into()),
        country: Some("ng".into()),
        with_details: false,
    };
    let path = "/search?q=kora&type=games&country=ng&limit=7&cursor=abc";
    asks(&test, &key, path, search).await;

    let ranking = proto::ListRankingRequest {
        mode: MODE,
        page: Some(page(7, "abc")),
        at_least: None,
        kind: "creators".to_owned(),
        board: "month".to_owned(),
    };
    let path = "/rankings/creators/month?limit=7&cursor=abc&country=ng";
    asks(&test, &key, path, ranking).await;
}

#[testing::database_test(gateway::MIGRATOR)]
async fn countries_are_requested_with_or_without_empty_ones(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    for (path, empty) in [
        ("/countries", false),
        ("/countries?empty=false", false),
        ("/countries?empty", true),
        ("/countries?empty=", true),
        ("/countries?empty=true", true),
    ] {
        let request = proto::ListCountriesRequest {
            mode: MODE,
            page: Some(page(0, "")),
            at_least: None,
            empty,
            with_events: false,
        };
        asks(&test, &key, path, request).await;
    }
    for value in ["1", "TRUE", "yes"] {
        let response = test.get(&key, &format!("/countries?empty={value}")).await;
        assert_eq!(response.error(), (400, "invalid"), "{value}");
        assert_eq!(response.fields(), ["empty"], "{value}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn genres_ignore_page_parameters(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let request = proto::ListGenresRequest {
        mode: MODE,
        at_least: None,
    };
    asks(&test, &key, "/genres?limit=many&cursor=x", request).await;
}

#[testing::database_test(gateway::MIGRATOR)]
async fn items_are_requested_by_their_decoded_names(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let creator = proto::GetCreatorRequest {
        mode: MODE,
        handle: "kora".to_owned(),
        at_least: None,
        max_games: None,
    };
    asks(&test, &key, "/creators/k%6Fra", creator).await;
    let country = proto::GetCountryRequest {
        mode: MODE,
        code: "kora".to_owned(),
        at_least: None,
    };
    asks(&test, &key, "/countries/k%6Fra", country).await;
    let event = proto::GetEventRequest {
        mode: MODE,
        slug: "kora".to_owned(),
        at_least: None,
    };
    asks(&test, &key, "/events/k%6Fra", event).await;

    let calls = test.catalogue.calls();
    for path in ["/creators/%ff", "/countries/%ff", "/events/%ff"] {
        let response = test.get(&key, path).await;
        assert_eq!(response.error(), (404, "not_found"), "{path}");
    }
    assert_eq!(test.catalogue.calls(), calls, "these name nothing");
    for path in ["/creators/none", "/countries/none", "/events/none"] {
        let response = test.get(&key, path).await;
        assert_eq!(response.error(), (404, "not_found"), "{path}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn lists_and_items_have_the_same_envelopes(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    for path in [
        "/creators",
        "/genres",
        "/countries",
        "/cities",
        "/events",
        "/search?q=x",
        "/rankings/games/all",
    ] {
        let response = test.get(&key, path).await;
        assert!(
            response.json["data"].is_array(),
            "{path}: {}",
            response.text
        );
        assert_eq!(response.json["meta"]["total"], 61, "{path}");
        assert_eq!(response.json["meta"]["next_cursor"], "next", "{path}");
    }
    for path in ["/creators/kora", "/countries/kora", "/events/kora"] {
        let response = test.get(&key, path).await;
        assert_eq!(response.json["data"]["slug"], "kora", "{path}");
        assert!(response.json["meta"].get("total").is_none(), "{path}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_bad_parameter_is_reported(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    for path in ["/creators", "/countries", "/cities", "/events", "/search"] {
        let bad = format!("{path}?limit=101&cursor=%zz&unknown=%zz");
        let response = test.get(&key, &bad).await;
        assert_eq!(response.error(), (400, "invalid"), "{path}");
        assert_eq!(response.fields(), ["cursor", "limit"], "{path}");
    }
    let twice = test.get(&key, "/events?when=past&when=past").await;
    assert_eq!(twice.fields(), ["when"]);
}
