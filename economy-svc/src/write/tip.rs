//! A tip of a player (§4.2).

use contracts::economy::v1 as proto;
use kit::feed::{NewChange, Stop};
use kit::idempotency;
use kit::{Fault, ids, timestamp};
use prost::Message as _;
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Done;
use crate::SCHEMA;
use crate::domain::tip::Tip;
use crate::store::{currencies, tips};

/// A tip as it is sent.
#[derive(Debug)]
pub struct Send {
    pub game: Uuid,
    pub tip: Tip,
    pub idempotency_key: Option<idempotency::Key>,
}

/// What a tip is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tipped {
    pub tip: Uuid,
    pub amount: u64,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// The same call came before, and this is what it was answered.
    #[serde(skip)]
    pub replayed: bool,
}

/// Books a tip.
pub(super) async fn send(
    connection: &mut PgConnection,
    send: &Send,
    now: OffsetDateTime,
) -> Result<(Done, Vec<NewChange>), Stop> {
    if let Some(key) = &send.idempotency_key {
        // No row is locked for a tip, or all tips to a game would wait for each other.
        if !key.lock(connection).await? {
            return Err(Stop::Busy);
        }
        let stored: Option<Tipped> = key.replay(connection, SCHEMA, now).await?;
        if let Some(answer) = stored {
            let answer = Tipped {
                replayed: true,
                ..answer
            };
            return Ok((Done::Tipped(answer), Vec::new()));
        }
    }
    if !currencies::exists(connection, send.game).await? {
        return Err(no_currency().into());
    }
    let id = ids::row_id();
    tips::insert(connection, id, send.game, &send.tip, now).await?;
    let answer = Tipped {
        tip: id,
        amount: send.tip.amount,
        at: now,
        replayed: false,
    };
    if let Some(key) = &send.idempotency_key {
        key.store(connection, SCHEMA, &answer, now).await?;
    }
    let change = paid(id, send, now);
    Ok((Done::Tipped(answer), vec![change]))
}

/// Refuses a tip to a game without a currency (§4.2).
pub fn no_currency() -> Fault {
    let reason =
        "The game has no currency yet; its owner registers its name in the dashboard, or staff do.";
    Fault::invalid_field("game", reason)
}

/// For the feed: webhook-svc tells the game's maker.
fn paid(id: Uuid, send: &Send, now: OffsetDateTime) -> NewChange {
    let state = proto::Tip {
        id: id.to_string(),
        game_id: send.game.to_string(),
        player: send.tip.player.clone(),
        amount: send.tip.amount,
        note: send.tip.note.clone(),
        at: Some(timestamp::encode(now)),
    };
    NewChange {
        entity: "tip",
        id: id.to_string(),
        revision: 1,
        event: "paid",
        announced: true,
        happening: true,
        state: state.encode_to_vec(),
    }
}
