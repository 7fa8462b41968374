//! The events of §6.

/// What is sent.
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
    /// A test.
    Ping,
}

impl Event {
    /// Every event.
    pub const ALL: [Self; 5] = [
        Self::ListingPublished,
        Self::ListingUpdated,
        Self::TipPaid,
        Self::RankingMoved,
        Self::Ping,
    ];
    /// The events that an endpoint may tick. A ping is sent on demand.
    pub const TICKED: [Self; 4] = [
        Self::ListingPublished,
        Self::ListingUpdated,
        Self::TipPaid,
        Self::RankingMoved,
    ];

    /// As `event` and the header `x-service-event` say it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ListingPublished => "listing.published",
            Self::ListingUpdated => "listing.updated",
            Self::TipPaid => "tip.paid",
            Self::RankingMoved => "ranking.moved",
            Self::Ping => "ping",
        }
    }

    /// The event of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == name)
    }

    /// The names of events that an endpoint ticks, each once and in the order of [`Event::TICKED`].
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub fn ticked(names: &[String]) -> Result<Vec<Self>, String> {
        let may_tick = |name: &String| Self::TICKED.iter().any(|event| event.as_str() == name);
        if names.is_empty() || !names.iter().all(may_tick) {
            let known = Self::TICKED.map(Self::as_str).join(", ");
            return Err(format!("Give one or more of {known}."));
        }
        let is_named = |event: &Self| names.iter().any(|name| name == event.as_str());
        Ok(Self::TICKED.into_iter().filter(is_named).collect())
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
    fn what_is_ticked_is_known_and_named_once() {
        let ticked = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            Event::ticked(&names)
        };
        let twice = ticked(&["tip.paid", "listing.updated", "tip.paid"]);
        assert_eq!(twice, Ok(vec![Event::ListingUpdated, Event::TipPaid]));
        for bad in [&[][..], &["ping"], &["tip.paid", "tips"]] {
            assert!(ticked(bad).is_err(), "{bad:?}");
        }
    }
}
