//! A documented sample of each event and kind, for *Send a test event*.

use time::OffsetDateTime;
use time::macros::datetime;

use super::event::Event;
use super::message::{Data, Listing, Message, Move, derive_sample_id};

/// When the samples that test keys pull say that they were made.
pub const CREATED_AT: OffsetDateTime = datetime!(2026-01-01 00:00 UTC);

#[derive(Debug, Clone)]
pub struct Sample {
    pub event: Event,
    /// `game`, `studio`, `person` or `event`; empty for a ping.
    pub kind: &'static str,
    pub data: Data,
}

/// All samples; the first of each event is its default. `site` is the base URL of the public pages, which have the sample listings too.
pub fn all(site: &str) -> Vec<Sample> {
    let mut samples = Vec::new();
    for event in [Event::ListingPublished, Event::ListingUpdated] {
        samples.extend(["game", "studio", "person", "event"].map(|kind| Sample {
            event,
            kind,
            data: Data::Listing(listing(site, kind)),
        }));
    }
    samples.push(Sample {
        event: Event::TipPaid,
        kind: "game",
        data: Data::Listing(listing(site, "game")),
    });
    samples.extend(["game", "studio", "person"].map(|kind| {
        let listing = listing(site, kind);
        Sample {
            event: Event::RankingMoved,
            kind,
            data: Data::Move(Move {
                kind: listing.kind,
                board: "week".to_owned(),
                name: listing.name,
                url: listing.url,
                rank: 3,
                previous_rank: 8,
            }),
        }
    }));
    samples.push(Sample {
        event: Event::Ping,
        kind: "",
        data: Data::Ping { message: "This is a test event." },
    });
    samples
}

/// The sample of an event and a kind; the event's default when `kind` is empty.
pub fn find(site: &str, event: Event, kind: &str) -> Option<Sample> {
    all(site)
        .into_iter()
        .find(|sample| sample.event == event && (kind.is_empty() || sample.kind == kind))
}

/// The samples of the events that endpoints can select, as messages that never change.
///
/// # Errors
/// Those of serde.
pub fn messages(site: &str) -> Result<Vec<Message>, serde_json::Error> {
    let selectable = |sample: &Sample| Event::SELECTABLE.contains(&sample.event);
    let samples = all(site).into_iter().filter(selectable);
    let message = |sample: Sample| {
        let id = derive_sample_id(sample.event, sample.kind);
        Message::new(id, sample.event, None, CREATED_AT, &sample.data)
    };
    samples.map(message).collect()
}

fn listing(site: &str, kind: &str) -> Listing {
    let url = |path: &str| format!("{site}/{path}");
    match kind {
        "studio" => Listing::page(
            kind,
            "sample-baobab-works",
            "Sample Baobab Works",
            &url("creators/sample-baobab-works"),
        ),
        "person" => {
            Listing::page(kind, "sample-olawale", "Ọláwálé Sample", &url("creators/sample-olawale"))
        }
        "event" => Listing::event(
            "sample-harmattan-jam-2024",
            "Sample: Harmattan Jam 2024",
            &url("events/sample-harmattan-jam-2024"),
        ),
        _ => Listing::game(
            "sample-baobab-runner",
            "Sample: Baobab Runner",
            &url("games/sample-baobab-runner"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;

    const SITE: &str = "https://site.example";

    #[test]
    fn every_event_has_a_sample() {
        let find = |event, kind| find(SITE, event, kind);
        for &event in Event::VARIANTS {
            assert!(find(event, "").is_some(), "{event:?}");
        }
        assert_eq!(find(Event::ListingUpdated, "person").unwrap().kind, "person");
        assert!(find(Event::TipPaid, "studio").is_none());
    }

    #[test]
    fn a_sample_leads_to_a_page_of_the_site() {
        for sample in all(SITE) {
            let url = match sample.data {
                Data::Listing(listing) => listing.url,
                Data::Move(moved) => moved.url,
                Data::Ping { .. } => continue,
            };
            let path = url
                .strip_prefix("https://site.example/")
                .unwrap_or_else(|| panic!("{url} is of another site"));
            assert!(path.contains("/sample-"), "{url}");
        }
    }
}
