//! `GET /creators` and `GET /creators/{handle}` (§4.2).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::creators_service_client::CreatorsServiceClient;
use contracts::catalogue::v1::{GetCreatorRequest, ListCreatorsRequest};

use crate::app::App;
use crate::convert;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::min_position::MinPosition;
use crate::extract::path_param::PathParam;
use crate::extract::query::Params;

const PARAMETERS: &[&str] = &[
    "kind",
    "role",
    "country",
    "city",
    "q",
    "updated_since",
    "limit",
    "cursor",
];

pub async fn list(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    MinPosition(at_least): MinPosition,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), PARAMETERS);
    let request = ListCreatorsRequest {
        mode: convert::mode(caller.key.mode).into(),
        page: Some(query.page()),
        at_least,
        kind: query.text("kind"),
        role: query.text("role"),
        country: query.text("country"),
        city: query.text("city"),
        q: query.text("q"),
        updated_since: query.text("updated_since"),
    };
    let creators = query
        .with_errors_of(
            app.catalogue
                .creators
                .read(CreatorsServiceClient::list_creators, request),
        )
        .await?;
    Ok(ApiResponse::list(creators.json, creators.page))
}

pub async fn get(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    MinPosition(at_least): MinPosition,
    PathParam(handle): PathParam,
) -> Result<ApiResponse, ApiError> {
    let request = GetCreatorRequest {
        mode: convert::mode(caller.key.mode).into(),
        handle,
        at_least,
        max_games: None,
    };
    let creator = app
        .catalogue
        .creators
        .read(CreatorsServiceClient::get_creator, request)
        .await?;
    Ok(ApiResponse::object(creator.json))
}
