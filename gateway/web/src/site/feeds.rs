//! Atom feeds: new games, and events.

use contracts::catalogue::v1 as proto;
use contracts::public;
use kit::Fault;
use pages::site::cards::Picture;
use pages::site::feed::{Author, Entry, Feed};
use pages::site::share::Document;
use pages::site::{Frame, Head};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::cached::respond_as;
use super::query::address;
use super::request::SiteRequest;
use super::{cards, next_events, xml};
use crate::page_error::PageResult;
use crate::render::ok;
use crate::upstream::catalogue::Times;
use crate::upstream::catalogue_site::NewGame;

pub(super) const ATOM: &str = "application/atom+xml";
const MEDIA_TYPE: &str = "application/atom+xml; charset=utf-8";
pub(super) const GAMES: &str = "/games/feed.xml";
const EVENTS: &str = "/events/feed.xml";
pub(super) const CALENDAR: &str = "/events/calendar.ics";
const NEW_GAMES: u32 = 50;
const NEXT_EVENTS: u32 = 100;
/// Characters of a text in the content of an entry.
const CONTENT: usize = 2_000;
/// The time of a feed without entries.
const NEVER: &str = "1970-01-01T00:00:00Z";

pub async fn games(SiteRequest { app, mut visit, .. }: SiteRequest) -> PageResult {
    GAMES.clone_into(&mut visit.path);
    let games = app.catalogue.new_games(NEW_GAMES).await?;
    respond_as(&app, &visit, MEDIA_TYPE, |mut frame| {
        let title = frame.say("feed-games-title").to_owned();
        head(&mut frame, title, "games-description");
        let games = games.parse()?.into_iter();
        let entries = games.map(|new| game(&frame, &new));
        let entries = entries.collect::<Result<_, _>>()?;
        Ok(ok(&feed(frame, "/games", entries)))
    })
}

pub async fn events(request: SiteRequest) -> PageResult {
    let (app, query, mut visit) = (&request.app, &request.query, request.visit);
    let set = [("country", query.get("country"))];
    visit.path = address(EVENTS, &set);
    let request = proto::ListEventsRequest {
        country: query.text("country"),
        ..next_events(NEXT_EVENTS)
    };
    let events = app.catalogue.events_with_times(request).await?;
    respond_as(app, &visit, MEDIA_TYPE, |mut frame| {
        let title = events_title(&frame, query.get("country"));
        head(&mut frame, title, "events-description");
        let rows = events.parse::<public::Event>()?;
        let entries = rows.map(|(row, times)| event(&frame, &row, times));
        let entries = entries.collect::<Result<_, _>>()?;
        Ok(ok(&feed(frame, &address("/events", &set), entries)))
    })
}

fn head(frame: &mut Frame, title: String, description: &str) {
    frame.head = Head::new(title, frame.say(description)).unindexed();
}

/// `Events in Kenya`.
pub(super) fn events_title(frame: &Frame, country: Option<&str>) -> String {
    match country {
        Some(code) => frame.say_of("events-in", &cards::country(frame.texts, code)),
        None => frame.say("events-title").to_owned(),
    }
}

fn feed(frame: Frame, page: &str, mut entries: Vec<Entry>) -> Feed {
    // RFC 3339 in UTC sorts as text. The sort keeps the order of entries that became public in the same second.
    entries.sort_by(|one, other| other.published.cmp(&one.published));
    let updated = entries.iter().map(|entry| entry.updated.as_str()).max();
    Feed {
        page: frame.absolute(page),
        updated: updated.unwrap_or(NEVER).to_owned(),
        entries,
        frame,
    }
}

fn game(frame: &Frame, new: &NewGame) -> Result<Entry, Fault> {
    let row = &new.row;
    let cover = cards::picture(frame, row.cover_url.as_deref(), cards::COVER, "");
    let path = format!("/games/{}", row.slug);
    let creator = format!("/creators/{}", row.creator.handle);
    Ok(Entry {
        id: format!("{}{path}", frame.site),
        href: frame.absolute(&path),
        title: xml::plain(&row.title),
        summary: xml::plain(&row.tagline),
        author: Some(Author {
            name: xml::plain(&row.creator.name),
            href: frame.absolute(&creator),
        }),
        content: Some(content(
            frame,
            cover.as_ref(),
            &[&row.tagline, &new.description],
        )),
        // When it became public, not when it was submitted: readers compare this with their last visit (RFC 4287, 4.2.9).
        published: time(new.times.published)?,
        updated: time(new.times.updated)?,
    })
}

fn event(frame: &Frame, row: &public::Event, times: Times) -> Result<Entry, Fault> {
    let path = format!("/events/{}", row.slug);
    let card = cards::event(frame, row.clone());
    let facts = format!("{} · {} · {}", card.days, card.kind.label, card.place);
    Ok(Entry {
        id: format!("{}{path}", frame.site),
        href: frame.absolute(&path),
        title: xml::plain(&row.title),
        summary: xml::plain(&facts),
        author: None,
        content: Some(content(frame, None, &[&facts, &row.description])),
        published: time(times.published)?,
        updated: time(times.updated)?,
    })
}

/// The HTML of an entry: a picture, and the beginning of the texts.
fn content(frame: &Frame, picture: Option<&Picture>, texts: &[&str]) -> String {
    let mut html = String::new();
    if let Some(picture) = picture {
        html.push_str("<p><img alt=\"\" src=\"");
        xml::push_text(&mut html, &format!("{}{}", frame.site, picture.src));
        html.push_str("\"></p>");
    }
    let texts = texts.iter().map(|text| shortened(text, CONTENT));
    for text in texts {
        for paragraph in text.split("\n\n").filter(|text| !text.trim().is_empty()) {
            html.push_str("<p>");
            xml::push_text(&mut html, paragraph.trim());
            html.push_str("</p>");
        }
    }
    html.replace('\n', "<br>")
}

/// The beginning of a text, with an ellipsis if something is left out.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// In UTC, in whole seconds.
fn time(at: OffsetDateTime) -> Result<String, Fault> {
    let at = at.to_offset(time::UtcOffset::UTC);
    let at = at.replace_nanosecond(0).unwrap_or(at);
    at.format(&Rfc3339).map_err(|error| Fault::internal(&error))
}

/// The links to feeds on the list of games and on the start page.
pub(super) fn of_games(frame: &Frame) -> Vec<Document> {
    vec![Document {
        media_type: ATOM,
        title: frame.say("feed-games").to_owned(),
        href: frame.href(GAMES),
    }]
}

/// The links to feeds on the list of events.
pub(super) fn of_events(frame: &Frame, country: Option<&str>) -> Vec<Document> {
    let set = [("country", country)];
    vec![
        Document {
            media_type: ATOM,
            title: frame.say("feed-events").to_owned(),
            href: frame.href(&address(EVENTS, &set)),
        },
        Document {
            media_type: "text/calendar",
            title: frame.say("feed-calendar").to_owned(),
            href: frame.href(&address(CALENDAR, &set)),
        },
    ]
}
