//! The position in the feed of listings-svc that public pages must have reached, so that they show all earlier writes (§1).

use std::time::Duration;

use contracts::catalogue::v1 as proto;
use contracts::common::v1::Position;
use kit::feed::{HighWaterMark, ProducerPosition};
use kit::redis::Redis;
use kit::rpc::client::Client;

/// The name of the feed.
const PRODUCER: &str = "listings";
/// How long a page waits for listings-svc while Redis has no position. It is then shown without one.
const TIMEOUT: Duration = Duration::from_millis(250);

/// Reads the newest position: from Redis, or else from listings-svc.
#[derive(Debug)]
pub struct NewestPosition {
    pub mark: HighWaterMark,
    pub listings: ProducerPosition,
}

impl NewestPosition {
    /// `redis` is that of listings-svc; without its position in it, each page asks `listings`.
    pub fn new(redis: Redis, listings: Client) -> Self {
        Self {
            mark: HighWaterMark::new(redis, PRODUCER),
            listings: ProducerPosition::new(listings, TIMEOUT),
        }
    }

    /// A position that covers all writes before this call, if one is known.
    pub(super) async fn get(&self) -> Option<Position> {
        let position = match self.mark.read().await {
            None => self.listings.get().await,
            position => position,
        };
        position.map(Into::into)
    }
}

/// A read of listings, whose response must have reached a position.
pub(super) trait ListingRead {
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
    DrawPairRequest, GetCityRequest, GetCountryRequest, GetCreatorRequest, GetEventRequest, GetGameRequest, GetRanksRequest,
    ListCitiesRequest, ListCountriesRequest, ListCreatorsRequest, ListEventsRequest, ListGamesRequest, ListGenresRequest,
    ListNewGamesRequest, ListRankingRequest, ListSitemapRequest, SearchRequest,
}
