//! The start page.

use std::cmp::Reverse;

use contracts::catalogue::v1 as proto;
use contracts::public::{self, PLATFORMS};
use kit::Fault;
use pages::site::cards::{Chip, GameCard};
use pages::site::start::StartPage;
use pages::{Frame, Head, Link, icon};
use time::{Duration, OffsetDateTime, UtcOffset};
use xxhash_rust::xxh3::xxh3_64;

use super::query::address;
use super::response::respond;
use super::{cards, feeds, next_events, structured_data};
use crate::page_error::PageResult;
use crate::site::public_request::PublicRequest;
use crate::upstream::Catalogue;
use crate::upstream::catalogue::{Rows, page};
use crate::upstream::catalogue_site::NewGames;

/// The games of which some are drawn each day.
const DRAWN_FROM: u32 = 48;
const GAMES_OF_THE_DAY: usize = 8;
const NEW_GAMES: u32 = 4;
const EVENTS: u32 = 4;
/// Genres with a link.
const GENRES: usize = 10;

pub async fn show(request: PublicRequest, catalogue: Catalogue) -> PageResult {
    let (app, query, mut visit) = (&request.app, &request.query, request.visit);
    let notice = notice(query.get("done"));
    "/".clone_into(&mut visit.path);
    let games = proto::ListGamesRequest {
        page: Some(page(DRAWN_FROM, None)),
        ..proto::ListGamesRequest::default()
    };
    // Only their number is shown.
    let creators = proto::ListCreatorsRequest {
        page: Some(page(1, None)),
        ..proto::ListCreatorsRequest::default()
    };
    // Six calls at once are a large future.
    let reads = Box::pin(async {
        futures::join!(
            catalogue.games(games),
            catalogue.creators(creators),
            catalogue.countries(),
            catalogue.genres(),
            catalogue.events(next_events(EVENTS)),
            catalogue.new_games(NEW_GAMES),
        )
    });
    let (games, creators, countries, genres, events, new_games) = reads.await;
    let games = games?;
    // The page is shown without other parts that cannot be read, and says so in their place.
    let [creators, countries, genres, events] =
        [creators, countries, genres, events].map(Result::ok);
    let new_games = new_games.ok();
    let is_counted = creators.is_some() && countries.is_some();
    let is_whole = is_counted && genres.is_some() && events.is_some() && new_games.is_some();
    let now = app.clock.now();
    let today = now.to_offset(UtcOffset::UTC).date();
    respond(app, &visit, |mut frame| {
        frame.head = Head::new(
            frame.texts().say("start-title"),
            frame.texts().say("start-lead"),
        )
        .indexed_if(is_whole);
        frame.share.documents = feeds::of_games(&frame);
        frame.share.structured_data = Some(structured_data::site(&frame));
        let counts = [
            ("/games", "games-count", Some(&games)),
            ("/creators", "creators-count", creators.as_ref()),
            ("/countries", "countries-count", countries.as_ref()),
        ];
        let mut games: Vec<public::GameRow> = games.parse()?;
        let platforms = platforms(&frame, &games);
        let new_games = new_games.map(|games| new_this_week(&games, now));
        let new_games = new_games.transpose()?;
        // No game stands on the page twice.
        let is_new =
            |game: &public::GameRow| new_games.iter().flatten().any(|new| new.slug == game.slug);
        games.retain(|game| !is_new(game));
        let mut games = games_of_the_day(&frame, games, today.to_julian_day());
        let mut pair = games.split_off(GAMES_OF_THE_DAY.min(games.len()));
        if pair.len() < 2 {
            pair.clear();
        }
        let events = events.map(|events| events.parse::<public::Event>());
        let events = events.transpose()?;
        Ok(StartPage {
            notice: notice.map(|key| frame.texts().say(key).to_owned()),
            genres: genres
                .map(|genres| self::genres(&frame, &genres))
                .transpose()?,
            platforms,
            counts: counts
                .into_iter()
                .filter_map(|(path, key, rows)| count(&frame, path, key, rows?))
                .collect(),
            is_counted,
            new_games: new_games.map(|rows| cards::games(&frame, rows)),
            games,
            pair,
            events: events.map(|rows| cards::events(&frame, rows)),
            api_url: app.api_url.clone(),
            frame,
        })
    })
}

/// The key of a sentence about what was done, from a fixed list, so that a link cannot put words into the page.
fn notice(done: Option<&str>) -> Option<&'static str> {
    match done? {
        "signed-out" => Some("notice-signed-out"),
        "deleted" => Some("notice-deleted"),
        _ => None,
    }
}

/// Some games, others each day. Featured ones come first.
fn games_of_the_day(frame: &Frame, mut rows: Vec<public::GameRow>, day: i32) -> Vec<GameCard> {
    rows.sort_by_cached_key(|row| {
        let lot = xxh3_64(format!("{day} {}", row.slug).as_bytes());
        (!row.featured, lot)
    });
    let drawn = rows.into_iter().take(GAMES_OF_THE_DAY + 2);
    drawn.map(|row| cards::game(frame, row)).collect()
}

/// The newest games, without those that have been public for longer than a week.
fn new_this_week(newest: &NewGames, now: OffsetDateTime) -> Result<Vec<public::GameRow>, Fault> {
    let new = newest.parse()?.into_iter();
    let new = new.filter(|game| game.times.published > now - Duration::WEEK);
    Ok(new.map(|game| game.row).collect())
}

/// The platforms of these games, which stand for all; those of the most games come first.
fn platforms(frame: &Frame, games: &[public::GameRow]) -> Vec<Chip> {
    let games_on = |platform: &str| {
        let on = games.iter().filter(|game| {
            let mut platforms = game.platforms.iter();
            platforms.any(|it| it == platform)
        });
        on.count()
    };
    let counted = PLATFORMS.map(|platform| (platform, games_on(platform)));
    let mut counted: Vec<(&str, usize)> = counted.into();
    counted.retain(|(_, games)| *games > 0);
    counted.sort_by_key(|(_, games)| Reverse(*games));
    let chip = |(platform, _): (&str, usize)| Chip {
        icon: icon::name("platform", platform),
        link: frame.link(
            &address("/games", &[("platform", Some(platform))]),
            frame.texts().value("platform", platform, platform),
        ),
    };
    counted.into_iter().map(chip).collect()
}

/// The genres with the most games.
fn genres(frame: &Frame, rows: &Rows) -> Result<Vec<Chip>, Fault> {
    let mut rows: Vec<public::GenreRow> = rows.parse()?;
    rows.retain(|row| row.games > 0);
    rows.sort_by_key(|row| Reverse(row.games));
    let chip = |row: public::GenreRow| Chip {
        icon: icon::name("genre", &row.key),
        link: frame.link(
            &address("/games", &[("genre", Some(&row.key))]),
            frame.texts().value("genre", &row.key, &row.name),
        ),
    };
    Ok(rows.into_iter().take(GENRES).map(chip).collect())
}

fn count(frame: &Frame, path: &str, key: &str, rows: &Rows) -> Option<Link> {
    let total = rows.page.total;
    (total > 0).then(|| frame.link(path, frame.texts().count(key, total)))
}
