//! Calendars of events (RFC 5545): of all, of a country, or of one event.

use axum::extract::Path;
use axum::response::IntoResponse as _;
use contracts::catalogue::v1 as proto;
use contracts::public;
use pages::Frame;
use time::format_description::well_known::Iso8601;
use time::macros::format_description;
use time::{Date, Duration, UtcOffset};

use super::cards;
use super::feeds::{events_title, shortened};
use super::response::respond_as;
use crate::page_error::PageResult;
use crate::site::public_request::PublicRequest;
use crate::upstream::Catalogue;
use crate::upstream::catalogue::{Times, page};

const MEDIA_TYPE: &str = "text/calendar; charset=utf-8";
/// Days for which an event stays in the calendar after its end.
const PAST: Duration = Duration::days(31);
/// The most lists that a calendar reads, each of `ROWS` events. It has the earliest events.
const READS: usize = 5;
const ROWS: u32 = 100;
/// Octets of a line, without its end (3.1).
const LINE: usize = 75;
/// Characters of an event's description; the page has all.
const DESCRIPTION: usize = 1_000;

pub async fn show(request: PublicRequest, catalogue: Catalogue) -> PageResult {
    let PublicRequest { app, query, visit, .. } = &request;
    let today = super::today(app);
    let mut list_events = proto::ListEventsRequest {
        page: Some(page(ROWS, None)),
        when: Some("all".to_owned()),
        from: today.checked_sub(PAST).map(|day| day.to_string()),
        country: query.text("country"),
        ..proto::ListEventsRequest::default()
    };
    let mut lists = Vec::new();
    while lists.len() < READS {
        let list = catalogue.events_with_times(list_events.clone()).await?;
        let next = list.rows.page.next_cursor.clone();
        lists.push(list);
        match next {
            Some(next) => list_events.page = Some(page(ROWS, Some(&next))),
            None => break,
        }
    }
    respond_as(app, visit, MEDIA_TYPE, |frame| {
        let title = events_title(&frame, query.get("country"));
        let mut calendar = Calendar::begin(&title);
        for list in &lists {
            for (event, times) in list.parse::<public::Event>()? {
                calendar.push(&frame, &event, times);
            }
        }
        Ok(calendar.end().into_response())
    })
}

/// One event, for people who add it to their own calendar.
pub async fn event(
    PublicRequest { app, mut visit, .. }: PublicRequest,
    catalogue: Catalogue,
    Path(slug): Path<String>,
) -> PageResult {
    let (event, times) = catalogue.event(&slug).await?;
    let event: public::Event = event.parse()?;
    visit.path = format!("/events/{}/calendar.ics", event.slug);
    respond_as(&app, &visit, MEDIA_TYPE, |frame| {
        let mut calendar = Calendar::begin(&event.title);
        calendar.push(&frame, &event, times);
        Ok(calendar.end().into_response())
    })
}

/// The text of a calendar while it is written.
#[derive(Default)]
struct Calendar {
    text: String,
    has_events: bool,
}

impl Calendar {
    fn begin(title: &str) -> Self {
        let mut calendar = Self::default();
        calendar.line("BEGIN", "VCALENDAR");
        calendar.line("VERSION", "2.0");
        calendar.line("PRODID", "-//Mchezo//Events//EN");
        calendar.line("CALSCALE", "GREGORIAN");
        let title = escaped(&format!("{title} · Mchezo"));
        // RFC 7986 has NAME; older programs read the other one.
        calendar.line("NAME", &title);
        calendar.line("X-WR-CALNAME", &title);
        calendar.line("REFRESH-INTERVAL;VALUE=DURATION", "PT12H");
        calendar.line("X-PUBLISHED-TTL", "PT12H");
        calendar
    }

