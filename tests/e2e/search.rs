//! GET /search (§2.5, §4.2).

use contracts::public::{SearchAddress, SearchResult};
use e2e::{Client, Fleet};

use crate::lists::{
    assert_cursor_is_bound, assert_empty, assert_pages, assert_refused, live, sample,
};

const TYPES: [&str; 4] = ["games", "creators", "events", "cities"];

async fn found(client: &Client, query: &str) -> Vec<SearchResult> {
    client.rows(&format!("/search?{query}"), 100).await
}

/// Where the row is read: what `GET /{type}/{name}` would be, and what its public page ends in.
fn place(row: &SearchResult) -> String {
    let (SearchAddress::Slug(name) | SearchAddress::Handle(name)) = &row.address;
    format!("/{}/{name}", row.kind)
}

fn has_word(text: &str, beginning: &str) -> bool {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| word.starts_with(beginning))
}

#[tokio::test]
async fn a_word_is_found_in_everything_there_is() {
    let client = sample(&Fleet::shared());
    let rows = found(&client, "q=nairobi").await;
    for kind in TYPES {
        assert!(
            rows.iter().any(|row| row.kind == kind),
            "no {kind} in {rows:?}"
        );
    }
    for row in rows {
        let is_handle = matches!(row.address, SearchAddress::Handle(_));
        assert_eq!(is_handle, row.kind == "creators", "{row:?}");
        assert!(row.url.ends_with(&place(&row)), "{row:?}");
        assert_eq!(row.country_code.len(), 2, "{row:?}");
        // There is no page of a single city in this interface.
        if row.kind != "cities" {
            let read = client.get(&place(&row)).await;
            let name = if row.kind == "creators" {
                "name"
            } else {
                "title"
            };
            assert_eq!(read.data()[name], row.name);
        }
    }
}

#[tokio::test]
async fn a_hit_in_the_title_comes_before_one_in_the_pitch_before_any_other() {
    let client = sample(&Fleet::shared());
    let mut classes = std::collections::BTreeSet::new();
    for word in ["baobab", "cairo", "lagoon", "nairobi", "sample", "jam"] {
        let rows = found(&client, &format!("q={word}")).await;
        let rank = |row: &SearchResult| {
            let handle = match &row.address {
                SearchAddress::Handle(handle) => handle.as_str(),
                SearchAddress::Slug(_) => "",
            };
            if has_word(&row.name, word) || has_word(handle, word) {
                0
            } else if has_word(&row.tagline, word) {
                1
            } else {
                2
            }
        };
        assert!(!rows.is_empty(), "{word}");
        assert!(rows.is_sorted_by_key(rank), "{word}: {rows:?}");
        classes.extend(rows.iter().map(rank));
    }
    assert_eq!(classes.len(), 3, "a hit of every class was among them");
}

#[tokio::test]
async fn types_and_countries_narrow_it_and_keep_its_order() {
    let client = sample(&Fleet::shared());
    let whole = found(&client, "q=sample").await;
    let mut together = 0;
    for kind in TYPES {
        let rows = found(&client, &format!("q=sample&type={kind}")).await;
        let expected: Vec<SearchResult> =
            whole.iter().filter(|r| r.kind == kind).cloned().collect();
        assert_eq!(rows, expected, "{kind}");
        together += rows.len();
    }
    assert_eq!(together, whole.len());

    let country = &whole[0].country_code;
    let query = format!("q=sample&country={}", country.to_lowercase());
    let expected: Vec<SearchResult> = whole
        .iter()
        .filter(|row| &row.country_code == country)
        .cloned()
        .collect();
    assert_eq!(found(&client, &query).await, expected);
}

#[tokio::test]
async fn all_words_must_match() {
    let client = sample(&Fleet::shared());
    let rows = found(&client, "q=baobab%20runner").await;
    assert_eq!(place(&rows[0]), "/games/sample-baobab-runner");
    assert_empty(&client, "/search?q=baobab%20zebrafish").await;
    // A question without letters and digits has no words to match.
    assert_empty(&client, "/search?q=%21%3F").await;
}

#[tokio::test]
async fn the_first_ten_words_count() {
    let client = sample(&Fleet::shared());
    let ten = "s%20sa%20sam%20samp%20sampl%20sample%20b%20ba%20bao%20baob";
    let rows = found(&client, &format!("q={ten}%20zebrafish")).await;
    assert_eq!(rows, found(&client, &format!("q={ten}")).await);
    let names: Vec<String> = rows.iter().map(place).collect();
    assert!(
        names.contains(&"/games/sample-baobab-runner".to_owned()),
        "{names:?}"
    );
    assert_empty(&client, &format!("/search?q=zebrafish%20{ten}")).await;
}

#[tokio::test]
async fn a_typo_is_forgiven() {
    let client = sample(&Fleet::shared());
    for q in ["boabab%20runner", "baobb%20runer", "runner%20baobabb"] {
        let rows = found(&client, &format!("q={q}")).await;
        assert_eq!(place(&rows[0]), "/games/sample-baobab-runner", "{q}");
    }
    assert_empty(&client, "/search?q=bxqzkvtr").await;
}

#[tokio::test]
async fn pages_of_any_size_make_up_the_whole_list() {
    let client = sample(&Fleet::shared());
    assert_pages(&client, "/search?q=sample").await;
    assert_pages(&client, "/search?q=nairobi").await;
    assert_cursor_is_bound(&client, "/search?q=sample", "/search?q=samples").await;
    assert_cursor_is_bound(&client, "/search?q=sample", "/search?q=sample&type=games").await;
}

#[tokio::test]
async fn live_and_sample_listings_are_apart() {
    let fleet = Fleet::shared();
    let (live, sample) = (live(&fleet).await, sample(&fleet));
    let real = found(&live, "q=maliyo&type=creators").await;
    assert_eq!(place(&real[0]), "/creators/maliyo-games");
    assert_empty(&sample, "/search?q=maliyo").await;
    let rows = found(&live, "q=sample%20baobab").await;
    assert!(rows.iter().all(|row| !place(row).contains("/sample-")));
}

#[tokio::test]
async fn a_wrong_question_is_told_what_is_wrong_with_it() {
    let client = sample(&Fleet::shared());
    for path in ["/search", "/search?q=", "/search?q=%20"] {
        let answer = client.get(path).await;
        answer.assert_error(400, "invalid");
        assert!(answer.body["fields"]["q"].is_string(), "{}", answer.text);
    }
    let cases = [
        ("type=studios", "type"),
        ("type=games&type=games", "type"),
        ("country=FR", "country"),
        ("q=again", "q"),
    ];
    assert_refused(&client, "/search?q=sample", &cases).await;
}
