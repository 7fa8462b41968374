//! Reads of the catalogue: the requests to catalogue-svc, and its errors.

use std::time::Duration;

use contracts::catalogue::v1 as proto;
use contracts::common::v1::{Mode, PageRequest};
use gateway::upstream;
use kit::{Code, Fault};
use sqlx::PgPool;

use crate::support::{Script, Test, TestConfig, TestKey, UPSTREAM};

/// The mode of every request here.
const MODE: i32 = Mode::Live as i32;

fn page(limit: u32, cursor: &str) -> PageRequest {
    PageRequest { limit, cursor: cursor.to_owned() }
}

/// Gets `path`, and asserts the request that catalogue-svc received.
async fn asks<Q: Clone + PartialEq + std::fmt::Debug + 'static>(
    test: &Test,
    key: &TestKey,
    path: &str,
    request: Q,
) {
    let response = test.get(key, path).await;
    assert!(response.is_ok(), "{path}: {}", response.text);
    assert_eq!(test.catalogue.last_request::<Q>(), request, "{path}");
    assert_eq!(response.json["meta"]["mode"], "live", "{path}");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_parameter_of_a_list_reaches_the_catalogue(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let games = proto::ListGamesRequest {
        mode: MODE,
        page: Some(page(7, "abc")),
        genre: Some("puzzle".into()),
        platform: Some("web".into()),
        country: Some("ng".into()),
        stage: Some("released".into()),
        creator: Some("kora-lab".into()),
        q: Some("trés or".into()),
        updated_since: Some("2026-03-01T08:00:00+01:00".into()),
        ..Default::default()
    };
    let path = "/games?genre=puzzle&platform=web&country=ng&stage=released&creator=kora-lab&q=tr%C3%A9s+or&updated_since=2026-03-01T08:00:00%2B01:00&limit=7&cursor=abc&x=1";
    asks(&test, &key, path, games).await;
    let none =
        proto::ListGamesRequest { mode: MODE, page: Some(page(0, "")), ..Default::default() };
    asks(&test, &key, "/games", none).await;

    let creators = proto::ListCreatorsRequest {
        mode: MODE,
        page: Some(page(7, "abc")),
        at_least: None,
        kind: Some("studio".into()),
        role: Some("artist".into()),
        country: Some("ng".into()),
        city: Some("lagos".into()),
        q: Some("x".into()),
        updated_since: Some("2026-03-01".into()),
    };
    let path = "/creators?kind=studio&role=artist&country=ng&city=lagos&q=x&updated_since=2026-03-01&limit=7&cursor=abc";
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

    for (path, empty) in [("/countries?empty=false", false), ("/countries?empty", true)] {
        let countries = proto::ListCountriesRequest {
            mode: MODE,
            page: Some(page(0, "")),
            empty,
            ..Default::default()
        };
        asks(&test, &key, path, countries).await;
    }
    let genres = proto::ListGenresRequest { mode: MODE, at_least: None };
    asks(&test, &key, "/genres?limit=many&cursor=x", genres).await;
}

#[testing::database_test(gateway::MIGRATOR)]
async fn items_are_requested_by_their_decoded_names(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let game = proto::GetGameRequest { mode: MODE, slug: "kora".to_owned(), at_least: None };
    asks(&test, &key, "/games/k%6Fra", game).await;
    let creator =
        proto::GetCreatorRequest { mode: MODE, handle: "kora".to_owned(), ..Default::default() };
    asks(&test, &key, "/creators/k%6Fra", creator).await;
    let country = proto::GetCountryRequest { mode: MODE, code: "kora".to_owned(), at_least: None };
    asks(&test, &key, "/countries/k%6Fra", country).await;
    let event = proto::GetEventRequest { mode: MODE, slug: "kora".to_owned(), at_least: None };
    asks(&test, &key, "/events/k%6Fra", event).await;
    let calls = test.catalogue.calls();
    for list in ["games", "creators", "countries", "events"] {
        let response = test.get(&key, &format!("/{list}/%ff")).await;
        assert_eq!(response.error(), (404, "not_found"), "{list}");
    }
    assert_eq!(test.catalogue.calls(), calls, "these name nothing");
    let slash = test.get(&key, "/games/a%2Fb").await;
    assert_eq!(slash.error(), (404, "not_found"));
    assert_eq!(test.catalogue.last_request::<proto::GetGameRequest>().slug, "a/b");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_test_key_reads_samples(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "test").await;
    let response = test.get(&key, "/games/none").await;
    assert_eq!(response.error(), (404, "not_found"));
    assert_eq!(response.json["meta"]["mode"], "test");
    let request = test.catalogue.last_request::<proto::GetGameRequest>();
    assert_eq!(request.mode(), Mode::Test);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_error_has_the_bad_parameters_of_the_gateway_and_of_the_service(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let reasons = ["genre", "limit"].map(|field| (field.to_owned(), "of the service".to_owned()));
    let invalid = Fault::invalid(reasons.into());
    for (script, fields) in [
        (Script::Answer, &["cursor", "limit"][..]),
        (Script::Refuse(Fault::not_found("no such page")), &["cursor", "limit"]),
        (Script::Refuse(invalid), &["cursor", "genre", "limit"]),
    ] {
        test.catalogue.script(script);
        for path in [
            "/games",
            "/creators",
            "/countries",
            "/cities",
            "/events",
            "/search",
            "/rankings/games/week",
        ] {
            let bad = format!("{path}?limit=101&cursor=%zz&unknown=%zz");
            let response = test.get(&key, &bad).await;
            assert_eq!(response.error(), (400, "invalid"), "{path}");
            assert_eq!(response.fields(), fields, "{path}");
            assert_ne!(response.json["fields"]["limit"], "of the service");
        }
    }
    assert!(!test.get(&key, "/games?limit=0").await.is_ok());
    let page = test.catalogue.last_request::<proto::ListGamesRequest>().page;
    assert_eq!(page.unwrap().limit, 1, "the response is dropped");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn errors_of_the_catalogue_are_returned_and_a_lost_call_is_retried_once(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let unavailable = (503, "unavailable");
    test.catalogue.script(Script::Lose(1));
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!(test.catalogue.calls(), 2);
    test.catalogue.script(Script::Lose(9));
    assert_eq!(test.get(&key, "/games").await.error(), unavailable);
    assert_eq!(test.catalogue.calls(), 4);
    // An error of the service itself is not retried.
    let fault = Fault::new(Code::Unavailable, "loading");
    test.catalogue.script(Script::Refuse(fault));
    assert_eq!(test.get(&key, "/games").await.error(), unavailable);
    let fault = Fault::invalid_field("genre", "is not a genre");
    test.catalogue.script(Script::Refuse(fault));
    let response = test.get(&key, "/games?genre=x").await;
    assert_eq!(response.error(), (400, "invalid"));
    assert_eq!(response.json["fields"]["genre"], "is not a genre");
    assert_eq!(test.catalogue.calls(), 6);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_catalogue_that_does_not_answer_is_unavailable(pool: PgPool) {
    let with = TestConfig {
        upstream: upstream::CallLimits { deadline: Duration::from_millis(50), ..UPSTREAM },
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    test.catalogue.script(Script::Hang);
    let response = test.get(&key, "/games").await;
    assert_eq!(response.error(), (503, "unavailable"));
    assert_eq!(response.header("retry-after"), "1");
}
