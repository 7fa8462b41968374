//! Strings of a fixed set or a fixed form, as schemas. Fields hold them as `String`; these types only describe them.

use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use super::vocabulary::{CREATOR_KINDS, CREATOR_LINKS, EVENT_KINDS, GAME_LINKS, PLATFORMS, STAGES};

macro_rules! described {
    ($($(#[doc = $doc:literal])+ $name:ident = $schema:expr;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug)]
        pub enum $name {}

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let schema: ObjectBuilder = $schema;
                schema.description(Some(concat!($($doc),+).trim())).into()
            }
        }

        impl ToSchema for $name {}
    )+};
}

described! {
    /// A platform of a game.
    Platform = one_of(&PLATFORMS);
    /// The stage of a game's development.
    GameStage = one_of(&STAGES);
    /// What a creator is.
    CreatorKind = one_of(&CREATOR_KINDS);
    /// What an event is.
    EventKind = one_of(&EVENT_KINDS);
    /// The state of a listing that was submitted.
    ListingStatus = one_of(&["pending", "published", "rejected", "removed"]);
    /// Who ended a listing.
    EndedBy = one_of(&["account", "staff"]);
    /// What an account submits.
    OwnListingKind = one_of(&["game", "event"]);
    /// What a search finds.
    ResultKind = one_of(&["games", "creators", "events", "cities"]);
    /// What a write would do.
    WriteKind = one_of(&["create", "update"]);
    /// What a key reads and writes: samples, or the real directory.
    KeyMode = one_of(&["live", "test"]);
    /// Whose key it is: the account's, or the secret or public key of a game.
    KeyKind = one_of(&["account", "secret", "public"]);
    /// What a rate is computed from: baskets, or swaps.
    RateSource = one_of(&["worked", "market"]);
    /// What a webhook is about.
    WebhookListingKind = one_of(&["game", "studio", "person", "event"]);
    /// The events of a list of messages.
    MessageEvent = one_of(&["listing.published", "listing.updated", "tip.paid", "ranking.moved"]);
    /// Which events, as seen from today.
    EventTime = one_of(&["upcoming", "past", "all"]);
    /// The kind of a board.
    BoardKind = one_of(&["games", "creators"]);
    /// The window of a board.
    BoardWindow = one_of(&["week", "month", "all"]);
    /// Two letters, upper case (ISO 3166-1).
    CountryCode = pattern("^[A-Z]{2}$");
    /// A slug or a handle.
    Slug = pattern("^[a-z0-9]+(-[a-z0-9]+)*$").min_length(Some(1)).max_length(Some(100));
    /// The slug of a city; empty when the city is.
    CitySlug = pattern("^([a-z0-9]+(-[a-z0-9]+)*)?$");
    /// A key of `GET /genres`.
    GenreKey = text().format(Some(format("genre")));
    /// A day, `YYYY-MM-DD`.
    Day = pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$").format(Some(format("date")));
    /// An address of another site: https, with a host.
    HttpsAddress = https_address();
    /// Link key to https address.
    GameLinks = links(&GAME_LINKS, HttpsAddress::schema);
    /// Link key to https address.
    CreatorLinks = links(&CREATOR_LINKS, HttpsAddress::schema);
    /// Link key to https address; null unsets a link.
    SubmittedLinks = links(&GAME_LINKS, nullable_address);
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

/// A format, which may be one that JSON Schema does not know.
pub(super) fn format(name: &str) -> SchemaFormat {
    SchemaFormat::Custom(name.to_owned())
}

fn one_of(values: &[&str]) -> ObjectBuilder {
    text().enum_values(Some(values.iter().copied()))
}

fn pattern(pattern: &str) -> ObjectBuilder {
    text().pattern(Some(pattern))
}

fn https_address() -> ObjectBuilder {
    text().format(Some(format("https-address"))).min_length(Some(1)).max_length(Some(2_048))
}

fn nullable_address() -> RefOr<Schema> {
    let types = SchemaType::from_iter([Type::String, Type::Null]);
    https_address().schema_type(types).into()
}

/// An object that may have each of these keys.
fn links(keys: &[&str], value: fn() -> RefOr<Schema>) -> ObjectBuilder {
    let object = ObjectBuilder::new().schema_type(Type::Object);
    keys.iter().fold(object, |object, key| object.property(*key, value()))
}
