//! `GET /games` and `GET /games/{slug}`: what reaches catalogue-svc, and what becomes of its answers.

use std::time::Duration;

use contracts::catalogue::v1::{GetGameRequest, ListGamesRequest};
use contracts::common::v1::{Form, Mode};
use gateway::upstream;
use kit::{Code, Fault};
use sqlx::PgPool;

use crate::support::{Script, Test, UPSTREAM, With};

#[sqlx::test]
async fn every_parameter_reaches_the_catalogue(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let path = "/games?genre=puzzle&platform=web&country=ng&stage=released&creator=kora-lab&q=tr%C3%A9s+or&updated_since=2026-03-01T08:00:00%2B01:00&limit=7&cursor=abc&x=1";
    assert!(test.get(&key, path).await.is_ok());
    let asked: ListGamesRequest = test.catalogue.asked();
    assert_eq!((asked.mode(), asked.form()), (Mode::Live, Form::Json));
    let page = asked.page.unwrap();
    assert_eq!((page.limit, page.cursor.as_str()), (7, "abc"));
    let filters = [
        asked.genre,
        asked.platform,
        asked.country,
        asked.stage,
        asked.creator,
        asked.q,
        asked.updated_since,
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
    let asked: ListGamesRequest = test.catalogue.asked();
    assert_eq!(
        (asked.page.unwrap().limit, asked.genre, asked.q),
        (0, None, None)
    );
}

#[sqlx::test]
async fn the_key_decides_on_the_world(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    for (mode, expected) in [("test", Mode::Test), ("live", Mode::Live)] {
        let key = test.key(&account, mode).await;
        assert!(test.get(&key, "/games/kora").await.is_ok());
        assert_eq!(test.catalogue.asked::<GetGameRequest>().mode(), expected);
        let answer = test.get(&key, "/games/none").await;
        assert_eq!(answer.refusal(), (404, "not_found"));
        assert_eq!(answer.json["meta"]["mode"], mode);
    }
}

#[sqlx::test]
async fn a_slug_is_decoded(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    assert!(test.get(&key, "/games/k%6Fra").await.is_ok());
    assert_eq!(
        test.get(&key, "/games/%ff").await.refusal(),
        (404, "not_found")
    );
    assert_eq!(
        test.get(&key, "/games/a%2Fb").await.refusal(),
        (404, "not_found")
    );
    assert_eq!(test.catalogue.asked::<GetGameRequest>().slug, "a/b");
}

#[sqlx::test]
async fn every_bad_parameter_is_named_by_whoever_finds_it(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let answer = test
        .get(&key, "/games?limit=101&genre=a&genre=b&q=%zz&unknown=%zz")
        .await;
    assert_eq!(answer.refusal(), (400, "invalid"));
    assert_eq!(answer.fields(), ["genre", "limit", "q"]);
    // What catalogue-svc finds is told with it; what both find, as the gateway found it.
    let found = [("stage", "is not a stage"), ("limit", "of theirs")];
    let fault = Fault::invalid(found.map(|(field, why)| (field.into(), why.into())).into());
    test.catalogue.script(Script::Refuse(fault));
    let answer = test.get(&key, "/games?limit=101&stage=done").await;
    assert_eq!(answer.refusal(), (400, "invalid"));
    assert_eq!(answer.fields(), ["limit", "stage"]);
    assert_ne!(answer.json["fields"]["limit"], "of theirs");
    // Without it, the gateway's own findings are told.
    test.catalogue
        .script(Script::Refuse(Fault::unavailable("away")));
    let answer = test.get(&key, "/games?limit=101").await;
    assert_eq!(answer.refusal(), (400, "invalid"));
}

#[sqlx::test]
async fn the_catalogue_s_refusals_are_passed_on(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let fault = Fault::invalid_field("genre", "is not a genre");
    test.catalogue.script(Script::Refuse(fault));
    let answer = test.get(&key, "/games?genre=x").await;
    assert_eq!(answer.refusal(), (400, "invalid"));
    assert_eq!(answer.json["fields"]["genre"], "is not a genre");
}

#[sqlx::test]
async fn a_catalogue_that_does_not_answer_is_unavailable(pool: PgPool) {
    let with = With {
        upstream: upstream::Bounds {
            deadline: Duration::from_millis(50),
            ..UPSTREAM
        },
        ..With::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    test.catalogue.script(Script::Hang);
    let answer = test.get(&key, "/games").await;
    assert_eq!(answer.refusal(), (503, "unavailable"));
    assert_eq!(answer.header("retry-after"), "1");
}

#[sqlx::test]
async fn a_call_lost_on_its_way_is_made_once_more(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    test.catalogue.script(Script::Lose(1));
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!(test.catalogue.calls(), 2);

    test.catalogue.script(Script::Lose(9));
    assert_eq!(
        test.get(&key, "/games").await.refusal(),
        (503, "unavailable")
    );
    assert_eq!(test.catalogue.calls(), 4);

    // What the service itself refuses is not asked again.
    let fault = Fault::new(Code::Unavailable, "loading");
    test.catalogue.script(Script::Refuse(fault));
    assert_eq!(
        test.get(&key, "/games").await.refusal(),
        (503, "unavailable")
    );
    assert_eq!(test.catalogue.calls(), 5);
}
