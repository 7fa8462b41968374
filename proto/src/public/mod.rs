//! The JSON shapes of the public interface (§2), a file a resource.
//!
//! The services render them, the gateway documents them and the tests read answers with them; there is no second copy.

mod bodies;
mod creator;
mod economy;
mod event;
mod game;
mod me;
mod number;
mod own_listings;
mod place;
mod ranking;
mod search;
mod settings;
mod strings;
mod timestamp;
mod vocabulary;
mod webhook;
mod webhook_message;
mod write;

pub use bodies::{
    BasketSubmission, CreatorName, CreditSubmission, EventSubmission, GameSubmission,
    ReportSubmission, TipSubmission,
};
pub use creator::{Creator, CreatorRow};
pub use economy::{
    Basket, CheckedReport, CheckedTip, Currency, HistoryRow, Rate, Reported, Tipped,
};
pub use event::Event;
pub use game::{Credit, Game, GameCreator, GameRow, Screenshot};
pub use me::{Me, MeAccount, MeKey, MeMinute, MeMonth, MePlan};
pub use number::Number;
pub use own_listings::{OwnListing, OwnListingEnded};
pub use place::{CityRow, Country, CountryRow, GenreRow};
pub use ranking::RankingRow;
pub use search::{SearchAddress, SearchResult};
pub use settings::{ApiPlan, ApiSettings};
use strings::format;
pub use strings::{
    BoardKind, BoardWindow, CitySlug, CountryCode, CreatorKind, CreatorLinks, Day, EndedBy,
    EventKind, EventTime, GameLinks, GameStage, GenreKey, HttpsAddress, KeyKind, KeyMode,
    ListingStatus, MessageEvent, OwnListingKind, Platform, RateSource, ResultKind, Slug,
    SubmittedLinks, WebhookListingKind, WriteKind,
};
pub use timestamp::Timestamp;
pub use vocabulary::{CREATOR_KINDS, CREATOR_LINKS, EVENT_KINDS, GAME_LINKS, PLATFORMS, STAGES};
pub use webhook::{WebhookListing, WebhookMove, WebhookPing};
pub use webhook_message::{WebhookData, WebhookMessage};
pub use write::{Created, DryRun, Updated};
