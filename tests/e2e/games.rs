//! GET /games and GET /games/{slug} (§2.2, §4.1, §4.2).

use contracts::public::{Game, GameRow};
use e2e::Fleet;
use serde_json::Value;

use crate::lists::{live, sample};

fn rows(values: Vec<Value>) -> Vec<GameRow> {
    values
        .into_iter()
        .map(|row| serde_json::from_value(row).unwrap())
        .collect()
}

#[tokio::test]
async fn real_games_are_listed_featured_first_then_newest() {
    let fleet = Fleet::shared();
    let mut games = rows(live(&fleet).await.all("/games", 100).await);
    // What was imported was published when it was created. Other tests send games in, which are new from the day of their approval.
    let imported: Vec<Value> = include_str!("../../deploy/data/games.ndjson")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    games.retain(|game| imported.iter().any(|row| row["slug"] == game.slug));
    assert!(
        games.len() >= 91,
        "the real directory has 91 games, {} are listed",
        games.len()
    );
    assert!(games.is_sorted_by(|a, b| {
        (b.featured, b.created_at, &a.slug) <= (a.featured, a.created_at, &b.slug)
    }));
    let game = games
        .iter()
        .find(|game| game.slug == "a-day-in-the-woods")
        .unwrap();
    assert_eq!(game.title, "A Day in the Woods");
    assert_eq!(
        (game.creator.handle.as_str(), game.country_code.as_str()),
        ("retroepic-software", "ZA")
    );
    assert_eq!((game.stage.as_str(), game.release_year), ("released", 2015));
    assert!(
        game.url.ends_with("/games/a-day-in-the-woods"),
        "{}",
        game.url
    );
}

#[tokio::test]
async fn a_row_has_the_fields_of_the_contract_and_no_other() {
    let fleet = Fleet::shared();
    let answer = live(&fleet).await.get("/games?limit=1").await;
    let row = answer.data()[0].as_object().unwrap();
    let mut names: Vec<&str> = row.keys().map(String::as_str).collect();
    names.sort_unstable();
    let contract = [
        "city",
        "country_code",
        "cover_url",
        "created_at",
        "creator",
        "featured",
        "genres",
        "platforms",
        "release_year",
        "slug",
        "stage",
        "tagline",
        "title",
        "url",
    ];
    assert_eq!(names, contract);
    let created = row["created_at"].as_str().unwrap();
    assert!(created.len() == 24 && created.ends_with('Z'), "{created}");
}

#[tokio::test]
async fn pages_of_any_size_make_up_the_whole_list() {
    let fleet = Fleet::shared();
    let client = sample(&fleet);
    let whole = client.all("/games", 100).await;
    for limit in [1, 7, 20, 99] {
        assert_eq!(client.all("/games", limit).await, whole, "limit {limit}");
    }
    let default = client.get("/games").await;
    assert_eq!(default.data().as_array().unwrap().len(), 20);
    assert_eq!(default.data().as_array().unwrap()[..], whole[..20]);
}

#[tokio::test]
async fn every_filter_gives_what_the_whole_list_holds() {
    // The samples: other tests publish and take down live games meanwhile.
    let client = sample(&Fleet::shared());
    let whole = rows(client.all("/games", 100).await);
    let some = whole
        .iter()
        .find(|game| {
            game.stage == "released" && !game.genres.is_empty() && !game.platforms.is_empty()
        })
        .unwrap();
    let (genre, platform) = (&some.genres[0], &some.platforms[0]);
    let is = |path: String, keep: &dyn Fn(&GameRow) -> bool| {
        let expected: Vec<GameRow> = whole.iter().filter(|game| keep(game)).cloned().collect();
        let client = client.clone();
        async move {
            assert!(!expected.is_empty(), "{path} would show nothing");
            assert_eq!(rows(client.all(&path, 13).await), expected, "{path}");
        }
    };
    is(format!("/games?genre={genre}"), &|g| {
        g.genres.contains(genre)
    })
    .await;
    is(format!("/games?platform={platform}"), &|g| {
        g.platforms.contains(platform)
    })
    .await;
    let country = &some.country_code;
    is(format!("/games?country={}", country.to_lowercase()), &|g| {
        &g.country_code == country
    })
    .await;
    is(format!("/games?stage={}", some.stage), &|g| {
        g.stage == some.stage
    })
    .await;
    is(format!("/games?creator={}", some.creator.handle), &|g| {
        g.creator.handle == some.creator.handle
    })
    .await;
    is(
        format!("/games?genre={genre}&country={country}&stage=released&q="),
        &|g| g.genres.contains(genre) && &g.country_code == country && g.stage == "released",
    )
    .await;
}

