//! What listings-svc is asked to do.

use std::future::Future;

use contracts::listings::v1::events_service_client::EventsServiceClient;
use contracts::listings::v1::games_service_client::GamesServiceClient;
use contracts::listings::v1::own_listings_service_client::OwnListingsServiceClient;
use contracts::listings::v1::{
    CreateEventRequest, CreateEventResponse, CreateGameRequest, CreateGameResponse,
    ListOwnListingsRequest, ListOwnListingsResponse, UpdateEventRequest, UpdateEventResponse,
    UpdateGameRequest, UpdateGameResponse,
};
use kit::rpc::client::Client;
use tonic::{Request, Response, Status};

/// Clients of listings-svc.
pub struct Listings {
    games: GamesServiceClient<Client>,
    events: EventsServiceClient<Client>,
    own: OwnListingsServiceClient<Client>,
}

impl Listings {
    pub(super) fn new(channel: Client) -> Self {
        Self {
            games: GamesServiceClient::new(channel.clone()),
            events: EventsServiceClient::new(channel.clone()),
            own: OwnListingsServiceClient::new(channel),
        }
    }
}

/// A call to listings-svc.
pub trait Order: Send + Sync {
    /// What it is answered.
    type Answer: Send;
    /// Whether it changes something, and so is made once.
    const WRITES: bool;

    /// Makes the call.
    fn make(
        listings: &Listings,
        request: Request<Self>,
    ) -> impl Future<Output = Result<Response<Self::Answer>, Status>> + Send
    where
        Self: Sized;
}

macro_rules! orders {
    ($($service:ident . $call:ident($order:ident) -> $answer:ident, writes: $writes:literal;)+) => {$(
        impl Order for $order {
            type Answer = $answer;
            const WRITES: bool = $writes;

            async fn make(
                listings: &Listings,
                request: Request<Self>,
            ) -> Result<Response<$answer>, Status> {
                listings.$service.clone().$call(request).await
            }
        }
    )+};
}

orders! {
    games.create_game(CreateGameRequest) -> CreateGameResponse, writes: true;
    games.update_game(UpdateGameRequest) -> UpdateGameResponse, writes: true;
    events.create_event(CreateEventRequest) -> CreateEventResponse, writes: true;
    events.update_event(UpdateEventRequest) -> UpdateEventResponse, writes: true;
    own.list_own_listings(ListOwnListingsRequest) -> ListOwnListingsResponse, writes: false;
}
