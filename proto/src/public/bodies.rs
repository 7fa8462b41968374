//! The bodies of writes (§2.6, §4.2, §4.3), as schemas: the services read bodies field by field, so that one response names all bad fields.
//!
//! The formats `line` and `text` stand for the rules of §4.3 about characters, `genre` for a key of `GET /genres`, `country` for the
//! code of an African country, and `page` for the handle of a page of the account.

use std::collections::BTreeSet;

use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::{ObjectBuilder, OneOfBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{Day, EventKind, GameStage, GenreKey, HttpsAddress, Platform, SubmittedLinks};

/// A game, as its maker submits it. A PATCH has any of these fields; null clears an optional one.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "creator": "sample-karoo-giants",
    "title": "Karoo Drift",
    "tagline": "Long roads, little water.",
    "genres": ["racing"],
    "platforms": ["web", "android"],
    "stage": "early_access",
    "links": {"website": "https://karoo-drift.example"},
}))]
pub struct GameSubmission {
    /// The page of the account under which the game is.
    pub creator: CreatorName,
    /// One line.
    #[schema(min_length = 1, max_length = 120, format = "line")]
    pub title: String,
    /// The pitch in one line.
    #[schema(max_length = 160, format = "line")]
    pub tagline: Option<String>,
    /// The pitch at length.
    #[schema(max_length = 10_000, format = "text")]
    pub description: Option<String>,
    /// Keys of `GET /genres`.
    #[schema(max_items = 3)]
    pub genres: Option<BTreeSet<GenreKey>>,
    /// Where it can be played.
    pub platforms: Option<BTreeSet<Platform>>,
    /// `in_development` when omitted.
    pub stage: Option<GameStage>,
    /// From 1950 to five years from now; this year (UTC) when omitted.
    #[schema(minimum = 1950)]
    pub release_year: Option<i32>,
    /// Address of a video.
    pub trailer_url: Option<HttpsAddress>,
    /// All links: a PATCH replaces them together.
    pub links: Option<SubmittedLinks>,
    /// All credits: a PATCH replaces them together.
    #[schema(max_items = 200)]
    pub credits: Option<Vec<CreditSubmission>>,
}

/// One line of a game's credits, as its maker submits it.
#[derive(Debug, ToSchema)]
pub struct CreditSubmission {
    /// Handle of the public page of the person or studio, if there is one.
    #[schema(format = "page")]
    pub handle: Option<String>,
    /// Name as credited.
    #[schema(min_length = 1, max_length = 120, format = "line")]
    pub name: String,
    /// What the person did.
    #[schema(max_length = 120, format = "line")]
    pub role: Option<String>,
}

/// The handle of a page, or the creator of a game as a read has it, of which only the handle is used.
#[derive(Debug)]
pub enum CreatorName {}

impl PartialSchema for CreatorName {
    fn schema() -> RefOr<Schema> {
        let handle = || ObjectBuilder::new().schema_type(Type::String);
        let handle = || handle().min_length(Some(1)).format(Some(super::format("page")));
        let of_read = ObjectBuilder::new()
            .schema_type(Type::Object)
            .property("handle", handle())
            .required("handle");
        // An empty schema: anything. `true` is for what responses may get.
        let any = ObjectBuilder::new().schema_type(SchemaType::AnyValue);
        let of_read = of_read.additional_properties(Some(Schema::Object(any.build())));
        let words = "The handle of a page, or the creator of a game as a read has it, of which only the handle is used.";
        let either = OneOfBuilder::new().item(handle()).item(of_read);
        either.description(Some(words)).into()
    }
}

impl ToSchema for CreatorName {}

/// An event, as an account submits it. A PATCH has any of these fields; null clears an optional one.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "title": "Accra Game Jam",
    "kind": "jam",
    "starts_at": "2027-02-27",
    "ends_at": "2027-02-28",
    "country_code": "GH",
    "city": "Accra",
    "url": "https://jam.example",
}))]
pub struct EventSubmission {
    /// One line.
    #[schema(min_length = 1, max_length = 120, format = "line")]
    pub title: String,
    /// What it is.
    pub kind: EventKind,
    /// Its first day.
    pub starts_at: Day,
    /// Its last day, if it has several: not before the first.
    pub ends_at: Option<Day>,
    /// An African country; the case makes no difference.
    #[schema(format = "country")]
    pub country_code: String,
    /// The name or the slug of a city.
    #[schema(min_length = 1, max_length = 120, format = "line")]
    pub city: String,
    /// Whether people can take part online.
    pub online: Option<bool>,
    /// The event's own site.
    pub url: Option<HttpsAddress>,
    /// The same field under its name in a read. Send one of them.
    #[schema(read_only, format = "https-address")]
    pub website: Option<String>,
    /// What it is about.
    #[schema(max_length = 10_000, format = "text")]
    pub description: Option<String>,
}

/// The state of a game's economy, in whole units of its currency.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "supply": 1_000_000, "minted": 5_000, "burned": 1_000,
    "basket": {"meal": 10, "ride": 5, "wage": 100, "rent": 900},
    "output": 42_000, "active_players": 120, "policy_rate": 12.5,
}))]
pub struct ReportSubmission {
    /// Currency in existence.
    #[schema(maximum = 9_007_199_254_740_991_u64)]
    pub supply: u64,
    /// Created since the previous report.
    #[schema(maximum = 9_007_199_254_740_991_u64)]
    pub minted: u64,
    /// Destroyed since the previous report.
    #[schema(maximum = 9_007_199_254_740_991_u64)]
    pub burned: u64,
    /// Prices in the game.
    pub basket: BasketSubmission,
    /// What players earned by playing since the previous report.
    #[schema(maximum = 9_007_199_254_740_991_u64)]
    pub output: u64,
    /// Players who were active.
    #[schema(maximum = 9_007_199_254_740_991_u64)]
    pub active_players: u64,
    /// The game's own interest rate, in percent.
    #[schema(minimum = -100, maximum = 10_000)]
    pub policy_rate: Option<f64>,
    /// The game's own price of a unit: from 10^-30 to below 10^31.
    #[schema(minimum = 1e-30, exclusive_maximum = 1e31)]
    pub naira_per_unit: Option<f64>,
}

/// Prices in a game. Every report prices the same nearest equivalent.
#[derive(Debug, ToSchema)]
pub struct BasketSubmission {
    /// A meal.
    #[schema(minimum = 1, maximum = 10_000_000_000_000_u64)]
    pub meal: u64,
    /// A ride.
    #[schema(maximum = 10_000_000_000_000_u64)]
    pub ride: u64,
    /// A day of work.
    #[schema(maximum = 10_000_000_000_000_u64)]
    pub wage: u64,
    /// A month's rent.
    #[schema(maximum = 10_000_000_000_000_u64)]
    pub rent: u64,
}

/// A tip of a player to the game of the key.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"player": "ada", "amount": 5, "note": "Well played"}))]
pub struct TipSubmission {
    /// The slug of the key's own game, which may be omitted.
    #[schema(format = "own-game")]
    pub game: Option<String>,
    /// The player's name in the game.
    #[schema(min_length = 1, max_length = 128, format = "line")]
    pub player: String,
    /// Whole units of the game's currency.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub amount: u64,
    /// What the player says.
    #[schema(max_length = 500, format = "line")]
    pub note: Option<String>,
}
