//! `GET /rankings/{kind}/{board}` (§4.2).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::ListRankingRequest;
use contracts::common::v1::Form;

use crate::app::App;
use crate::envelope::Answer;
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::path_param::PathParam;
use crate::extract::query::Query;
use crate::message;
use crate::upstream::min_position::MinPosition;

/// A page of a board. Which boards there are is for catalogue-svc to say.
pub async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    min: MinPosition,
    PathParam((kind, board)): PathParam<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), &["limit", "cursor"]);
    let request = ListRankingRequest {
        mode: message::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        at_least: None,
        kind,
        board,
    };
    let ranking = query
        .answered(app.catalogue.list_ranking(request, min))
        .await?;
    Ok(Answer::list(ranking.json, ranking.page))
}
