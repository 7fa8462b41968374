//! A tip of a player (§4.2).

use contracts::economy::v1 as proto;
use kit::feed::{NewChange, Producer};
use kit::idempotency;
use kit::{Fault, ids};
use prost::Message as _;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::tip::Tip;
use crate::store::games::{self, OwnedGame};
use crate::store::tips;

/// Sends a tip.
#[derive(Debug)]
pub struct SendTip {
    /// A game with a currency. Currencies are never deleted.
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
pub(crate) async fn send(producer: &Producer, send: &SendTip) -> Result<TipReceipt, Fault> {
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    if let Some(key) = &send.idempotency_key {
        // A tip locks its key, not the game's row: tips to one game must not wait for each other.
        key.lock(&mut transaction).await?;
        let stored: Option<TipReceipt> = key.replay(&mut transaction, SCHEMA, now).await?;
        if let Some(receipt) = stored {
            transaction.commit(&[]).await?;
            return Ok(TipReceipt { replayed: true, ..receipt });
        }
    }
    let id = ids::row_id();
    tips::insert(&mut transaction, id, send.game, &send.tip, now).await?;
    let receipt = TipReceipt { tip: id, amount: send.tip.amount, at: now, replayed: false };
    if let Some(key) = &send.idempotency_key {
        key.store(&mut transaction, SCHEMA, &receipt, now).await?;
    }
    let game = games::owned(&mut transaction, send.game).await?;
    let change = game.map(|game| tip_paid(id, send.game, game));
    transaction.commit(change.as_slice()).await?;
    Ok(receipt)
}

/// The change on the feed, from which webhook-svc makes `tip.paid`.
fn tip_paid(id: Uuid, game_id: Uuid, game: OwnedGame) -> NewChange {
    let state = proto::Tip {
        game_id: game_id.to_string(),
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
