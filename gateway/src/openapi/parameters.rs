//! Parameters of operations.

use contracts::public as shapes;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::PartialSchema;
use utoipa::openapi::{RefOr, Schema};

use super::reference::reference;
use crate::domain::key::GraceRange;

/// A parameter of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter {
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
pub(super) enum Location {
    Path,
    Query,
    Header,
}

/// The shape of a parameter.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    Text,
    /// Text with a format. A format that JSON Schema does not define tells generators of requests which values exist.
    Format(&'static str),
    Pattern(&'static str),
    Day,
    /// One of a set of values.
    Set(fn() -> RefOr<Schema>),
    Flag,
    /// Seconds of a grace after a rotation. Its range is a setting.
    Grace,
    /// Days of usage.
    Days,
    /// Rows on a page.
    Limit,
}

/// The values of a public type.
const fn set<T: PartialSchema>() -> Shape {
    Shape::Set(T::schema)
}

impl Parameter {
    const fn query(name: &'static str, shape: Shape, description: &'static str) -> Self {
        Self {
            name,
            location: Location::Query,
            required: false,
            description,
            shape,
            example: None,
        }
    }

    const fn path(name: &'static str, shape: Shape, description: &'static str) -> Self {
        Self {
            location: Location::Path,
            required: true,
            ..Self::query(name, shape, description)
        }
    }

    const fn header(name: &'static str, shape: Shape, description: &'static str) -> Self {
        Self {
            location: Location::Header,
            ..Self::query(name, shape, description)
        }
    }

    const fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }

    const fn example(self, example: &'static str) -> Self {
        Self {
            example: Some(example),
            ..self
        }
    }

    pub(super) fn to_json(self, grace: GraceRange) -> Value {
        let description = match self.shape {
            // Generators of clients cannot read a choice of ranges.
            Shape::Grace => format!("{}: {grace}.", self.description),
            _ => self.description.to_owned(),
        };
        let mut json = json!({
            "name": self.name,
            "in": self.location,
            "required": self.required,
            "description": description,
            "schema": self.shape.schema(grace),
        });
        // An empty parameter counts as absent (§4).
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
    fn schema(self, grace: GraceRange) -> Value {
        match self {
            Self::Text => json!({"type": "string"}),
            Self::Format(format) => json!({"type": "string", "format": format}),
            Self::Pattern(pattern) => json!({"type": "string", "minLength": 1, "pattern": pattern}),
            Self::Day => reference("Day"),
            Self::Set(schema) => json!(schema()),
            Self::Flag => json!({"type": "boolean", "default": false}),
            Self::Grace => json!({"type": "integer", "default": grace.most.as_secs()}),
            Self::Days => json!({"type": "integer", "minimum": 1, "maximum": 92, "default": 31}),
            Self::Limit => json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 20}),
        }
    }
}

/// Tags in a header such as `If-Match`.
const TAGS: &str = r#"^(\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$"#;

pub(super) const LIMIT: Parameter = Parameter::query("limit", Shape::Limit, "Rows on a page.");
pub(super) const CURSOR: Parameter = Parameter::query(
    "cursor",
    Shape::Format("cursor"),
    "`meta.next_cursor` of the page before, with the same filters.",
);
pub(super) const Q: Parameter = Parameter::query(
    "q",
    Shape::Format("words"),
    "Words that must all match the beginning of a word. The first ten different ones count. Typos are forgiven.",
);
pub(super) const Q_OF_SEARCH: Parameter = Q.required().example("lagos");
pub(super) const COUNTRY: Parameter = Parameter::query(
    "country",
    Shape::Format("country"),
    "An African country, two letters; the case makes no difference.",
);
pub(super) const UPDATED_SINCE: Parameter = Parameter::query(
    "updated_since",
    Shape::Format("time-or-day"),
    "A time or a day: only listings that were edited, or published for the first time, then or later. When you poll, give the time of your \
     last call minus a minute. Listings that staff import with earlier times are not seen this way; `/changes` never misses a change.",
);
pub(super) const GENRE: Parameter =
    Parameter::query("genre", Shape::Format("genre"), "A key of `GET /genres`.");
