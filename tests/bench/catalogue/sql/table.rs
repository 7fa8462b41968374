//! The generated games in a table with the indexes that the questions need.

use std::collections::HashMap;
use std::fmt::Write as _;

use contracts::listings::v1::{Game, Page};
use sqlx::{Connection as _, PgConnection};

use crate::catalogue::generate::{Generator, Listing};

const TABLE: &str = "
    create schema plain;
    create table plain.game (
        slug text primary key,
        title text not null,
        tagline text not null,
        description text not null,
        cover_url text,
        genres text[] not null,
        platforms text[] not null,
        stage text not null,
        release_year integer not null,
        featured boolean not null,
        creator_handle text not null,
        creator_name text not null,
        country_code text not null,
        city text not null,
        url text not null,
        created_at timestamptz not null
    )";

const INDEXES: &str = "
    create extension if not exists btree_gin;
    create index on plain.game (featured desc, created_at desc, slug);
    create index on plain.game (country_code, featured desc, created_at desc, slug);
    create index on plain.game using gin (genres, platforms, country_code);
    vacuum analyze plain.game";

/// How many bytes are sent to PostgreSQL at a time.
const BUFFER: usize = 1 << 20;

#[expect(
    clippy::disallowed_methods,
    reason = "the benchmarks have no schema of their own"
)]
pub(super) async fn create(database_url: &str, generator: &Generator) {
    let mut connection = PgConnection::connect(database_url).await.unwrap();
    sqlx::raw_sql(TABLE).execute(&mut connection).await.unwrap();
    let mut copy = connection
        .copy_in_raw("copy plain.game from stdin")
        .await
        .unwrap();
    let (mut pages, mut buffer) = (HashMap::new(), String::new());
    for listing in generator.clone().listings() {
        match listing {
            Listing::Page(page) => {
                pages.insert(page.id.clone(), page);
            }
            Listing::Game(game) => push(&mut buffer, &game, &pages[&game.page_id]),
        }
        if buffer.len() >= BUFFER {
            copy.send(std::mem::take(&mut buffer).into_bytes())
                .await
                .unwrap();
        }
    }
    copy.send(buffer.into_bytes()).await.unwrap();
    copy.finish().await.unwrap();
    for statement in INDEXES.split(';') {
        sqlx::raw_sql(statement)
            .execute(&mut connection)
            .await
            .unwrap();
    }
}

/// A line of PostgreSQL's text format. No generated text has a tab, a backslash or a line's end.
fn push(buffer: &mut String, game: &Game, page: &Page) {
    let list = |values: &[String]| format!("{{{}}}", values.join(","));
    writeln!(
        buffer,
        "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
        game.slug,
        game.title,
        game.tagline,
        game.description,
        game.cover_url.as_deref().unwrap_or("\\N"),
        list(&game.genres),
        list(&game.platforms),
        game.stage,
        game.release_year,
        game.featured,
        page.handle,
        page.name,
        page.country_code,
        page.city,
        game.url,
        time::OffsetDateTime::from_unix_timestamp(game.created_at.unwrap().seconds).unwrap(),
    )
    .unwrap();
}