#[tokio::test]
async fn words_match_by_prefix_in_title_pitch_and_maker() {
    let fleet = Fleet::shared();
    let client = live(&fleet).await;
    let found = async |q: &str| -> Vec<String> {
        rows(client.all(&format!("/games?q={q}"), 50).await)
            .into_iter()
            .map(|game| game.slug)
            .collect()
    };
    let slug = "a-day-in-the-woods".to_owned();
    for q in [
        "day%20woods",
        "WOODS",
        "wood",
        "riding+hood",
        "retroepic",
        "w%C3%B3ods",
        "wodos",
    ] {
        assert!(found(q).await.contains(&slug), "q={q}");
    }
    assert!(!found("woods%20zebra").await.contains(&slug));
    assert!(
        !found("ods").await.contains(&slug),
        "words match from their beginning"
    );
}

#[tokio::test]
async fn a_single_game_adds_what_the_list_leaves_out() {
    let fleet = Fleet::shared();
    let client = sample(&fleet);
    for row in rows(client.all("/games", 100).await) {
        let answer = client.get(&format!("/games/{}", row.slug)).await;
        let game: Game = serde_json::from_value(answer.data().clone()).unwrap();
        assert_eq!(game.row, row);
    }
    let full = client.get("/games/sample-fifty-four-stops").await;
    let game: Game = serde_json::from_value(full.data().clone()).unwrap();
    assert!(game.description.chars().count() > 9_000);
    assert!(!game.screenshots.is_empty() && !game.credits.is_empty() && !game.links.is_empty());
    assert!(game.trailer_url.is_some());
}

#[tokio::test]
async fn live_and_sample_listings_are_apart() {
    let fleet = Fleet::shared();
    let (live, sample) = (live(&fleet).await, sample(&fleet));
    assert!(
        live.all("/games", 100)
            .await
            .iter()
            .all(|game| game["url"].as_str().unwrap().contains("/games/"))
    );
    let real = live.get("/games/a-day-in-the-woods").await;
    assert_eq!(
        (real.status.as_u16(), &real.body["meta"]["mode"]),
        (200, &"live".into())
    );
    sample
        .get("/games/a-day-in-the-woods")
        .await
        .assert_error(404, "not_found");

    let slug = sample.get("/games?limit=1").await.data()[0]["slug"]
        .as_str()
        .unwrap()
        .to_owned();
    let shown = sample.get(&format!("/games/{slug}")).await;
    assert_eq!(
        (shown.status.as_u16(), &shown.body["meta"]["mode"]),
        (200, &"test".into())
    );
    live.get(&format!("/games/{slug}"))
        .await
        .assert_error(404, "not_found");
}

#[tokio::test]
async fn a_wrong_question_is_told_what_is_wrong_with_it() {
    let fleet = Fleet::shared();
    let client = sample(&fleet);
    let cursor = client.get("/games?limit=1").await.body["meta"]["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    for (query, field) in [
        ("limit=0".to_owned(), "limit"),
        ("limit=101".to_owned(), "limit"),
        ("limit=ten".to_owned(), "limit"),
        ("limit=5&limit=5".to_owned(), "limit"),
        ("cursor=nonsense".to_owned(), "cursor"),
        (format!("genre=puzzle&cursor={cursor}"), "cursor"),
        ("genre=cooking-with-fire".to_owned(), "genre"),
        ("platform=abacus".to_owned(), "platform"),
        ("stage=done".to_owned(), "stage"),
        ("country=FR".to_owned(), "country"),
        ("country=Kenya".to_owned(), "country"),
        ("q=%FF".to_owned(), "q"),
    ] {
        let answer = client.get(&format!("/games?{query}")).await;
        answer.assert_error(400, "invalid");
        let reason = answer.body["fields"][field].as_str();
        assert!(
            reason.is_some_and(|reason| reason.len() > 8),
            "{query}: {}",
            answer.text
        );
    }
    // What the gateway can judge, and what only catalogue-svc can.
    for (wrong, fields) in [
        (
            "country=KE&country=NG&limit=e&q=%",
            &["country", "limit", "q"][..],
        ),
        (
            "genre=a&platform=b&stage=c&cursor=f",
            &["cursor", "genre", "platform", "stage"],
        ),
    ] {
        let answer = client.get(&format!("/games?{wrong}")).await;
        answer.assert_error(400, "invalid");
        let named: Vec<&String> = answer.body["fields"].as_object().unwrap().keys().collect();
        assert_eq!(named, fields);
    }
    let unknown = client.get("/games?creator=nobody-at-all&colour=blue").await;
    assert_eq!(
        (unknown.data(), &unknown.body["meta"]["total"]),
        (&serde_json::json!([]), &0.into())
    );
}