pub(super) const PLATFORM: Parameter = Parameter::query(
    "platform",
    set::<shapes::Platform>(),
    "A platform of the game.",
);
pub(super) const STAGE: Parameter = Parameter::query(
    "stage",
    set::<shapes::GameStage>(),
    "The stage of its development.",
);
pub(super) const CREATOR: Parameter =
    Parameter::query("creator", Shape::Text, "The handle of the creator.");
pub(super) const CREATOR_KIND: Parameter =
    Parameter::query("kind", set::<shapes::CreatorKind>(), "Studios, or people.");
pub(super) const ROLE: Parameter =
    Parameter::query("role", Shape::Text, "A role such as `composer`.");
pub(super) const CITY: Parameter =
    Parameter::query("city", Shape::Text, "A slug of `GET /cities`.");
pub(super) const EVENT_KIND: Parameter =
    Parameter::query("kind", set::<shapes::EventKind>(), "The kind of event.");
pub(super) const WHEN: Parameter = Parameter::query(
    "when",
    set::<shapes::EventTime>(),
    "The default is `all` with a `from` or a past `to`, otherwise `upcoming`, which includes events in progress.",
);
pub(super) const FROM_DAY: Parameter = Parameter::query(
    "from",
    Shape::Day,
    "Events that take place on this day or later.",
);
pub(super) const TO_DAY: Parameter = Parameter::query(
    "to",
    Shape::Day,
    "Events that take place on this day or earlier.",
);
pub(super) const EMPTY: Parameter = Parameter::query(
    "empty",
    Shape::Flag,
    "Whether the list includes countries without listings.",
);
pub(super) const RESULT_KIND: Parameter =
    Parameter::query("type", set::<shapes::ResultKind>(), "The type of results.");
pub(super) const GAME: Parameter = Parameter::query(
    "game",
    Shape::Format("currency"),
    "The slug of a game with a listed currency.",
)
.required()
.example("sample-baobab-runner");
pub(super) const FROM_CURRENCY: Parameter = Parameter::query(
    "from",
    Shape::Format("currency"),
    "The slug of a game: the rates from its currency.",
);
pub(super) const TO_CURRENCY: Parameter = Parameter::query(
    "to",
    Shape::Format("currency"),
    "The slug of a game: the rates to its currency.",
);
pub(super) const AT: Parameter = Parameter::query(
    "at",
    Shape::Format("time-or-day"),
    "A time or a day, not in the future: the rates at that time, by what is known now.",
);
pub(super) const FROM_MOMENT: Parameter = Parameter::query(
    "from",
    Shape::Format("time-or-day"),
    "A time or a day: reports at that time or later.",
);
pub(super) const TO_MOMENT: Parameter = Parameter::query(
    "to",
    Shape::Format("time-or-day"),
    "A time or a day: reports before that time.",
);
pub(super) const ID: Parameter =
    Parameter::path("id", Shape::Format("uuid"), "The id in the account's list.")
        .example("0199f3a2-5d0c-7c57-9d1f-0f3a3f0f8f11");
pub(super) const DELIVERY_ID: Parameter = Parameter::path(
    "id",
    Shape::Text,
    "The id of a delivery, which is unique among those of its endpoint.",
)
.example("1");
pub(super) const ACTION: Parameter = Parameter::path(
    "action",
    set::<shapes::EndpointAction>(),
    "What to do with the endpoint.",
)
.example("pause");
pub(super) const GRACE: Parameter = Parameter::query(
    "grace_seconds",
    Shape::Grace,
    "How many seconds the old secret continues to work",
);
pub(super) const EXPIRES_AT: Parameter = Parameter::query(
    "expires_at",
    Shape::Format("time-or-day"),
    "A time or a day in the future: when the new key expires. By default it expires when the old one does.",
);
pub(super) const TEST_EVENT: Parameter = Parameter::query(
    "event",
    set::<shapes::SampleEvent>(),
    "For `test`: the event to send; by default `ping`.",
);
pub(super) const TEST_KIND: Parameter = Parameter::query(
    "kind",
    Shape::Text,
    "For `test`: what the sample is about, such as `game`.",
);
pub(super) const ENDPOINT: Parameter =
    Parameter::query("endpoint", Shape::Format("uuid"), "The id of an endpoint.").required();
