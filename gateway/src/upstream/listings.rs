//! The client of listings-svc: writes of games and events, and the listings of an account.

use std::time::Duration;

use contracts::listings::v1::events_service_client::EventsServiceClient;
use contracts::listings::v1::games_service_client::GamesServiceClient;
use contracts::listings::v1::own_listings_service_client::OwnListingsServiceClient;
use contracts::listings::v1::{
    CreateEventRequest, CreateEventResponse, CreateGameRequest, CreateGameResponse,
    ListOwnListingsRequest, ListOwnListingsResponse, UpdateEventRequest, UpdateEventResponse,
    UpdateGameRequest, UpdateGameResponse,
};
use kit::rpc::client::Client;
use kit::{Code, Fault};

use super::CallLimits;
use super::limit::CallLimit;
use super::read::read;
use super::write::write;

pub struct Listings {
    games: GamesServiceClient<Client>,
    events: EventsServiceClient<Client>,
    own: OwnListingsServiceClient<Client>,
    limit: CallLimit,
    deadline: Duration,
    write_deadline: Duration,
}

impl Listings {
    pub fn new(channel: Client, limits: CallLimits) -> Self {
        Self {
            games: GamesServiceClient::new(channel.clone()),
            events: EventsServiceClient::new(channel.clone()),
            own: OwnListingsServiceClient::new(channel),
            limit: CallLimit::new("listings", limits),
            deadline: limits.deadline,
            write_deadline: limits.write_deadline,
        }
    }

    pub async fn create_game(
        &self,
        request: CreateGameRequest,
    ) -> Result<CreateGameResponse, Fault> {
        let (games, method) = (self.games.clone(), GamesServiceClient::create_game);
        write(&self.limit, self.write_deadline, games, method, request).await
    }

    pub async fn update_game(
        &self,
        request: UpdateGameRequest,
    ) -> Result<UpdateGameResponse, Fault> {
        let (games, method) = (self.games.clone(), GamesServiceClient::update_game);
        let written = write(&self.limit, self.write_deadline, games, method, request).await;
        written.map_err(update_error)
    }

    pub async fn create_event(
        &self,
        request: CreateEventRequest,
    ) -> Result<CreateEventResponse, Fault> {
        let (events, method) = (self.events.clone(), EventsServiceClient::create_event);
        write(&self.limit, self.write_deadline, events, method, request).await
    }

    pub async fn update_event(
        &self,
        request: UpdateEventRequest,
    ) -> Result<UpdateEventResponse, Fault> {
        let (events, method) = (self.events.clone(), EventsServiceClient::update_event);
        let written = write(&self.limit, self.write_deadline, events, method, request).await;
        written.map_err(update_error)
    }

    pub async fn list_own_listings(
        &self,
        request: ListOwnListingsRequest,
    ) -> Result<ListOwnListingsResponse, Fault> {
        let (own, method) = (
            self.own.clone(),
            OwnListingsServiceClient::list_own_listings,
        );
        read(&self.limit, self.deadline, own, method, request).await
    }
}

/// The error of a PATCH. If its outcome is unknown, the way out differs from that of a POST: a PATCH takes no `Idempotency-Key`
/// and can be repeated without one.
fn update_error(fault: Fault) -> Fault {
    match fault.code {
        Code::OutcomeUnknown => Fault {
            message: "The change was not confirmed in time. It may or may not have taken effect. Read the listing, or send the same PATCH again: \
                      if the first one took effect, the second changes nothing, or fails with 412 if it has an If-Match."
                .into(),
            ..fault
        },
        _ => fault,
    }
}
