//! `GET /economy/methodology` (§10.13).

use axum::extract::State;

use crate::app::App;
use crate::envelope::Answer;
use crate::errors::Refusal;

/// How rates and figures are worked out.
pub async fn show(State(app): State<App>) -> Result<Answer, Refusal> {
    let methodology = app.economy.get_methodology().await?;
    Ok(Answer::object(methodology.json))
}
