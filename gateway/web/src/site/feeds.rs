//! The Atom feed of new games, and the links to it and to the calendar.

use contracts::public::GameRow;
use kit::Fault;
use pages::share::Document;
use pages::site::feeds::{Entry, Feed};
use pages::{Frame, Head, Link};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::response::respond_as;
use super::{cards, xml};
use crate::page_error::PageResult;
use crate::query::address;
use crate::render::ok;
use crate::site::public_request::PublicRequest;
use crate::upstream::Catalogue;
use crate::upstream::catalogue::Times;

const ATOM: &str = "application/atom+xml";
const MEDIA_TYPE: &str = "application/atom+xml; charset=utf-8";
pub(super) const GAMES: &str = "/games/feed.xml";
pub(super) const CALENDAR: &str = "/events/calendar.ics";
const NEW_GAMES: u32 = 50;
/// The time of a feed without entries.
const NEVER: &str = "1970-01-01T00:00:00Z";

pub async fn games(
    PublicRequest { app, visit, .. }: PublicRequest,
    catalogue: Catalogue,
) -> PageResult {
    let games = catalogue.new_games(NEW_GAMES).await?;
    respond_as(&app, &visit, MEDIA_TYPE, |mut frame| {
        let (title, description) = (frame.say("feed-games-title"), frame.say("games-description"));
        frame.head = Head::new(title, description).unindexed();
        let mut entries: Vec<Entry> = games
            .parse()?
            .map(|(row, times)| entry(&frame, &row, times))
            .collect::<Result<_, _>>()?;
        // RFC 3339 in UTC sorts as text. The sort keeps the order of entries that became public in the same second.
        entries.sort_by(|one, other| other.published.cmp(&one.published));
        let updated = entries.iter().map(|entry| entry.updated.as_str()).max();
        Ok(ok(&Feed {
            page: frame.absolute("/games"),
            updated: updated.unwrap_or(NEVER).to_owned(),
            entries,
            frame,
        }))
    })
}

/// `Events in Kenya`.
pub(super) fn events_title(frame: &Frame, country: Option<&str>) -> String {
    match country {
        Some(code) => frame.say_of("events-in", &cards::country(frame.texts(), code)),
        None => frame.say("events-title").to_owned(),
    }
}

fn entry(frame: &Frame, row: &GameRow, times: Times) -> Result<Entry, Fault> {
    let path = format!("/games/{}", row.slug);
    let creator = format!("/creators/{}", row.creator.handle);
    Ok(Entry {
        id: format!("{}{path}", frame.site),
        href: frame.absolute(&path),
        title: xml::plain(&row.title),
        summary: xml::plain(&row.tagline),
        author: Link { label: xml::plain(&row.creator.name), href: frame.absolute(&creator) },
        // When it became public, not when it was submitted: readers compare this with their last visit (RFC 4287, 4.2.9).
        published: time(times.published)?,
        updated: time(times.updated)?,
    })
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

/// The link to the calendar on the list of events.
pub(super) fn of_events(frame: &Frame, country: Option<&str>) -> Vec<Document> {
    vec![Document {
        media_type: "text/calendar",
        title: frame.say("feed-calendar").to_owned(),
        href: frame.href(&address(CALENDAR, &[("country", country)])),
    }]
}
