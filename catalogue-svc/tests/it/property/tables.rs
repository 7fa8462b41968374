//! The listings in plain tables, and views of those that are public.

#![expect(
    clippy::disallowed_methods,
    reason = "tables of this test alone, which no checked query can know"
)]

use catalogue::domain::words::{self, Field};
use contracts::common::v1::Change;
use contracts::listings::v1 as listings;
use contracts::reference_data::{COUNTRIES, GENRES};
use prost::Message as _;
use prost_types::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, PgConnection};

/// Words are stored folded. Text compares byte by byte, except the names that sort lists.
const TABLES: &str = r#"
create domain word as text collate "C";
create table genre (key word, name word);
create table country (code word, name word);
create table page (
    id word, mode int, state int, handle word, name word, kind word, roles text[], tagline word, country word, city word,
    city_slug word, created bigint, updated bigint, length int, city_length int, name_words text[], handle_words text[],
    tagline_words text[], city_words text[]
);
create table game (
    id word, mode int, state int, slug word, title word, tagline word, genres text[], platforms text[], stage word,
    featured bool, page word, created bigint, updated bigint, length int, title_words text[], tagline_words text[]
);
create table event (
    id word, mode int, state int, slug word, title word, kind word, starts_at date, ends_at date, country word, city word,
    city_slug word, updated bigint, length int, title_words text[], city_words text[]
);

create view public_creator as
    select *, name_words || handle_words as title_words from page where state = 2;

create view public_game as
    select game.*, page.handle, page.name as maker, page.country, page.city, page.city_slug, page.name_words
    from game join page on page.id = game.page
    where game.state = 2 and page.state = 2;

create view public_event as
    select *, coalesce(ends_at, starts_at) as last_day from event where state = 2;

create view public_city as
    with first as (
        select distinct on (mode, city_slug) mode, city_slug as slug, city as name, country,
            city_words as title_words, city_length as length
        from public_creator where city_slug <> '' order by mode, city_slug, created, handle desc
    )
    select first.*,
        (select count(*) from public_creator c where (c.mode, c.city_slug) = (first.mode, first.slug)) as creators,
        (select count(*) from public_game g where (g.mode, g.city_slug) = (first.mode, first.slug)) as games
    from first;

-- Whether each word that is asked for begins one of these. What asks for no word finds nothing.
create function has(words text[], asked jsonb) returns bool language sql immutable return
    coalesce((select bool_and(exists (select from unnest(words) word where starts_with(word, prefix)))
              from jsonb_array_elements_text(asked->'words') prefix), false);

-- The same, when it is asked.
create function matches(words text[], asked jsonb) returns bool language sql immutable return
    asked->>'q' is null or has(words, asked);

-- Whether one of them does.
create function has_any(words text[], asked jsonb) returns bool language sql immutable return
    exists (select from jsonb_array_elements_text(asked->'words') prefix, unnest(words) word where starts_with(word, prefix));

-- Whether each word that is asked for is one of these.
create function has_whole(words text[], asked jsonb) returns bool language sql immutable return
    (select bool_and(prefix = any(words)) from jsonb_array_elements_text(asked->'words') prefix);

-- Where a hit has the words.
create function place(title text[], tagline text[], rest text[], asked jsonb) returns int language sql immutable return
    case
        when not has(title || tagline || rest, asked) then null
        when has(title, asked) then 0
        when has_any(title, asked) and has(title || rest, asked) then 1
        when has_any(title, asked) then 2
        when has(tagline, asked) then 3
        when has_any(tagline, asked) then 4
        else 5
    end;

create function rank(title text[], tagline text[], rest text[], length int, asked jsonb)
returns int[] language sql immutable return
    array[place(title, tagline, rest, asked), (not has_whole(title || tagline || rest, asked))::int, length];

create function counted(wanted int) returns table (code word, name word, creators bigint, games bigint) language sql stable as $$
    select code, name,
        (select count(*) from public_creator where mode = wanted and country = code),
        (select count(*) from public_game where mode = wanted and country = code)
    from country
$$;

create function wanted_events(asked jsonb) returns setof public_event language sql stable as $$
    select * from public_event
    where mode = (asked->>'mode')::int
        and (asked->>'kind' is null or asked->>'kind' = kind)
        and (asked->>'country' is null or upper(asked->>'country') = country)
        and coalesce(asked->>'city', '') in ('', city_slug)
        and (asked->>'from' is null or last_day >= (asked->>'from')::date)
        and (asked->>'to' is null or starts_at <= (asked->>'to')::date)
        and (asked->>'since' is null or updated >= (asked->>'since')::bigint)
        and matches(title_words || city_words, asked)
