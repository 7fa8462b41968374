//! `GET /events` (§4.2) and `GET /events/{slug}` (§10.5), `POST /events` and `PATCH /events/{slug}` (§4.3).

use contracts::catalogue::v1::{GetEventRequest, ListEventsRequest};
use contracts::listings::v1::{CreateEventRequest, UpdateEventRequest};

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::extract::query::Params;
use crate::extract::service_write::ServiceWrite;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

use super::listing_write;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 4] {
    [
        Operation::new("/events", "listEvents", Tag::Events, "Lists events, the soonest first; past ones the latest first.", Success::List("Event"),
            &[p::EVENT_KIND, p::COUNTRY, p::CITY, p::WHEN, p::FROM_DAY, p::TO_DAY, p::Q, p::UPDATED_SINCE, p::LIMIT, p::CURSOR])
            .about("Without `when`, it lists the upcoming events, which include those in progress; with a `from` or a past `to`, all events of that range."),
        Operation::new("/events", "submitEvent", Tag::Events, "Submits an event, which staff review.", Success::CREATED, p::SUBMIT)
            .post("EventSubmission")
            .about("The event is pending until a person has reviewed it. Send an `Idempotency-Key`, so that a repeated call submits one \
                event. A test key checks everything and stores nothing."),
        Operation::new("/events/{slug}", "getEvent", Tag::Events, "Gets a published event.", Success::Listing("Event"), &[p::EVENT_SLUG])
            .about("An event that is not public gets 404; `GET /me/listings` lists your own in every state. Keep the `ETag` to change the \
                event with `If-Match`."),
        Operation::new("/events/{slug}", "updateEvent", Tag::Events, "Changes an event of the account.",
            Success::CHANGED, &[p::EVENT_SLUG, p::DRY_RUN, p::IF_MATCH])
            .patch("EventChange")
            .about("Send the fields that change, or the whole event as you read it. A field is replaced as a whole; null clears an \
                optional one. A change of a public event shows at once; a change of a rejected one submits it again. A test key \
                may change the samples; nothing is stored."),
    ]
}

pub async fn list(call: Call) -> Result<ApiResponse, ApiError> {
    let mut params = call.params();
    let request = ListEventsRequest {
        mode: call.mode(),
        page: Some(params.page()),
        at_least: call.at_least(),
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
    let events = call.read(&call.app.catalogue, params, &request).await?;
    Ok(ApiResponse::list(events.json, events.page))
}

pub async fn get(mut call: Call) -> Result<ApiResponse, ApiError> {
    let slug = call.path_param().await?;
    let request = GetEventRequest { mode: call.mode(), slug, at_least: call.at_least() };
    let event = call.read(&call.app.catalogue, Params::default(), &request).await?;
    Ok(ApiResponse::object(event.json).at_revision(event.revision).made_at(event.position.as_ref()))
}

pub async fn create(call: Call) -> Result<ApiResponse, ApiError> {
    let write = ServiceWrite::read(call)?;
    let writing = Some(listing_write::writing(&write));
    let request = CreateEventRequest { writing };
    let created = write.app.listings.write(&request).await;
    let created = write.bad.join(created)?;
    listing_write::created_response("/v1/events", created.written)
}

pub async fn update(mut call: Call) -> Result<ApiResponse, ApiError> {
    let slug = call.path_param().await?;
    let write = ServiceWrite::read(call)?;
    let request = UpdateEventRequest {
        slug,
        writing: Some(listing_write::writing(&write)),
        precondition: write.precondition,
    };
    let updated = write.app.listings.write(&request).await;
    let updated = write.bad.join(updated).map_err(listing_write::update_error)?;
    listing_write::updated_response(updated.written)
}
