//! The JSON shapes of the public interface (§2), a file a resource.
//!
//! The services render them, the gateway documents them and the tests read answers with them; there is no second copy.

mod change;
mod creator;
mod economy;
mod event;
mod game;
mod me;
mod my_listings;
mod number;
mod place;
mod ranking;
mod search;
mod timestamp;
mod vocabulary;
mod write;

pub use change::{ChangedRow, ListingChange};
pub use creator::{Creator, CreatorRow};
pub use economy::{
    Basket, CheckedReport, CheckedTip, Constant, Currency, Formula, HistoryRow, Methodology, Rate,
    Reported, Tipped,
};
pub use event::Event;
pub use game::{Credit, Game, GameCreator, GameRow, Screenshot};
pub use me::{Me, MeAccount, MeKey, MeMinute, MeMonth, MePlan};
pub use my_listings::OwnListing;
pub use number::Number;
pub use place::{CityRow, Country, CountryRow, GenreRow};
pub use ranking::RankingRow;
pub use search::{SearchAddress, SearchResult};
pub use timestamp::Timestamp;
pub use vocabulary::{CREATOR_KINDS, EVENT_KINDS, PLATFORMS, STAGES};
pub use write::{Created, DryRun, Updated};
