//! Parameters of operations.

use contracts::public as shapes;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::PartialSchema;
use utoipa::openapi::{RefOr, Schema};

use super::reference::reference;

/// A parameter of an operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameter {
    pub(super) name: &'static str,
    pub(super) location: Location,
    /// Path parameters are always required.
    pub(super) required: bool,
    pub(super) description: &'static str,
    pub(super) shape: Shape,
    pub(super) example: Option<&'static str>,
}

/// Where a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Location {
    Path,
    Query,
    Header,
}

/// The shape of a parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    Text,
    /// Text with a format. A format that JSON Schema does not define tells generators of requests which values exist.
    Format(&'static str),
    Pattern(&'static str),
    Day,
    /// One of a set of values.
    Set(fn() -> RefOr<Schema>),
    Flag,
    /// Rows on a page.
    Limit,
}

/// The values of a public type.
const fn set<T: PartialSchema>() -> Shape {
    Shape::Set(T::schema)
}

const fn query(name: &'static str, shape: Shape) -> Parameter {
    Parameter {
        name,
        location: Location::Query,
        required: false,
        description: "",
        shape,
        example: None,
    }
}

const fn path(name: &'static str, shape: Shape) -> Parameter {
    Parameter { location: Location::Path, required: true, ..query(name, shape) }
}

const fn header(name: &'static str, shape: Shape) -> Parameter {
    Parameter { location: Location::Header, ..query(name, shape) }
}

impl Parameter {
    /// `description` is that of a comment, with the space before each line.
    const fn described(self, description: &'static str) -> Self {
        Self { description, ..self }
    }

    const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    const fn example(self, example: &'static str) -> Self {
        Self { example: Some(example), ..self }
    }

    pub(super) fn to_json(self) -> Value {
        let mut json = json!({
            "name": self.name,
            "in": self.location,
            "required": self.required,
            "description": self.description.trim_start(),
            "schema": self.shape.schema(),
        });
        // An empty parameter counts as absent, and an empty flag as true (§4).
        if self.location == Location::Query && !self.required {
            json["allowEmptyValue"] = true.into();
        }
        if let Some(example) = self.example {
            json["example"] = example.into();
        }
        json
    }
}

impl Shape {
    fn schema(self) -> Value {
        match self {
            Self::Text => json!({"type": "string"}),
            Self::Format(format) => json!({"type": "string", "format": format}),
            Self::Pattern(pattern) => json!({"type": "string", "minLength": 1, "pattern": pattern}),
            Self::Day => reference("Day"),
            Self::Set(schema) => json!(schema()),
            Self::Flag => json!({"type": "boolean", "default": false}),
            Self::Limit => json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 20}),
        }
    }
}

/// Tags in a header such as `If-Match`.
const TAGS: &str = r#"^(\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$"#;