$$;
"#;

pub(super) async fn create(connection: &mut PgConnection) {
    sqlx::raw_sql(TABLES).execute(connection).await.unwrap();
}

/// Inserts the last state of every listing.
pub(super) async fn fill(connection: &mut PgConnection, states: &[&Change]) {
    let genres = GENRES.map(|genre| json!({ "key": genre.key, "name": genre.name }));
    let countries = COUNTRIES.map(|country| json!({ "code": country.code, "name": country.name }));
    let mut tables = vec![("genre", genres.to_vec()), ("country", countries.to_vec())];
    for entity in ["page", "game", "event"] {
        let states = states.iter().filter(|state| state.entity == entity);
        tables.push((entity, states.map(|state| row(state)).collect()));
    }
    for (entity, rows) in tables {
        let insert = format!(
            "insert into {entity} select * from jsonb_populate_recordset(null::{entity}, $1)"
        );
        let insert = sqlx::query(AssertSqlSafe(insert)).bind(Json(rows));
        insert.execute(&mut *connection).await.unwrap();
    }
}

/// Runs a query that returns a JSON object per row; its one parameter is the query, with the words of `q`.
pub(super) async fn select(
    connection: &mut PgConnection,
    query: &'static str,
    asked: &impl Serialize,
) -> Vec<Value> {
    let mut asked = serde_json::to_value(asked).unwrap();
    if let Some(q) = asked["q"].as_str() {
        asked["words"] = json!(words::of_query(q, 10));
    }
    let query = sqlx::query_scalar(query).bind(Json(asked));
    query.fetch_all(connection).await.unwrap()
}

fn row(change: &Change) -> Value {
    let state = change.state.clone();
    match &*change.entity {
        "page" => page(&listings::Page::decode(state).unwrap()),
        "game" => game(&listings::Game::decode(state).unwrap()),
        _ => event(&listings::Event::decode(state).unwrap()),
    }
}

fn words_of(field: Field, text: &str) -> Vec<String> {
    let words = words::of_texts([(field, text)]);
    words.iter().map(|(word, _)| word.to_owned()).collect()
}

fn length(title: &str) -> u8 {
    words::of_texts([(Field::Title, title)]).title_length()
}

fn later(one: Option<Timestamp>, other: Option<Timestamp>) -> i64 {
    one.unwrap().seconds.max(other.unwrap().seconds)
}

fn page(page: &listings::Page) -> Value {
    // A handle is indexed without joined words.
    let handle = page.handle.replace('-', " ");
    json!({
        "id": page.id, "mode": page.mode, "state": page.state, "kind": page.kind, "roles": page.roles,
        "length": length(&page.name), "city_length": length(&page.city),
        "name_words": words_of(Field::Title, &page.name), "handle_words": words_of(Field::Title, &handle),
        "tagline_words": words_of(Field::Tagline, &page.tagline), "city_words": words_of(Field::Title, &page.city),
        "handle": page.handle, "name": page.name, "tagline": page.tagline, "country": page.country_code,
        "city": page.city, "city_slug": page.city_slug, "created": page.created_at.unwrap().seconds,
        "updated": later(page.created_at, page.updated_at),
    })
}

fn game(game: &listings::Game) -> Value {
    json!({
        "id": game.id, "mode": game.mode, "state": game.state, "slug": game.slug, "stage": game.stage,
        "length": length(&game.title), "title_words": words_of(Field::Title, &game.title),
        "tagline_words": words_of(Field::Tagline, &game.tagline),
        "title": game.title, "tagline": game.tagline, "genres": game.genres, "platforms": game.platforms,
        "featured": game.featured, "page": game.page_id, "created": game.created_at.unwrap().seconds,
        "updated": later(game.created_at, game.updated_at),
    })
}

fn event(event: &listings::Event) -> Value {
    json!({
        "id": event.id, "mode": event.mode, "state": event.state, "slug": event.slug, "kind": event.kind,
        "length": length(&event.title), "title_words": words_of(Field::Title, &event.title),
        "city_words": words_of(Field::Title, &event.city),
        "title": event.title, "starts_at": event.starts_at, "ends_at": event.ends_at,
        "country": event.country_code, "city": event.city, "city_slug": event.city_slug,
        "updated": later(event.created_at, event.updated_at),
    })
}
