//! The position in the feed of listings-svc that public pages must have reached, so that they show all earlier writes (§1).

use contracts::Unary;
use contracts::catalogue::v1 as proto;
use contracts::common::v1::Position;

/// A read of listings, whose response must have reached a position.
pub(super) trait ListingRead: Unary {
    fn set_at_least(&mut self, position: Option<Position>);
}

macro_rules! listing_reads {
    ($($request:ident),* $(,)?) => {$(
        impl ListingRead for proto::$request {
            fn set_at_least(&mut self, position: Option<Position>) {
                self.at_least = position;
            }
        }
    )*};
}

listing_reads! {
    DrawGamesRequest, DrawPairRequest, GetCityRequest, GetCountryRequest, GetCreatorRequest, GetEventRequest, GetGameRequest, GetRanksRequest,
    ListCitiesRequest, ListCountriesRequest, ListCreatorsRequest, ListEventsRequest, ListGamesRequest, ListGenresRequest,
    ListNewGamesRequest, ListRankingRequest, SearchRequest,
}
