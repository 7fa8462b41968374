//! The content of messages (§6), and their ids, which prevent duplicates.

use contracts::common::v1::Change;
use contracts::public::Timestamp;
pub use contracts::public::{WebhookListing as Listing, WebhookMove as Move};
use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

use super::event::Event;

/// Namespace of the ids of messages.
const NAMESPACE: Uuid = Uuid::from_u128(0x7c1d_26f0_92a4_4b0e_8a35_5e0f_63d1_b7c2);

/// A message, rendered once for all endpoints and attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub id: Uuid,
    pub event: Event,
    /// The listing that it is about. `None`: a test event.
    pub listing: Option<ListingKey>,
    /// The accounts that it is for. `None`: everyone who has selected the event.
    pub recipients: Option<Vec<Uuid>>,
    /// The time in the body: when the change was made.
    pub created_at: OffsetDateTime,
    /// The exact bytes that are sent.
    pub body: Vec<u8>,
}

/// A listing, as the listings feed names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListingKey {
    /// `page`, `game` or `event`. (`kind` in the data of a message tells studios from persons.)
    pub kind: &'static str,
    pub id: Uuid,
}

/// `data` of a body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Data {
    Listing(Listing),
    Move(Move),
    Ping { message: &'static str },
}

/// The id of the message with `event` that a change of `producer` causes. It derives from the change, so a change that is read again
/// makes no second message.
///
/// The time of the change is part of it. A producer that was restored to an earlier point gives revisions out again: the approval after the
/// restore may be revision 2 of the same game, like the one that was lost. The epoch would tell the two apart as well, but also one change
/// from itself, since a promoted replica begins a new epoch with the same changes.
///
/// The time of a move of a rank is not part of its id. The id of the change names the day and the listing. After a restore the catalogue
/// announces the snapshot of that day again, at another time, and it is the same move.
pub fn derive_id(producer: &str, change: &Change, at: OffsetDateTime, event: Event) -> Uuid {
    let Change { entity, id, revision, .. } = change;
    let micros = match event {
        Event::RankingMoved => 0,
        _ => at.unix_timestamp_nanos() / 1_000,
    };
    let event = event.as_str();
    let name = format!("{producer}/{entity}/{id}/{revision}/{micros}/{event}");
    Uuid::new_v5(&NAMESPACE, name.as_bytes())
}

/// The id of the message of a sample, which is always the same.
pub fn derive_sample_id(event: Event, kind: &str) -> Uuid {
    let name = format!("sample/{}/{kind}", event.as_str());
    Uuid::new_v5(&NAMESPACE, name.as_bytes())
}

impl Message {
    /// Renders a message.
    ///
    /// # Errors
    /// Those of serde.
    pub fn new(
        id: Uuid,
        event: Event,
        listing: Option<ListingKey>,
        created_at: OffsetDateTime,
        data: &Data,
    ) -> Result<Self, serde_json::Error> {
        #[derive(Serialize)]
        struct Body<'a> {
            id: Uuid,
            event: &'static str,
            created_at: Timestamp,
            data: &'a Data,
        }
        let body = serde_json::to_vec(&Body {
            id,
            event: event.as_str(),
            created_at: Timestamp(created_at),
            data,
        })?;
        Ok(Self { id, event, listing, recipients: None, created_at, body })
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_body_has_the_fields_of_the_contract() {
        let data = Data::Listing(Listing::game("kora", "Kora", "https://m.example/games/kora"));
        let at = datetime!(2026-03-01 08:00:00.123456 UTC);
        let message = Message::new(Uuid::nil(), Event::ListingPublished, None, at, &data).unwrap();
        assert_eq!(
            String::from_utf8(message.body).unwrap(),
            r#"{"id":"00000000-0000-0000-0000-000000000000","event":"listing.published","created_at":"2026-03-01T08:00:00.123Z","data":{"kind":"game","slug":"kora","name":"Kora","url":"https://m.example/games/kora","api":"/games/kora"}}"#
        );
    }

    #[test]
    fn an_id_is_derived_from_its_change() {
        let change = |revision| Change {
            entity: "game".to_owned(),
            id: "1".to_owned(),
            revision,
            ..Change::default()
        };
        let at = datetime!(2026-03-01 08:00:00.123456 UTC);
        let of = |revision, at, event| derive_id("listings", &change(revision), at, event);
        let id = of(2, at, Event::ListingUpdated);
        assert_eq!(id, of(2, at, Event::ListingUpdated));
        assert_ne!(id, of(2, at, Event::ListingPublished));
        assert_ne!(id, of(3, at, Event::ListingUpdated));
        let given_out_again = at + time::Duration::MICROSECOND;
        assert_ne!(id, of(2, given_out_again, Event::ListingUpdated));
        let moved = of(0, at, Event::RankingMoved);
        assert_eq!(moved, of(0, given_out_again, Event::RankingMoved));
    }
}
