//! The generated clients.

use contracts::{catalogue, common, economy, gateway, listings, webhook};
use kit::rpc::client::Client;

/// The largest answer: a creator comes with all games, a country with all cities.
const MAX_MESSAGE_SIZE: usize = 64 * 1024 * 1024;

/// A generated client.
pub(super) trait GrpcClient {
    fn new(client: Client) -> Self;
}

macro_rules! grpc_clients {
    ($($name:ident = $($part:ident)::+;)*) => {$(
        pub(super) type $name = $($part)::+<Client>;

        impl GrpcClient for $name {
            fn new(client: Client) -> Self {
                Self::new(client).max_decoding_message_size(MAX_MESSAGE_SIZE)
            }
        }
    )*};
}

grpc_clients! {
    Accounts = gateway::v1::accounts_service_client::AccountsServiceClient;

    CatalogueEvents = catalogue::v1::events_service_client::EventsServiceClient;
    CatalogueGames = catalogue::v1::games_service_client::GamesServiceClient;
    Creators = catalogue::v1::creators_service_client::CreatorsServiceClient;
    Places = catalogue::v1::places_service_client::PlacesServiceClient;
    Rankings = catalogue::v1::rankings_service_client::RankingsServiceClient;
    Search = catalogue::v1::search_service_client::SearchServiceClient;
    Site = catalogue::v1::site_service_client::SiteServiceClient;
    Votes = catalogue::v1::votes_service_client::VotesServiceClient;

    Currencies = economy::v1::currencies_service_client::CurrenciesServiceClient;
    Methodology = economy::v1::methodology_service_client::MethodologyServiceClient;
    Rates = economy::v1::rates_service_client::RatesServiceClient;
    Reports = economy::v1::reports_service_client::ReportsServiceClient;

    Events = listings::v1::events_service_client::EventsServiceClient;
    Games = listings::v1::games_service_client::GamesServiceClient;
    Notes = listings::v1::notes_service_client::NotesServiceClient;
    OwnListings = listings::v1::own_listings_service_client::OwnListingsServiceClient;
    OwnPictures = listings::v1::own_pictures_service_client::OwnPicturesServiceClient;
    Pages = listings::v1::pages_service_client::PagesServiceClient;
    Pictures = listings::v1::picture_service_client::PictureServiceClient;

    FeedChanges = common::v1::feed_service_client::FeedServiceClient;

    Deliveries = webhook::v1::deliveries_service_client::DeliveriesServiceClient;
    Endpoints = webhook::v1::endpoints_service_client::EndpointsServiceClient;
    Receivers = webhook::v1::receivers_service_client::ReceiversServiceClient;
}
