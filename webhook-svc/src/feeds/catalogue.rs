//! Follows catalogue-svc: moves on ranking boards.

use contracts::catalogue::v1::RankingMove;
use contracts::common::v1::Change;
use kit::feed::Projection;
use prost::Message as _;
use sqlx::PgConnection;

use super::Publisher;
use crate::domain::event::Event;
use crate::domain::message::{Data, ListingKey, Message, Move, derive_id};

/// Publishes moves on boards. Nothing of the catalogue is stored.
#[derive(Debug, Clone)]
pub struct Catalogue(pub Publisher);

impl Projection for Catalogue {
    type Row = ();
    type Message = Message;

    const MAX_MESSAGES: usize = Publisher::MAX_MESSAGES;

    fn message(&self, change: &Change) -> anyhow::Result<Option<Message>> {
        message(change)
    }

    async fn send(
        &self,
        connection: &mut PgConnection,
        messages: Vec<Message>,
    ) -> anyhow::Result<()> {
        self.0.publish(connection, &messages).await
    }

    fn committed(&self) {
        self.0.wakeup.wake();
    }
}

/// The message of a change; `None`: it is not a move.
///
/// # Errors
/// The change cannot be decoded.
pub fn message(change: &Change) -> anyhow::Result<Option<Message>> {
    if change.entity != "ranking_move" {
        return Ok(None);
    }
    let moved = RankingMove::decode(change.state.clone())?;
    let listing = ListingKey {
        kind: match moved.entity.as_str() {
            "game" => "game",
            "page" => "page",
            other => anyhow::bail!("`{other}` is not on a board"),
        },
        id: moved.listing_id.parse()?,
    };
    let event = Event::RankingMoved;
    let data = Data::Move(Move {
        kind: moved.kind,
        board: moved.board,
        name: moved.name,
        url: moved.url,
        rank: moved.rank,
        previous_rank: moved.previous_rank,
    });
    let at = super::time_of(change)?;
    let id = derive_id("catalogue", change, at, event);
    let message = Message::new(id, event, Some(listing), at, &data)?;
    Ok(Some(message))
}

#[cfg(test)]
mod tests {
    use kit::api::timestamp;
    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;

    fn change(rank: u32, previous_rank: u32) -> Change {
        let moved = RankingMove {
            entity: "page".to_owned(),
            listing_id: Uuid::from_u128(1).to_string(),
            kind: "studio".to_owned(),
            name: "Kora".to_owned(),
            url: "https://mchezo.example/creators/kora".to_owned(),
            board: "week".to_owned(),
            rank,
            previous_rank,
        };
        Change {
            entity: "ranking_move".to_owned(),
            id: "week/2026-03-01/kora".to_owned(),
            revision: 1,
            event: "moved".to_owned(),
            announced: true,
            happening: true,
            at: Some(timestamp::encode(datetime!(2026-03-01 04:00 UTC))),
            state: moved.encode_to_vec().into(),
            ..Change::default()
        }
    }

    #[test]
    fn a_move_on_the_board_of_the_week_makes_a_message() {
        let message = message(&change(3, 8)).unwrap().unwrap();
        let body: serde_json::Value = serde_json::from_slice(&message.body).unwrap();
        assert_eq!(
            body,
            serde_json::json!({
                "id": message.id, "event": "ranking.moved", "created_at": "2026-03-01T04:00:00.000Z",
                "data": {
                    "kind": "studio", "board": "week", "name": "Kora",
                    "url": "https://mchezo.example/creators/kora", "rank": 3, "previous_rank": 8,
                },
            })
        );
    }

    #[test]
    fn other_changes_make_no_message() {
        let other = Change { entity: "vote".to_owned(), ..change(3, 8) };
        assert_eq!(message(&other).unwrap(), None);
    }
}
