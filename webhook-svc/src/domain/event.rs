//! The events of §6.

/// An event that webhooks announce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Event {
    /// A listing was approved and is public.
    ListingPublished,
    /// A public listing was changed.
    ListingUpdated,
    /// A player tipped a game; for its maker only.
    TipPaid,
    /// A listing moved on the board of the week.
    RankingMoved,
    /// A test event.
    Ping,
}

impl Event {
    pub const ALL: [Self; 5] = [
        Self::ListingPublished,
        Self::ListingUpdated,
        Self::TipPaid,
        Self::RankingMoved,
        Self::Ping,
    ];
    /// The events that an endpoint can select. A ping is sent on demand only.
    pub const SELECTABLE: [Self; 4] = [
        Self::ListingPublished,
        Self::ListingUpdated,
        Self::TipPaid,
        Self::RankingMoved,
    ];

    /// The value of `event` and of the header `x-service-event`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ListingPublished => "listing.published",
            Self::ListingUpdated => "listing.updated",
            Self::TipPaid => "tip.paid",
            Self::RankingMoved => "ranking.moved",
            Self::Ping => "ping",
        }
    }

    /// When it is sent.
    pub const fn description(self) -> &'static str {
        match self {
            Self::ListingPublished => {
                "A game, a studio, a person or an event was approved and is listed."
            }
            Self::ListingUpdated => "A published listing was changed.",
            Self::TipPaid => "A player tipped one of your registered games.",
            Self::RankingMoved => {
                "A listing moved on the weekly board; checked once a day at 04:00 UTC."
            }
            Self::Ping => "You press Send a test event.",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == name)
    }

    /// Parses the events that an endpoint selects: each once, in the order of [`Event::SELECTABLE`].
    ///
    /// # Errors
    /// A message for the owner.
    pub fn parse_selection(names: &[String]) -> Result<Vec<Self>, String> {
        let is_selectable =
            |name: &String| Self::SELECTABLE.iter().any(|event| event.as_str() == name);
        if names.is_empty() || !names.iter().all(is_selectable) {
            let known = Self::SELECTABLE.map(Self::as_str).join(", ");
            return Err(format!("Give one or more of {known}."));
        }
        let is_named = |event: &Self| names.iter().any(|name| name == event.as_str());
        Ok(Self::SELECTABLE.into_iter().filter(is_named).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_by_their_names() {
        for event in Event::ALL {
            assert_eq!(Event::parse(event.as_str()), Some(event));
        }
        assert_eq!(Event::parse("listing.removed"), None);
    }

    #[test]
    fn selected_events_are_known_and_named_once() {
        let parse = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            Event::parse_selection(&names)
        };
        let twice = parse(&["tip.paid", "listing.updated", "tip.paid"]);
        assert_eq!(twice, Ok(vec![Event::ListingUpdated, Event::TipPaid]));
        for bad in [&[][..], &["ping"], &["tip.paid", "tips"]] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
