//! The start page.

use std::cmp::Reverse;

use contracts::public;
use kit::Fault;
use pages::site::cards::Chip;
use pages::site::start::HomePage;
use pages::{Frame, Head, Link, icon};
use time::{Duration, OffsetDateTime};

use super::response::respond;
use super::{cards, feeds, next_events, structured_data};
use crate::page_error::PageResult;
use crate::query::address;
use crate::site::public_request::PublicRequest;
use crate::upstream::Catalogue;
use crate::upstream::catalogue::{Rows, TimedRows};

const GAMES_OF_THE_DAY: usize = 8;
/// Two more games invite to vote.
const PAIR: usize = 2;
const NEW_GAMES: u32 = 4;
/// More games are drawn than shown, since the new ones among them have a place of their own.
const DRAWN: u32 = 14;
const EVENTS: u32 = 4;
/// Genres with a link.
const GENRES: usize = 10;

/// What was done before, about which the page says a sentence: a link cannot put other words into the page, nor have it made again.
pub const NOTICES: [&str; 2] = ["signed-out", "deleted"];

pub async fn show(request: PublicRequest, catalogue: Catalogue) -> PageResult {
    let (app, query, mut visit) = (&request.app, &request.query, request.visit);
    let notice = query.get("done").map(|done| format!("notice-{done}"));
    "/".clone_into(&mut visit.path);
    let now = app.clock.now();
    let today = super::today(app);
    // Each day has other games.
    let seed = u64::from(today.to_julian_day().unsigned_abs());
    // Boxed: the joined futures exceed the size limit of clippy.
    let reads = Box::pin(async {
        futures::join!(
            catalogue.draw_games(seed, DRAWN),
            catalogue.countries(true),
            catalogue.genres(),
            catalogue.events(next_events(EVENTS)),
            catalogue.new_games(NEW_GAMES),
        )
    });
    let (games, countries, genres, events, new_games) = reads.await;
    let games = match games {
        Err(fault) if notice.is_none() => return Err(fault.into()),
        // Somebody who has signed out reads so, whatever else cannot be read.
        games => games.ok(),
    };
    // A part that cannot be read says so in its place.
    let [countries, genres, events] = [countries, genres, events].map(Result::ok);
    let new_games = new_games.ok();
    let is_counted = countries.is_some();
    let has_games = games.is_some() && new_games.is_some();
    let is_whole = is_counted && genres.is_some() && events.is_some() && has_games;
    respond(app, &visit, |mut frame| {
        frame.head = Head::new(frame.texts().say("start-title"), frame.texts().say("start-lead"))
            .indexed_if(is_whole);
        frame.share.documents = feeds::of_games(&frame);
        frame.share.structured_data = Some(structured_data::site(&frame));
        let games = games.map(|games| games.parse::<Vec<public::GameRow>>());
        let (is_drawn, mut games) = (games.is_some(), games.transpose()?.unwrap_or_default());
        let new_games = new_games.map(|games| new_this_week(&games, now)).transpose()?;
        // No game is on the page twice.
        let is_new =
            |game: &public::GameRow| new_games.iter().flatten().any(|new| new.slug == game.slug);
        games.retain(|game| !is_new(game));
        games.truncate(GAMES_OF_THE_DAY + PAIR);
        let mut pair = games.split_off(GAMES_OF_THE_DAY.min(games.len()));
        if pair.len() < PAIR {
            pair.clear();
        }
        games.sort_by_key(|game| !game.featured);
        let events = events.map(|events| events.parse::<public::Event>()).transpose()?;
        Ok(HomePage {
            notice: notice.map(|key| frame.texts().say(&key).to_owned()),
            genres: genres.map(|genres| self::genres(&frame, &genres)).transpose()?,
            counts: countries
                .map(|countries| counts(&frame, &countries))
                .transpose()?
                .unwrap_or_default(),
            is_counted,
            new_games: new_games.map(|rows| cards::games(&frame, rows)),
            games: is_drawn.then(|| cards::games(&frame, games)),
            pair: cards::games(&frame, pair),
            events: events.map(|rows| cards::events(&frame, rows)),
            api_url: app.api_url.clone(),
            frame,
        })
    })
}

/// The newest games, without those that have been public for longer than a week.
fn new_this_week(newest: &TimedRows, now: OffsetDateTime) -> Result<Vec<public::GameRow>, Fault> {
    let new = newest.parse()?.filter(|(_, times)| times.published > now - Duration::WEEK);
    Ok(new.map(|(row, _)| row).collect())
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

/// The numbers of games, creators and countries, from the rows of all countries.
fn counts(frame: &Frame, countries: &Rows) -> Result<Vec<Link>, Fault> {
    let rows: Vec<public::CountryRow> = countries.parse()?;
    let counts = [
        ("/games", "games-count", rows.iter().map(|row| row.games).sum()),
        ("/creators", "creators-count", rows.iter().map(|row| row.creators).sum()),
        ("/countries", "countries-count", countries.page.total),
    ];
    let counts = counts.into_iter().filter(|(_, _, count)| *count > 0);
    let link = |(path, key, count)| frame.link(path, frame.texts().count(key, count));
    Ok(counts.map(link).collect())
}
