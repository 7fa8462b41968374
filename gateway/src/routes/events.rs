//! `GET /events` (§4.2) and `GET /events/{slug}` (§10.5), `POST /events` and `PATCH /events/{slug}` (§4.3).

use contracts::catalogue::v1::events_service_client::EventsServiceClient;
use contracts::catalogue::v1::{GetEventRequest, ListEventsRequest};
use contracts::listings::v1::events_service_client as listings;
use contracts::listings::v1::{CreateEventRequest, UpdateEventRequest};

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::catalogue_read::CatalogueRead;
use crate::extract::if_match::IfMatch;
use crate::extract::path_param::PathParam;
use crate::extract::query::{Params, with_errors_of};
use crate::extract::service_write::ServiceWrite;

use super::listing_write;

pub async fn list(read: CatalogueRead) -> Result<ApiResponse, ApiError> {
    let mut params = read.params();
    let request = ListEventsRequest {
        mode: read.mode,
        page: Some(params.page()),
        at_least: read.at_least.clone(),
        kind: params.text("kind"),
        country: params.text("country"),
        city: params.text("city"),
        when: params.text("when"),
        from: params.text("from"),
        to: params.text("to"),
        q: params.text("q"),
        updated_since: params.text("updated_since"),
        with_times: false,
    };
    let method = EventsServiceClient::list_events;
    let events = read.send(params, method, request).await?;
    Ok(ApiResponse::list(events.json, events.page))
}

pub async fn get(read: CatalogueRead, PathParam(slug): PathParam) -> Result<ApiResponse, ApiError> {
    let request = GetEventRequest {
        mode: read.mode,
        slug,
        at_least: read.at_least.clone(),
    };
    let method = EventsServiceClient::get_event;
    let event = read.send(Params::default(), method, request).await?;
    Ok(ApiResponse::object(event.json)
        .at_revision(event.revision)
        .made_at(event.position.as_ref()))
}

pub async fn create(write: ServiceWrite) -> Result<ApiResponse, ApiError> {
    let writing = Some(listing_write::writing(&write));
    let request = CreateEventRequest { writing };
    let method = listings::EventsServiceClient::create_event;
    let call = write.app.listings.write(method, request);
    let created = with_errors_of(write.bad, call).await?;
    listing_write::created_response("/v1/events", created.written)
}

pub async fn update(
    PathParam(slug): PathParam,
    IfMatch(precondition): IfMatch,
    mut write: ServiceWrite,
) -> Result<ApiResponse, ApiError> {
    let precondition = write.take(precondition).flatten();
    let request = UpdateEventRequest {
        slug,
        writing: Some(listing_write::writing(&write)),
        precondition,
    };
    let method = listings::EventsServiceClient::update_event;
    let call = write.app.listings.write(method, request);
    let updated = with_errors_of(write.bad, call).await;
    listing_write::updated_response(updated.map_err(listing_write::update_error)?.written)
}
