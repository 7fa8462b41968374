//! listings-svc: writes by API, and what an account has there.

use std::time::Duration;

use contracts::listings::v1::events_service_client::EventsServiceClient;
use contracts::listings::v1::games_service_client::GamesServiceClient;
use contracts::listings::v1::own_listings_service_client::OwnListingsServiceClient;
use contracts::listings::v1::{
    CreateEventRequest, CreateEventResponse, CreateGameRequest, CreateGameResponse,
    ListOwnListingsRequest, ListOwnListingsResponse, UpdateEventRequest, UpdateEventResponse,
    UpdateGameRequest, UpdateGameResponse,
};
use kit::rpc::client::{Client, Idempotent};
use kit::{Code, Fault};
use tonic::Request;

use super::Bounds;
use super::limit::CallLimit;
use super::write::write;

/// The client of listings-svc.
pub struct Listings {
    games: GamesServiceClient<Client>,
    events: EventsServiceClient<Client>,
    own: OwnListingsServiceClient<Client>,
    limit: CallLimit,
    deadline: Duration,
    write_deadline: Duration,
}

impl Listings {
    /// Over a client of listings-svc.
    pub fn new(channel: Client, bounds: Bounds) -> Self {
        Self {
            games: GamesServiceClient::new(channel.clone()),
            events: EventsServiceClient::new(channel.clone()),
            own: OwnListingsServiceClient::new(channel),
            limit: CallLimit::new("listings", bounds),
            deadline: bounds.deadline,
            write_deadline: bounds.write_deadline,
        }
    }

    /// Submits a game.
    pub async fn create_game(
        &self,
        request: CreateGameRequest,
    ) -> Result<CreateGameResponse, Fault> {
        let mut games = self.games.clone();
        let call = |request| async move { games.create_game(request).await };
        write(&self.limit, self.write_deadline, request, call).await
    }

    /// Changes a game.
    pub async fn update_game(
        &self,
        request: UpdateGameRequest,
    ) -> Result<UpdateGameResponse, Fault> {
        let mut games = self.games.clone();
        let call = |request| async move { games.update_game(request).await };
        let written = write(&self.limit, self.write_deadline, request, call).await;
        written.map_err(of_change)
    }

    /// Submits an event.
    pub async fn create_event(
        &self,
        request: CreateEventRequest,
    ) -> Result<CreateEventResponse, Fault> {
        let mut events = self.events.clone();
        let call = |request| async move { events.create_event(request).await };
        write(&self.limit, self.write_deadline, request, call).await
    }

    /// Changes an event.
    pub async fn update_event(
        &self,
        request: UpdateEventRequest,
    ) -> Result<UpdateEventResponse, Fault> {
        let mut events = self.events.clone();
        let call = |request| async move { events.update_event(request).await };
        let written = write(&self.limit, self.write_deadline, request, call).await;
        written.map_err(of_change)
    }

    /// A page of what an account has.
    pub async fn list_own_listings(
        &self,
        request: ListOwnListingsRequest,
    ) -> Result<ListOwnListingsResponse, Fault> {
        let _permit = self.limit.acquire().await?;
        let mut request = Request::new(request);
        request.set_timeout(self.deadline);
        request.extensions_mut().insert(Idempotent);
        let response = self.own.clone().list_own_listings(request).await;
        self.limit.ended(&response);
        Ok(response?.into_inner())
    }
}

/// The refusal of a change. One whose outcome is unknown has another way out than a submission: it takes no `Idempotency-Key`, and needs
/// none.
fn of_change(fault: Fault) -> Fault {
    match fault.code {
        Code::OutcomeUnknown => Fault {
            message: "the change was not answered in time, and may have taken effect or not: read the listing, or send the same PATCH \
                      again; if the first one took effect, the second changes nothing, or is refused with 412 if it has an If-Match"
                .into(),
            ..fault
        },
        _ => fault,
    }
}
