//! The table of games.

use sqlx::PgConnection;
use sqlx::types::{Json, Text};
use time::OffsetDateTime;
use uuid::Uuid;

use super::listing_table;
use super::page_owners::OwnedPage;
use crate::domain::array_fields::{Credit, Screenshot};
use crate::domain::game::Game;
use crate::domain::links::Links;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::state::ListingState as State;

/// A row of the table. Games change hundreds of times per second; reading a row as JSON, as the other tables do, costs several times as
/// much.
struct Row {
    id: Uuid,
    mode: Text<Mode>,
    state: Text<State>,
    revision: i64,
    slug: String,
    title: String,
    tagline: String,
    description: String,
    cover_url: Option<String>,
    screenshots: Json<Vec<Screenshot>>,
    genres: Vec<String>,
    platforms: Vec<String>,
    stage: String,
    release_year: i32,
    trailer_url: Option<String>,
    links: Json<Links>,
    credits: Json<Vec<Credit>>,
    featured: bool,
    page_id: Uuid,
    source: String,
    created_at: OffsetDateTime,
    first_published_at: Option<OffsetDateTime>,
    hidden_by_page: bool,
    updated_at: OffsetDateTime,
    submitter: Option<Uuid>,
    waiting_since: Option<OffsetDateTime>,
    /// The page, if the query asks for it and the account owns it.
    page: Option<Json<OwnedPage>>,
}

/// Selects rows by a clause; `$page` is the expression for the page.
macro_rules! select_rows {
    (page = $page:literal, [$($clause:literal)+], $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            Row,
            r#"select
                   id, mode as "mode: Text<Mode>", state as "state: Text<State>", revision, slug, title, tagline,
                   description, cover_url, screenshots as "screenshots: Json<Vec<Screenshot>>", genres, platforms,
                   stage, release_year, trailer_url, links as "links: Json<Links>",
                   credits as "credits: Json<Vec<Credit>>", featured, page_id, source, created_at, first_published_at,
                   hidden_by_page, updated_at, submitter, waiting_since, "# + $page + r#" as "page: Json<OwnedPage>"
               from listings.game "# $(+ $clause)+,
            $($argument),+
        )
    };
}

/// Selects games by a clause.
macro_rules! select_games {
    ([$($clause:literal)+], $($argument:expr),+ $(,)?) => {
        select_rows!(page = "null::jsonb", [$($clause)+], $($argument),+).map(Listing::<Game>::from)
    };
}

listing_table!(
    Game,
    select_games,
    "game",
    "slug",
    "title, tagline, description, cover_url, screenshots, genres, platforms, stage, release_year, trailer_url, links, credits,
     featured, page_id, source, hidden_by_page"
);

impl From<Row> for Listing<Game> {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            mode: row.mode.0,
            state: row.state.0,
            revision: row.revision,
            submitter: row.submitter,
            waiting_since: row.waiting_since,
            created_at: row.created_at,
            first_published_at: row.first_published_at,
            hidden_by_page: row.hidden_by_page,
            updated_at: row.updated_at,
            content: Game {
                slug: row.slug,
                title: row.title,
                tagline: row.tagline,
                description: row.description,
                cover_url: row.cover_url,
                screenshots: row.screenshots.0,
                genres: row.genres,
                platforms: row.platforms,
                stage: row.stage,
                release_year: row.release_year,
                trailer_url: row.trailer_url,
                links: row.links.0,
                credits: row.credits.0,
                featured: row.featured,
                page_id: row.page_id,
                source: row.source,
            },
        }
    }
}

/// Locks a live game and reads its page in the same round trip. The page is `None` unless the account owns it.
pub async fn lock_with_page(
    connection: &mut PgConnection,
    slug: &str,
    account: Uuid,
) -> Result<Option<(Listing<Game>, Option<OwnedPage>)>, sqlx::Error> {
    let row = select_rows!(
        page = "(
            select to_jsonb(owned) from (
                select page.id, page.handle, page.country_code, page.city, page.state
                from listings.page join listings.page_owner as owner on owner.page_id = page.id
                where page.id = game.page_id and owner.account_id = $2
            ) as owned
        )",
        ["where mode = 'live' and slug = $1 for no key update of game"],
        slug,
        account
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|mut row| {
        let page = row.page.take().map(|Json(page)| page);
        (row.into(), page)
    }))
}

/// Locks the games of a page.
pub async fn lock_of_page(
    connection: &mut PgConnection,
    page: Uuid,
) -> Result<Vec<Listing<Game>>, sqlx::Error> {
    select_games!(["where page_id = $1 order by id for no key update"], page)
        .fetch_all(connection)
        .await
}