/// Defines parameters. Their comments are the descriptions.
macro_rules! parameters {
    ($($(#[doc = $description:literal])+ $name:ident = $parameter:expr;)*) => {$(
        pub(crate) const $name: Parameter = $parameter.described(concat!($($description),+));
    )*};
}

parameters! {
    /// Rows on a page.
    LIMIT = query("limit", Shape::Limit);
    /// `meta.next_cursor` of the page before, with the same filters.
    CURSOR = query("cursor", Shape::Format("cursor"));
    /// Words that must all match the beginning of a word. The first ten different ones count. Typos are forgiven.
    Q = query("q", Shape::Format("words"));
    /// An African country, two letters; the case makes no difference.
    COUNTRY = query("country", Shape::Format("country"));
    /// A time or a day: only listings that were edited, or published for the first time, then or later. When you poll, give the time of
    /// your last call minus a minute. Listings that staff import with earlier times, and listings that were removed, are not seen this
    /// way.
    UPDATED_SINCE = query("updated_since", Shape::Format("time-or-day"));
    /// A key of `GET /genres`.
    GENRE = query("genre", Shape::Format("genre"));
    /// A platform of the game.
    PLATFORM = query("platform", set::<shapes::Platform>());
    /// The stage of its development.
    STAGE = query("stage", set::<shapes::GameStage>());
    /// The handle of the creator.
    CREATOR = query("creator", Shape::Text);
    /// Studios, or people.
    CREATOR_KIND = query("kind", set::<shapes::CreatorKind>());
    /// A role such as `composer`.
    ROLE = query("role", Shape::Text);
    /// A slug of `GET /cities`.
    CITY = query("city", Shape::Text);
    /// The kind of event.
    EVENT_KIND = query("kind", set::<shapes::EventKind>());
    /// The default is `all` with a `from` or a past `to`, otherwise `upcoming`, which includes events in progress.
    WHEN = query("when", set::<shapes::EventTime>());
    /// Events that take place on this day or later.
    FROM_DAY = query("from", Shape::Day);
    /// Events that take place on this day or earlier.
    TO_DAY = query("to", Shape::Day);
    /// Whether the list includes countries without listings.
    EMPTY = query("empty", Shape::Flag);
    /// The type of results.
    RESULT_KIND = query("type", set::<shapes::ResultKind>());
    /// The slug of a game with a listed currency.
    GAME = query("game", Shape::Format("currency")).required().example("sample-baobab-runner");
    /// The slug of a game: the rates from its currency.
    FROM_CURRENCY = query("from", Shape::Format("currency"));
    /// The slug of a game: the rates to its currency.
    TO_CURRENCY = query("to", Shape::Format("currency"));
    /// A time or a day: reports at that time or later.
    FROM_MOMENT = query("from", Shape::Format("time-or-day"));
    /// A time or a day: reports before that time.
    TO_MOMENT = query("to", Shape::Format("time-or-day"));
    /// `meta.next_cursor` of a response with the same `event`, or `cursor` of a message: the list begins after it.
    AFTER = query("after", Shape::Format("cursor"));
    /// Instead of `after`, a time or a day, or `now`: the list begins at that time, or after the newest message.
    SINCE = query("since", Shape::Format("time-or-now"));
    /// Only messages with this event.
    MESSAGE_EVENT = query("event", set::<shapes::MessageEvent>());
    /// Whether everything is only checked. A test key never writes.
    DRY_RUN = query("dry_run", Shape::Flag);
    /// Its slug.
    SLUG = path("slug", Shape::Text).example("sample-seed-bank");
    /// Its handle.
    HANDLE = path("handle", Shape::Text).example("sample-karoo-giants");
    /// A country, two letters; the case makes no difference.
    CODE = path("code", Shape::Text).example("KE");
    /// What the board ranks.
    BOARD_KIND = path("kind", set::<shapes::BoardKind>());
    /// How recent the votes must be.
    BOARD = path("board", set::<shapes::BoardWindow>());
    /// A key for this call, 1 to 255 visible ASCII characters: a repeated call with the same key takes effect once.
    IDEMPOTENCY_KEY = header("Idempotency-Key", Shape::Pattern("^[!-~]{1,255}$")).example("8a0f6b1e-5d0c-4c57-9d1f-0f3a3f0f8f11");
    /// `ETag`s of a read or a write of the listing: the change is made only if the listing is still at that revision.
    IF_MATCH = header("If-Match", Shape::Pattern(TAGS)).example("\"r7\"");
    /// `ETag`s that the caller has: the response is 304 without a body if one of them is the current one.
    IF_NONE_MATCH = header("If-None-Match", Shape::Text);
}

pub(crate) const Q_OF_SEARCH: Parameter = Q.required().example("lagos");
pub(crate) const EVENT_SLUG: Parameter = SLUG.example("sample-dakar-game-tea");

pub(crate) const PAGE: &[Parameter] = &[LIMIT, CURSOR];
pub(crate) const SUBMIT: &[Parameter] = &[DRY_RUN, IDEMPOTENCY_KEY];