pub(super) const DELIVERY_STATE: Parameter = Parameter::query(
    "state",
    set::<shapes::DeliveryState>(),
    "Only deliveries in this state.",
);
pub(super) const EVENT_OF_DELIVERY: Parameter = Parameter::query(
    "event",
    set::<shapes::SampleEvent>(),
    "Only deliveries of this event.",
);
pub(super) const SINCE_MOMENT: Parameter = Parameter::query(
    "since",
    Shape::Format("time-or-day"),
    "A time or a day: only deliveries made at that time or later.",
);
pub(super) const UNTIL_MOMENT: Parameter = Parameter::query(
    "until",
    Shape::Format("time-or-day"),
    "A time or a day: only deliveries made before that time.",
);
pub(super) const RECOVER_SINCE: Parameter = Parameter::query(
    "since",
    Shape::Format("time-or-day"),
    "A time or a day, not in the future: deliveries that have failed since then, by the time of their last try.",
)
.required();
pub(super) const ONLY_COUNT: Parameter = Parameter::query(
    "dry_run",
    Shape::Flag,
    "Whether the deliveries are only counted.",
);
pub(super) const DAYS: Parameter = Parameter::query(
    "days",
    Shape::Days,
    "How many days the calls are listed for.",
);
pub(super) const AFTER: Parameter = Parameter::query(
    "after",
    Shape::Format("cursor"),
    "`meta.next_cursor` of a response with the same `event`, or `cursor` of a message: the list begins after it.",
);
pub(super) const SINCE: Parameter = Parameter::query(
    "since",
    Shape::Format("time-or-now"),
    "Instead of `after`, a time or a day, or `now`: the list begins at that time, or after the newest message.",
);
pub(super) const MESSAGE_EVENT: Parameter = Parameter::query(
    "event",
    set::<shapes::MessageEvent>(),
    "Only messages with this event.",
);
pub(super) const DRY_RUN: Parameter = Parameter::query(
    "dry_run",
    Shape::Flag,
    "Whether everything is only checked. A test key never writes.",
);

pub(super) const SLUG: Parameter =
    Parameter::path("slug", Shape::Text, "Its slug.").example("sample-seed-bank");
pub(super) const EVENT_SLUG: Parameter = SLUG.example("sample-dakar-game-tea");
pub(super) const HANDLE: Parameter =
    Parameter::path("handle", Shape::Text, "Its handle.").example("sample-karoo-giants");
pub(super) const CODE: Parameter = Parameter::path(
    "code",
    Shape::Text,
    "A country, two letters; the case makes no difference.",
)
.example("KE");
pub(super) const BOARD_KIND: Parameter =
    Parameter::path("kind", set::<shapes::BoardKind>(), "What the board ranks.");
pub(super) const BOARD: Parameter = Parameter::path(
    "board",
    set::<shapes::BoardWindow>(),
    "How recent the votes must be.",
);

pub(super) const IDEMPOTENCY_KEY: Parameter = Parameter::header(
    "Idempotency-Key",
    Shape::Pattern("^[!-~]{1,255}$"),
    "A key for this call, 1 to 255 visible ASCII characters: a repeated call with the same key takes effect once.",
)
.example("8a0f6b1e-5d0c-4c57-9d1f-0f3a3f0f8f11");
pub(super) const IF_MATCH: Parameter = Parameter::header(
    "If-Match",
    Shape::Pattern(TAGS),
    "`ETag`s of a read or a write of the listing: the change is made only if the listing is still at that revision.",
)
.example("\"r7\"");
pub(super) const IF_NONE_MATCH: Parameter = Parameter::header(
    "If-None-Match",
    Shape::Text,
    "`ETag`s that the caller has: the response is 304 without a body if one of them is the current one.",
);
