//! GET /creators and GET /creators/{handle} (§2.4, §4.1, §4.2).

use contracts::public::{Creator, CreatorRow, GameRow};
use e2e::{Client, Fleet};
use serde::Deserialize;

use crate::lists::{
    assert_cursor_is_bound, assert_empty, assert_pages, assert_refused, live, sample,
};

#[tokio::test]
async fn real_creators_are_listed() {
    let fleet = Fleet::shared();
    let client = live(&fleet).await;
    let creators: Vec<CreatorRow> = client.rows("/creators", 100).await;
    assert!(creators.len() >= 250, "{} are listed", creators.len());
    let maliyo = creators
        .iter()
        .find(|creator| creator.handle == "maliyo-games")
        .unwrap();
    assert_eq!(
        (maliyo.kind.as_str(), maliyo.country_code.as_str()),
        ("studio", "NG")
    );
    assert!(
        maliyo.url.ends_with("/creators/maliyo-games"),
        "{}",
        maliyo.url
    );
    for creator in &creators {
        assert!(["studio", "person"].contains(&creator.kind.as_str()));
        assert_eq!(
            creator.city.is_empty(),
            creator.city_slug.is_empty(),
            "{creator:?}"
        );
    }
}

#[tokio::test]
async fn the_newest_come_first() {
    #[derive(Deserialize)]
    struct Line {
        handle: String,
        created_at: String,
    }
    let fleet = Fleet::shared();
    let shipped = include_str!("../../listings-svc/sample/creators.ndjson");
    let mut lines: Vec<Line> = shipped
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    lines.sort_by(|a, b| (&b.created_at, &a.handle).cmp(&(&a.created_at, &b.handle)));
    let expected: Vec<String> = lines.into_iter().map(|line| line.handle).collect();
    let listed: Vec<CreatorRow> = sample(&fleet).rows("/creators", 100).await;
    let handles: Vec<String> = listed.into_iter().map(|row| row.handle).collect();
    assert_eq!(handles, expected);
}

#[tokio::test]
async fn pages_of_any_size_make_up_the_whole_list() {
    let client = sample(&Fleet::shared());
    assert_pages(&client, "/creators").await;
    assert_pages(&client, "/creators?kind=studio").await;
    assert_cursor_is_bound(&client, "/creators", "/creators?kind=studio").await;
    assert_cursor_is_bound(&client, "/games", "/creators").await;
}

#[tokio::test]
async fn every_filter_gives_what_the_whole_list_holds() {
    let client = sample(&Fleet::shared());
    let whole: Vec<CreatorRow> = client.rows("/creators", 100).await;
    let some = whole
        .iter()
        .find(|row| row.kind == "studio" && !row.roles.is_empty() && !row.city.is_empty())
        .unwrap();
    let is = async |query: String, keep: &dyn Fn(&CreatorRow) -> bool| {
        let expected: Vec<CreatorRow> = whole.iter().filter(|row| keep(row)).cloned().collect();
        assert!(!expected.is_empty(), "{query} would show nothing");
        let path = format!("/creators?{query}");
        let found: Vec<CreatorRow> = client.rows(&path, 3).await;
        assert_eq!(found, expected, "{query}");
    };
    let (role, country, city) = (&some.roles[0], &some.country_code, &some.city_slug);
    is("kind=studio".to_owned(), &|row| row.kind == "studio").await;
    is("kind=person&q=".to_owned(), &|row| row.kind == "person").await;
    is(format!("role={role}"), &|row| row.roles.contains(role)).await;
    is(format!("city={city}"), &|row| &row.city_slug == city).await;
    is(format!("country={}", country.to_lowercase()), &|row| {
        &row.country_code == country
    })
    .await;
    is(
        format!("kind=studio&role={role}&country={country}&city={city}"),
        &|row| {
            row.kind == "studio"
                && row.roles.contains(role)
                && &row.country_code == country
                && &row.city_slug == city
        },
    )
    .await;
    assert_empty(&client, "/creators?role=astronaut").await;
    assert_empty(&client, "/creators?city=atlantis").await;
}

#[tokio::test]
async fn words_match_by_prefix_in_name_handle_pitch_and_city() {
    let client = sample(&Fleet::shared());
    let found = async |q: &str| -> Vec<String> {
        let rows: Vec<CreatorRow> = client.rows(&format!("/creators?q={q}"), 50).await;
        rows.into_iter().map(|row| row.handle).collect()
    };
    let handle = "sample-baobab-works".to_owned();
    // Of the name, the handle, the pitch, the city, of several, and misspelled.
    for q in [
        "BAOBAB",
        "sample-baobab",
        "trees",
        "dakar",
        "d%C3%A2kar+trees+works",
        "boabab",
    ] {
        assert!(found(q).await.contains(&handle), "q={q}");
    }
    // From within a word, of the bio, and a word too many.
    for q in ["obab", "courtyard", "baobab+zebra"] {
        assert!(!found(q).await.contains(&handle), "q={q}");
    }
}

#[tokio::test]
async fn a_single_creator_adds_bio_links_and_games() {
    let client = sample(&Fleet::shared());
    let rows: Vec<CreatorRow> = client.rows("/creators", 100).await;
    let mut with_games = 0;
    for row in rows {
        let creator: Creator = client.one(&format!("/creators/{}", row.handle)).await;
        let games: Vec<GameRow> = client
            .rows(&format!("/games?creator={}", row.handle), 100)
            .await;
        assert_eq!(creator.games, games, "{}", row.handle);
        assert_eq!(creator.row, row);
        with_games += usize::from(!games.is_empty());
    }
    assert!(with_games >= 2);
    let creator: Creator = client.one("/creators/sample-baobab-works").await;
    assert!(creator.bio.starts_with("Eleven imaginary people"));
    assert!(creator.row.verified && creator.row.avatar_url.is_some());
    assert!(creator.links.contains_key("website") && creator.links.contains_key("itch"));
}

#[tokio::test]
async fn live_and_sample_creators_are_apart() {
    async fn handles(client: &Client) -> Vec<String> {
        let rows: Vec<CreatorRow> = client.rows("/creators", 100).await;
        rows.into_iter().map(|row| row.handle).collect()
    }
    let fleet = Fleet::shared();
    let (live, sample) = (live(&fleet).await, sample(&fleet));
    let (real, samples) = (handles(&live).await, handles(&sample).await);
    assert!(real.iter().all(|handle| !samples.contains(handle)));
    for (client, handle) in [(&live, &samples[0]), (&sample, &real[0])] {
        let answer = client.get(&format!("/creators/{handle}")).await;
        answer.assert_error(404, "not_found");
    }
}

#[tokio::test]
async fn a_wrong_question_is_told_what_is_wrong_with_it() {
    let client = sample(&Fleet::shared());
    let cases = [
        ("kind=company", "kind"),
        ("country=FR", "country"),
        ("country=Kenya", "country"),
        ("country=KE&country=KE", "country"),
        ("q=%FF", "q"),
    ];
    assert_refused(&client, "/creators", &cases).await;
    for handle in ["nobody-at-all", "%FF", "a%2Fb", "sample-baobab-works/games"] {
        let answer = client.get(&format!("/creators/{handle}")).await;
        answer.assert_error(404, "not_found");
    }
}
