//! The fields of each kind of listing. The form, its errors, the body of the API call and the facts on a listing's page are made from these
//! tables: a new field is one row here, and its texts.

use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use serde_json::{Value, json};
use strum::IntoStaticStr;

use self::Input::{
    Address, Checks, Creator, Credits, Day, Handle, Line, Links, NullableDay, NullableLine,
    OptionalLine, Paragraphs, Select, Shown, Switch, Title, Year,
};
use self::ValueGroup::{Country, CreatorKind, EventKind, Genre, Platform, Role, Stage};
use crate::domain::listing_kind::ListingKind;

/// A row of a table.
#[derive(Debug)]
pub(super) struct ListingField {
    /// The name in the form and in the API. The text `field-` with this name is the label. With `-hint`, `-legend`, `-choose` or `-error` it is
    /// the hint, the legend of boxes, and the empty choice and the error of a select.
    pub(super) name: &'static str,
    pub(super) input: Input,
    /// The value in the stored listing. Its JSON type decides how it is shown.
    pub(super) stored: Value,
}

/// How a person enters a field, and how the body of the API call has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// The heading of the listing's page.
    Title,
    Line,
    /// When empty, the body has an empty string.
    OptionalLine,
    /// When empty, the body has null, as it has for an empty year, address or nullable day.
    NullableLine,
    /// The form of a new page has it; afterwards it does not change.
    Handle,
    Paragraphs,
    Credits,
    /// One of the account's pages.
    Creator,
    Select(ValueGroup),
    /// The number is the most boxes that may be ticked; 0: any number.
    Checks(ValueGroup, u8),
    /// A single box.
    Switch,
    Year,
    Day,
    NullableDay,
    Address,
    Links,
    /// The page of the listing shows it, and no form has it.
    Shown,
}

/// A list of values to choose from. The texts with the names of the values begin with the group in kebab case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum ValueGroup {
    Country,
    CreatorKind,
    EventKind,
    Genre,
    Platform,
    Role,
    Stage,
}

/// The fields of a kind of listing, in the order of the form.
pub(super) fn fields(kind: ListingKind) -> Vec<ListingField> {
    match kind {
        ListingKind::Page => page(&proto::Page::default()),
        ListingKind::Game => game(&proto::Game::default(), ""),
        ListingKind::Event => event(&proto::Event::default()),
    }
}

/// The fields of a stored listing with their values.
pub(super) fn fields_of(listing: &Listing, creator: &str) -> Vec<ListingField> {
    match listing {
        Listing::Page(stored) => page(stored),
        Listing::Game(stored) => game(stored, creator),
        Listing::Event(stored) => event(stored),
    }
}

fn field(name: &'static str, input: Input, stored: Value) -> ListingField {
    ListingField { name, input, stored }
}

fn page(page: &proto::Page) -> Vec<ListingField> {
    vec![
        field("name", Title, json!(page.name)),
        field("handle", Handle, json!(page.handle)),
        field("kind", Select(CreatorKind), json!(page.kind)),
        field("roles", Checks(Role, 0), json!(page.roles)),
        field("tagline", OptionalLine, json!(page.tagline)),
        field("bio", Paragraphs, json!(page.bio)),
        field("country_code", Select(Country), json!(page.country_code)),
        field("city", NullableLine, json!(page.city)),
        field("verified", Shown, json!(page.verified)),
        field("links", Links, json!(page.links)),
    ]
}

fn game(game: &proto::Game, creator: &str) -> Vec<ListingField> {
    vec![
        field("slug", Shown, json!(game.slug)),
        field("creator", Creator, json!(creator)),
        field("title", Title, json!(game.title)),
        field("tagline", OptionalLine, json!(game.tagline)),
        field("description", Paragraphs, json!(game.description)),
        field("genres", Checks(Genre, 3), json!(game.genres)),
        field("platforms", Checks(Platform, 0), json!(game.platforms)),
        field("stage", Select(Stage), json!(game.stage)),
        field("release_year", Year, json!(game.release_year)),
        field("trailer_url", Address, json!(game.trailer_url)),
        field("links", Links, json!(game.links)),
        field("credits", Credits, json!(credit_lines(&game.credits))),
    ]
}

fn event(event: &proto::Event) -> Vec<ListingField> {
    vec![
        field("slug", Shown, json!(event.slug)),
        field("title", Title, json!(event.title)),
        field("kind", Select(EventKind), json!(event.kind)),
        field("starts_at", Day, json!(event.starts_at)),
        field("ends_at", NullableDay, json!(event.ends_at)),
        field("country_code", Select(Country), json!(event.country_code)),
        field("city", Line, json!(event.city)),
        field("online", Switch, json!(event.online)),
        field("website", Address, json!(event.website)),
        field("description", Paragraphs, json!(event.description)),
    ]
}

/// Credits as the form has them, one a line.
pub(super) fn credit_lines(credits: &[proto::Credit]) -> String {
    let lines: Vec<String> = credits.iter().map(credit_line).collect();
    lines.join("\n")
}

pub(super) fn credit_line(credit: &proto::Credit) -> String {
    let proto::Credit { handle, name, role } = credit;
    match handle {
        Some(handle) => format!("{name} | {role} | {handle}"),
        None if role.is_empty() => name.clone(),
        None => format!("{name} | {role}"),
    }
}
