//! The events of §6.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// An event that webhooks announce.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    EnumString,
    IntoStaticStr,
    VariantArray,
    strum::VariantNames,
)]
pub enum Event {
    /// A listing was approved and is public.
    #[strum(serialize = "listing.published")]
    ListingPublished,
    /// A public listing was changed.
    #[strum(serialize = "listing.updated")]
    ListingUpdated,
    /// A player tipped a game; for its maker only.
    #[strum(serialize = "tip.paid")]
    TipPaid,
    /// A listing moved on the board of the week.
    #[strum(serialize = "ranking.moved")]
    RankingMoved,
    /// A test event.
    #[strum(serialize = "ping")]
    Ping,
}

impl Event {
    /// The events that an endpoint can select. A ping is sent on demand only.
    pub const SELECTABLE: [Self; 4] =
        [Self::ListingPublished, Self::ListingUpdated, Self::TipPaid, Self::RankingMoved];

    /// The value of `event` and of the header `x-service-event`.
    pub fn as_str(self) -> &'static str {
        self.into()
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
        for event in Event::VARIANTS {
            assert_eq!(event.as_str().parse(), Ok(*event));
        }
        assert!("listing.removed".parse::<Event>().is_err());
    }

    #[test]
    fn a_selection_has_only_known_events_each_once() {
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
