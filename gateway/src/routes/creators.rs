//! `GET /creators` and `GET /creators/{handle}` (§4.2).

use contracts::catalogue::v1::{GetCreatorRequest, ListCreatorsRequest};

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::extract::query::Params;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 2] {
    [
        Operation::new("/creators", "listCreators", Tag::Creators, "Lists studios and people, the newest first.", Success::List("CreatorRow"),
            &[p::CREATOR_KIND, p::ROLE, p::COUNTRY, p::CITY, p::Q, p::UPDATED_SINCE, p::LIMIT, p::CURSOR]),
        Operation::new("/creators/{handle}", "getCreator", Tag::Creators, "Gets a studio or a person, with its games.",
            Success::Object("Creator"), &[p::HANDLE]),
    ]
}

pub async fn list(call: Call) -> Result<ApiResponse, ApiError> {
    let mut params = call.params();
    let request = ListCreatorsRequest {
        mode: call.mode(),
        page: Some(params.page()),
        at_least: call.at_least(),
        kind: params.text("kind"),
        role: params.text("role"),
        country: params.text("country"),
        city: params.text("city"),
        q: params.text("q"),
        updated_since: params.text("updated_since"),
    };
    let creators = call.read(&call.app.catalogue, params, &request).await?;
    Ok(ApiResponse::list(creators.json, creators.page).made_at(creators.position.as_ref()))
}

pub async fn get(mut call: Call) -> Result<ApiResponse, ApiError> {
    let handle = call.path_param().await?;
    let request =
        GetCreatorRequest { mode: call.mode(), handle, at_least: call.at_least(), max_games: None };
    let creator = call.read(&call.app.catalogue, Params::default(), &request).await?;
    Ok(ApiResponse::object(creator.json).made_at(creator.position.as_ref()))
}
