//! A tip of a player (§4.2).

use contracts::economy::v1 as proto;
use kit::feed::{ApplyError, ApplyResult, NewChange};
use kit::idempotency;
use kit::{Fault, ids, timestamp};
use prost::Message as _;
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::tip::Tip;
use crate::store::games::{self, OwnedGame};
use crate::store::{currencies, tips};

/// Sends a tip.
#[derive(Debug)]
pub struct SendTip {
    pub game: Uuid,
    pub tip: Tip,
    pub idempotency_key: Option<idempotency::Key>,
}

/// The answer to a tip. A call with an `Idempotency-Key` stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TipReceipt {
    pub tip: Uuid,
    pub amount: u64,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// The answer to an earlier call with the same `Idempotency-Key`.
    #[serde(skip)]
    pub replayed: bool,
}

/// Books a tip.
pub(super) async fn send(
    connection: &mut PgConnection,
    send: &SendTip,
    now: OffsetDateTime,
) -> ApplyResult<TipReceipt> {
    if let Some(key) = &send.idempotency_key {
        // A tip locks its key, not the game's row: tips to one game must not wait for each other.
        if !key.lock(connection).await? {
            return Err(ApplyError::Busy);
        }
        let stored: Option<TipReceipt> = key.replay(connection, SCHEMA, now).await?;
        if let Some(receipt) = stored {
            let receipt = TipReceipt {
                replayed: true,
                ..receipt
            };
            return Ok((receipt, Vec::new()));
        }
    }
    if !currencies::exists(connection, send.game).await? {
        return Err(no_currency().into());
    }
    let id = ids::row_id();
    tips::insert(connection, id, send.game, &send.tip, now).await?;
    let receipt = TipReceipt {
        tip: id,
        amount: send.tip.amount,
        at: now,
        replayed: false,
    };
    if let Some(key) = &send.idempotency_key {
        key.store(connection, SCHEMA, &receipt, now).await?;
    }
    let game = games::owned(connection, send.game).await?;
    let change = game.map(|game| tip_paid(id, send, game, now));
    Ok((receipt, change.into_iter().collect()))
}

/// The error for a tip to a game without a currency (§4.2).
pub(crate) fn no_currency() -> Fault {
    let reason = "The game has no currency yet; its owner must first register a name in the dashboard, or staff with `staff currency set`.";
    Fault::invalid_field("game", reason)
}

/// The change on the feed, from which webhook-svc makes `tip.paid`.
fn tip_paid(id: Uuid, send: &SendTip, game: OwnedGame, now: OffsetDateTime) -> NewChange {
    let state = proto::Tip {
        id: id.to_string(),
        game_id: send.game.to_string(),
        player: send.tip.player.clone(),
        amount: send.tip.amount,
        note: send.tip.note.clone(),
        at: Some(timestamp::encode(now)),
        slug: game.slug,
        title: game.title,
        account_ids: game.owners.iter().map(Uuid::to_string).collect(),
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
