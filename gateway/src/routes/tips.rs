//! `POST /play/tips` (§4.2).

use axum::extract::{RawQuery, State};
use contracts::economy::v1::SendTipRequest;
use contracts::public::{CheckedTip, Timestamp, Tipped};
use kit::{Code, Fault, timestamp};
use serde::Deserialize;

use crate::app::App;
use crate::domain::key;
use crate::domain::quota::MINUTE;
use crate::envelope::{self, Answer};
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::idempotency_key::IdempotencyKey;
use crate::extract::json_body::JsonBody;
use crate::extract::query::Query;
use crate::message;

/// What is read here of a tip; economy-svc reads the rest.
#[derive(Deserialize)]
struct OfPlayer {
    player: String,
}

/// Sends a player's tip to the game.
pub async fn send(
    State(app): State<App>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
    key: IdempotencyKey,
    body: JsonBody,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), &["dry_run"]);
    let dry_run = query.flag("dry_run");
    query.answered(async { Ok(()) }).await?;
    let game = caller.key.game.clone().unwrap_or_default();
    check_player(&app, &caller, &game, &body).await?;
    let request = SendTipRequest {
        account_id: caller.key.account.to_string(),
        mode: message::mode(caller.key.mode).into(),
        game,
        body: body.0,
        dry_run,
        idempotency_key: key.0,
    };
    let answer = app.economy.send_tip(request).await?;
    let Some(tip) = answer.tip else {
        return Answer::written(&CheckedTip { dry_run: true });
    };
    let at = answer.at.and_then(timestamp::decode);
    let booked = Answer::written(&Tipped {
        tip,
        game: answer.game,
        amount: answer.amount,
        at: Timestamp(at.ok_or_else(envelope::internal)?),
    })?;
    Ok(booked.created().replayed(answer.replayed))
}

/// Holds a player to the calls of a minute (§8). A body without a player's name is economy-svc's to refuse.
async fn check_player(
    app: &App,
    caller: &key::Caller,
    game: &str,
    body: &JsonBody,
) -> Result<(), Fault> {
    let Ok(OfPlayer { player }) = serde_json::from_slice(&body.0) else {
        return Ok(());
    };
    let (now, limit) = (app.clock.now(), app.player_calls);
    let taken = app
        .quota
        .take_player(caller, game, player.trim(), limit, now);
    let Err(start) = taken.await else {
        return Ok(());
    };
    let wait = (start + MINUTE).min(now + MINUTE) - now;
    let seconds = wait.whole_seconds() + i64::from(wait.subsec_nanoseconds() > 0);
    Err(Fault {
        retry_after: u32::try_from(seconds).ok(),
        ..Fault::new(
            Code::RateLimited,
            format!("this player has used the {limit} calls of a minute; wait as Retry-After says"),
        )
    })
}
