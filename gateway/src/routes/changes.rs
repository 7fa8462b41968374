//! `GET /changes` (§10.15).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::ListChangesRequest;
use contracts::common::v1::Form;

use crate::app::App;
use crate::envelope::Answer;
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::query::Query;
use crate::message;
use crate::upstream::min_position::MinPosition;

/// A page of changes.
pub async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    min: MinPosition,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), &["limit", "cursor"]);
    let request = ListChangesRequest {
        mode: message::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        at_least: None,
    };
    let changes = query
        .answered(app.catalogue.list_changes(request, min))
        .await?;
    Ok(Answer::list(changes.json, changes.page))
}
