//! `POST /play/tips` (§4.2).

use contracts::economy::v1::SendTipRequest;
use contracts::public::{CheckedTip, Timestamp, Tipped};
use kit::api::{text, timestamp};
use kit::{Code, Fault};
use serde::Deserialize;

use crate::app::App;
use crate::domain::key::Mode;
use crate::envelope::{self, ApiResponse};
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::extract::service_write::ServiceWrite;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 1] {
    [
        Operation::new("/play/tips", "sendTip", Tag::Economy, "Tips the game of the key on behalf of a player.",
            Success::Created { created: "Tipped", checked: "CheckedTip", is_listing: false }, p::SUBMIT)
            .post("TipSubmission")
            .codes(&[Code::NotFound])
            .about("The amount is in whole units of the game's currency. With a test key, nothing is booked."),
    ]
}

/// The only field of a tip that the gateway reads. economy-svc reads the others.
#[derive(Deserialize)]
struct TipPlayer {
    player: String,
}

pub async fn send(call: Call) -> Result<ApiResponse, ApiError> {
    let ServiceWrite { app, caller, body, bad, dry_run, idempotency_key, .. } =
        ServiceWrite::read(call)?;
    let game = caller.key.game.clone().unwrap_or_default();
    // A call that only checks does not use up the minute of the live player.
    if caller.key.mode == Mode::Live && !dry_run {
        count_player(&app, &game, &body).await?;
    }
    let request = SendTipRequest {
        account_id: caller.key.account.to_string(),
        mode: caller.key.mode.into(),
        game,
        body,
        dry_run,
        idempotency_key,
    };
    let response = bad.join(app.economy.write(&request).await)?;
    let Some(tip) = response.tip else {
        return ApiResponse::json(&CheckedTip { dry_run: true });
    };
    let at = response.at.and_then(timestamp::decode);
    let booked = ApiResponse::json(&Tipped {
        tip,
        game: response.game,
        amount: response.amount,
        at: Timestamp(at.ok_or_else(envelope::internal)?),
    })?;
    Ok(booked.created().replayed(response.replayed))
}

/// Limits the tips of one player per minute (§8). economy-svc rejects a body without a player.
async fn count_player(app: &App, game: &str, body: &[u8]) -> Result<(), Fault> {
    let Ok(TipPlayer { player }) = serde_json::from_slice(body) else {
        return Ok(());
    };
    // The name as economy-svc stores it.
    let Ok(player) = text::line(&player, usize::MAX) else {
        return Ok(());
    };
    let limit = app.player_calls;
    let consumed = app.quota.consume_player(game, &player, limit);
    let Err(wait) = consumed.await else {
        return Ok(());
    };
    let message = format!(
        "This player has made the {limit} tips per minute that a game allows. Try again after the seconds in Retry-After."
    );
    Err(Fault::new(Code::RateLimited, message).retry_in(wait))
}