    /// Adds an event. One whose days cannot be read is left out.
    fn push(&mut self, frame: &Frame, event: &public::Event, times: Times) {
        let day = |text: &str| Date::parse(text, &Iso8601::DATE).ok();
        let last = event.ends_at.as_deref().unwrap_or(&event.starts_at);
        // The end of whole days is the day after.
        let days = day(&event.starts_at).zip(day(last).and_then(Date::next_day));
        let Some((first, end)) = days else {
            return;
        };
        let (basic, stamp) = (
            format_description!("[year][month][day]"),
            format_description!("[year][month][day]T[hour][minute][second]Z"),
        );
        let formatted = |day: Date| day.format(&basic).unwrap_or_default();
        let updated = times.updated.to_offset(UtcOffset::UTC).format(&stamp).unwrap_or_default();
        // A calendar keeps the copy of an event with the highest number (3.8.7.4).
        let sequence = (times.updated - times.published).whole_seconds().max(0);
        let address = frame.absolute(&format!("/events/{}", event.slug));
        let place = cards::place(frame.texts(), &event.city, &event.country_code);
        self.line("BEGIN", "VEVENT");
        self.line("UID", &escaped(&format!("{}/events/{}", frame.site, event.slug)));
        // Without a METHOD, DTSTAMP is the time of the last change too (3.8.7.2).
        self.line("DTSTAMP", &updated);
        self.line("LAST-MODIFIED", &updated);
        self.line("SEQUENCE", &sequence.to_string());
        self.line("DTSTART;VALUE=DATE", &formatted(first));
        self.line("DTEND;VALUE=DATE", &formatted(end));
        self.line("SUMMARY", &escaped(&event.title));
        if !event.description.is_empty() {
            let text = shortened(&event.description, DESCRIPTION);
            self.line("DESCRIPTION", &escaped(&text));
        }
        self.line("LOCATION", &escaped(&place));
        self.line("URL", &address);
        let kind = frame.texts().value("event-kind", &event.kind, &event.kind);
        self.line("CATEGORIES", &escaped(kind));
        // The days stay free for other appointments.
        self.line("TRANSP", "TRANSPARENT");
        self.line("END", "VEVENT");
        self.has_events = true;
    }

    fn end(mut self) -> String {
        if !self.has_events {
            self.time_zone();
        }
        self.line("END", "VCALENDAR");
        self.text
    }

    /// Adds the zone of UTC: a calendar has at least one component (3.6).
    fn time_zone(&mut self) {
        for (name, value) in [
            ("BEGIN", "VTIMEZONE"),
            ("TZID", "UTC"),
            ("BEGIN", "STANDARD"),
            ("DTSTART", "19700101T000000"),
            ("TZOFFSETFROM", "+0000"),
            ("TZOFFSETTO", "+0000"),
            ("END", "STANDARD"),
            ("END", "VTIMEZONE"),
        ] {
            self.line(name, value);
        }
    }

    /// Adds a line, folded so that none is longer than [`LINE`] octets. No character is cut in two.
    fn line(&mut self, name: &str, value: &str) {
        let mut octets = 0;
        for c in name.chars().chain([':']).chain(value.chars()) {
            if octets + c.len_utf8() > LINE {
                self.text.push_str("\r\n ");
                octets = 1;
            }
            self.text.push(c);
            octets += c.len_utf8();
        }
        self.text.push_str("\r\n");
    }
}

/// A text as the value of a property (3.3.11), without control characters.
fn escaped(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | ';' | ',' => value.extend(['\\', c]),
            '\n' => value.push_str("\\n"),
            '\t' => value.push(' '),
            c if c.is_control() => {}
            c => value.push(c),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_folded_between_characters() {
        let mut calendar = Calendar::default();
        let title = "ọ̀rẹ́ 🎮 ".repeat(40);
        calendar.line("SUMMARY", &title);
        calendar.line("URL", &"a".repeat(71));
        calendar.line("URL", &"a".repeat(72));
        let text = calendar.text;
        for line in text.split_terminator("\r\n") {
            assert!(line.len() <= 75, "{} octets: {line}", line.len());
            assert!(!line.contains(['\r', '\n']), "{line}");
        }
        let unfolded = text.replace("\r\n ", "");
        let lines: Vec<&str> = unfolded.split_terminator("\r\n").collect();
        assert_eq!(lines[0], format!("SUMMARY:{title}"));
        assert_eq!(lines.len(), 3);
        // A line of 75 octets is not folded; one of 76 is.
        assert_eq!(text.matches("\r\n ").count(), text.lines().count() - 3);
        assert!(text.contains(&format!("URL:{}\r\nURL:", "a".repeat(71))));
        assert!(text.ends_with(&format!("URL:{}\r\n a\r\n", "a".repeat(71))));
    }

    #[test]
    fn texts_cannot_add_lines() {
        assert_eq!(
            escaped("a,b;c\\d\te\r\nEND:VEVENT\u{0}\u{85}"),
            "a\\,b\\;c\\\\d e\\nEND:VEVENT"
        );
        assert_eq!(shortened("ɛɔŋ", 3), "ɛɔŋ");
        assert_eq!(shortened("ɛɔ ŋ", 3), "ɛɔ…");
    }
}
