//! Tips of players (`economy/v1/tips.proto`).

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use contracts::economy::v1::tips_service_server::TipsService;
use kit::Fault;
use kit::api::timestamp;
use kit::rpc::respond;
use tonic::{Request, Response, Status};

use super::Service;
use super::calls::Call;
use crate::domain::tip::Tip;
use crate::write::SendTip;
use crate::write::tip;

#[tonic::async_trait]
impl TipsService for Service {
    async fn send_tip(
        &self,
        request: Request<proto::SendTipRequest>,
    ) -> Result<Response<proto::SendTipResponse>, Status> {
        let request = request.into_inner();
        let call = Call {
            account_id: &request.account_id,
            mode: request.mode(),
            game: &request.game,
            body: &request.body,
            idempotency_key: &request.idempotency_key,
            dry_run: request.dry_run,
        };
        respond(self.book_tip(&call).await)
    }
}

/// The error for a tip to a game without a currency (§4.2).
fn no_currency() -> Fault {
    let reason = "The game has no currency yet; its owner must first register a name in the dashboard, or staff with `staff currency set`.";
    Fault::invalid_field("game", reason)
}

impl Service {
    async fn book_tip(&self, call: &Call<'_>) -> Result<proto::SendTipResponse, Fault> {
        let idempotency_key = call.idempotency_key("POST /play/tips")?;
        let tip = match Tip::parse(call.body_text()?, call.game) {
            Ok(tip) => tip,
            Err(fault) => return Err(self.refusal(idempotency_key.as_ref(), fault).await),
        };
        if call.mode == Mode::Test {
            return Ok(proto::SendTipResponse::default());
        }
        let game = self.game(call.game).await?;
        if !game.has_currency {
            return Err(no_currency());
        }
        if call.dry_run {
            return Ok(proto::SendTipResponse::default());
        }
        let send = SendTip { game: game.id, tip, idempotency_key };
        let receipt = tip::send(&self.producer, &send).await?;
        Ok(proto::SendTipResponse {
            tip: Some(receipt.tip.to_string()),
            game: call.game.to_owned(),
            amount: receipt.amount,
            at: Some(timestamp::encode(receipt.at)),
            replayed: receipt.replayed,
        })
    }
}
