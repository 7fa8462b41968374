//! `GET /games` and `GET /games/{slug}`: the requests to catalogue-svc and the responses.

use std::time::Duration;

use contracts::catalogue::v1::{GetGameRequest, ListGamesRequest};
use contracts::common::v1::Mode;
use gateway::upstream;
use kit::{Code, Fault};
use sqlx::PgPool;

use crate::support::{Script, Test, TestConfig, UPSTREAM};

#[testing::database_test(gateway::MIGRATOR)]
async fn every_parameter_reaches_the_catalogue(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let path = "/games?genre=puzzle&platform=web&country=ng&stage=released&creator=kora-lab&q=tr%C3%A9s+or&updated_since=2026-03-01T08:00:00%2B01:00&limit=7&cursor=abc&x=1";
    assert!(test.get(&key, path).await.is_ok());
    let request: ListGamesRequest = test.catalogue.last_request();
    assert_eq!(request.mode(), Mode::Live);
    let page = request.page.unwrap();
    assert_eq!((page.limit, page.cursor.as_str()), (7, "abc"));
    let filters = [
        request.genre,
        request.platform,
        request.country,
        request.stage,
        request.creator,
        request.q,
        request.updated_since,
    ];
    assert_eq!(
        filters.map(Option::unwrap),
        [
            "puzzle",
            "web",
            "ng",
            "released",
            "kora-lab",
            "trés or",
            "2026-03-01T08:00:00+01:00"
        ]
    );

    assert!(test.get(&key, "/games").await.is_ok());
    let request: ListGamesRequest = test.catalogue.last_request();
    assert_eq!(
        (request.page.unwrap().limit, request.genre, request.q),
        (0, None, None)
    );
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_mode_of_the_key_selects_the_data(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    for (mode, expected) in [("test", Mode::Test), ("live", Mode::Live)] {
        let key = test.key(&account, mode).await;
        assert!(test.get(&key, "/games/kora").await.is_ok());
        assert_eq!(
            test.catalogue.last_request::<GetGameRequest>().mode(),
            expected
        );
        let response = test.get(&key, "/games/none").await;
        assert_eq!(response.error(), (404, "not_found"));
        assert_eq!(response.json["meta"]["mode"], mode);
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_slug_is_decoded(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    assert!(test.get(&key, "/games/k%6Fra").await.is_ok());
    assert_eq!(
        test.get(&key, "/games/%ff").await.error(),
        (404, "not_found")
    );
    assert_eq!(
        test.get(&key, "/games/a%2Fb").await.error(),
        (404, "not_found")
    );
    assert_eq!(test.catalogue.last_request::<GetGameRequest>().slug, "a/b");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn bad_parameters_are_answered_at_once(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let response = test
        .get(&key, "/games?limit=101&genre=a&genre=b&q=%zz&unknown=%zz")
        .await;
    assert_eq!(response.error(), (400, "invalid"));
    assert_eq!(response.fields(), ["genre", "limit", "q"]);
    assert_eq!(test.catalogue.calls(), 0);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn errors_of_the_catalogue_are_returned(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let fault = Fault::invalid_field("genre", "is not a genre");
    test.catalogue.script(Script::Refuse(fault));
    let response = test.get(&key, "/games?genre=x").await;
    assert_eq!(response.error(), (400, "invalid"));
    assert_eq!(response.json["fields"]["genre"], "is not a genre");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_catalogue_that_does_not_answer_is_unavailable(pool: PgPool) {
    let with = TestConfig {
        upstream: upstream::CallLimits {
            deadline: Duration::from_millis(50),
            ..UPSTREAM
        },
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    test.catalogue.script(Script::Hang);
    let response = test.get(&key, "/games").await;
    assert_eq!(response.error(), (503, "unavailable"));
    assert_eq!(response.header("retry-after"), "1");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_lost_call_is_retried_once(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    test.catalogue.script(Script::Lose(1));
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!(test.catalogue.calls(), 2);

    test.catalogue.script(Script::Lose(9));
    assert_eq!(test.get(&key, "/games").await.error(), (503, "unavailable"));
    assert_eq!(test.catalogue.calls(), 4);

    // An error of the service itself is not retried.
    let fault = Fault::new(Code::Unavailable, "loading");
    test.catalogue.script(Script::Refuse(fault));
    assert_eq!(test.get(&key, "/games").await.error(), (503, "unavailable"));
    assert_eq!(test.catalogue.calls(), 5);
}
