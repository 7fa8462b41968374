//! What the OpenAPI document says of an operation, a method of a route. The files of `routes` have the operations, beside their handlers.

use http::Method;
use kit::Code;
use strum::VariantArray;

use super::parameters::Parameter;

/// A group of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub(crate) enum Tag {
    Games,
    Events,
    Creators,
    Places,
    Search,
    Rankings,
    Account,
    Economy,
    Webhooks,
    Receivers,
}

impl Tag {
    /// The name and the description of the group.
    pub(crate) const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Games => ("games", "African games: read them, and submit and edit your own."),
            Self::Events => ("events", "Jams, meetups, tournaments, showcases and conferences."),
            Self::Creators => ("creators", "Studios and people who make games."),
            Self::Places => ("places", "Genres, countries and cities, with counts."),
            Self::Search => ("search", "One search over all listings and cities."),
            Self::Rankings => ("rankings", "Boards computed from the votes of visitors."),
            Self::Account => ("account", "The key of the call and the account's listings."),
            Self::Economy => (
                "economy",
                "Currencies of games, their rates, and tips. The calls need a key of a game.",
            ),
            Self::Webhooks => {
                ("webhooks", "The messages of webhooks, for receivers that pull them.")
            }
            // A group of its own: generators of clients make a class of each, and one of both kinds would lack one of them.
            Self::Receivers => (
                "receivers",
                "The requests that receivers of webhooks get. They are not paths of the API.",
            ),
        }
    }
}

/// The content of a successful response. The texts are names of schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Success {
    /// 200 with one object.
    Object(&'static str),
    /// 200 with a game or an event, whose `ETag` can be sent as `If-Match`.
    Listing(&'static str),
    /// 200 with rows, and `next_cursor` and `total` in `meta`.
    List(&'static str),
    /// 201, or 200 when nothing was written.
    Created {
        created: &'static str,
        checked: &'static str,
        /// Whether the response names the path of the created object.
        is_listing: bool,
    },
    /// 200 with the change, or with the result of a dry run.
    Changed { changed: &'static str, checked: &'static str },
}

impl Success {
    pub(crate) const CREATED: Self =
        Self::Created { created: "Created", checked: "DryRun", is_listing: true };
    pub(crate) const CHANGED: Self = Self::Changed { changed: "Updated", checked: "DryRun" };
}

#[derive(Debug, Clone)]
pub struct Operation {
    pub(crate) method: Method,
    /// Below the base address.
    pub(crate) path: &'static str,
    pub(crate) id: &'static str,
    pub(crate) tag: Tag,
    pub(crate) summary: &'static str,
    pub(crate) parameters: &'static [Parameter],
    /// The schema of the body.
    pub(crate) body: Option<&'static str>,
    pub(crate) success: Success,
    /// Codes with other statuses than those that every operation of the method has.
    pub(crate) codes: &'static [Code],
    /// What the summary does not say, in Markdown.
    pub(crate) description: Option<&'static str>,
}

impl Operation {
    /// A GET, unless [`post`](Self::post) or [`patch`](Self::patch) says otherwise.
    pub(crate) const fn new(
        path: &'static str,
        id: &'static str,
        tag: Tag,
        summary: &'static str,
        success: Success,
        parameters: &'static [Parameter],
    ) -> Self {
        Self {
            method: Method::GET,
            path,
            id,
            tag,
            summary,
            parameters,
            body: None,
            success,
            codes: &[],
            description: None,
        }
    }

    /// A POST with a body of this schema.
    pub(crate) fn post(self, body: &'static str) -> Self {
        self.with_body(Method::POST, body)
    }

    /// A PATCH with a body of this schema.
    pub(crate) fn patch(self, body: &'static str) -> Self {
        self.with_body(Method::PATCH, body)
    }

    fn with_body(self, method: Method, body: &'static str) -> Self {
        Self { method, body: Some(body), ..self }
    }

    pub(crate) fn codes(self, codes: &'static [Code]) -> Self {
        Self { codes, ..self }
    }

    pub(crate) fn about(self, description: &'static str) -> Self {
        Self { description: Some(description), ..self }
    }
}
