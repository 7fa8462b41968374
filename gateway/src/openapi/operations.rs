//! The operations: one entry for each route and method of the router.

use http::Method;
use kit::Code;
use strum::VariantArray;

use super::parameters::{self as p, Parameter};

/// A group of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub(super) enum Tag {
    Games,
    Events,
    Creators,
    Places,
    Search,
    Mirrors,
    Rankings,
    Account,
    Economy,
    Webhooks,
    Receivers,
    AccountApi,
}

impl Tag {
    /// The name and the description of the group.
    pub(super) const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Games => (
                "games",
                "African games: read them, and submit and edit your own.",
            ),
            Self::Events => (
                "events",
                "Jams, meetups, tournaments, showcases and conferences.",
            ),
            Self::Creators => ("creators", "Studios and people who make games."),
            Self::Places => ("places", "Genres, countries and cities, with counts."),
            Self::Search => ("search", "One search over all listings and cities."),
            Self::Mirrors => ("mirrors", "What has changed, for copies of the directory."),
            Self::Rankings => ("rankings", "Boards computed from the votes of visitors."),
            Self::Account => ("account", "The key of the call and the account's listings."),
            Self::Economy => (
                "economy",
                "Currencies of games, their rates, and tips. The calls need a key of a game.",
            ),
            Self::Webhooks => (
                "webhooks",
                "The messages of webhooks, for receivers that pull them.",
            ),
            // A group of its own: generators of clients make a class of each, and one of both kinds would lack one of them.
            Self::Receivers => (
                "receivers",
                "The requests that receivers of webhooks get. They are not paths of the API.",
            ),
            Self::AccountApi => (
                "account API",
                "Keys, webhooks and usage of the account, for programs. The calls need an account token instead of a key.",
            ),
        }
    }
}

/// The content of a successful response. The texts are names of schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Success {
    /// 200 with one object.
    Object(&'static str),
    /// 200 with a game or an event, whose `ETag` can be sent as `If-Match`.
    Listing(&'static str),
    /// 200 with rows.
    List(&'static str, ListKind),
    /// 201, or 200 when nothing was written.
    Created {
        created: &'static str,
        checked: &'static str,
        /// Whether the response names the path of the created object.
        is_listing: bool,
    },
    /// 201 with the added object.
    Added(&'static str),
    /// 200 with the change, or with the result of a dry run.
    Changed {
        changed: &'static str,
        checked: &'static str,
    },
}

/// The fields in `meta` of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// `next_cursor` and `total`.
    Plain,
    /// The same, where `total` counts the rows of the response alone.
    Page,
    /// The cursor is never null.
    Endless,
    /// The same, where `total` counts the rows of the response alone.
    EndlessPage,
    /// The version of the methodology too.
    Economy,
    /// And, for a past moment, `at` and `known_at`.
    Rates,
}

#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub(super) method: Method,
    /// Below the base address.
    pub(super) path: &'static str,
    pub(super) id: &'static str,
    pub(super) tag: Tag,
    pub(super) summary: &'static str,
    pub(super) parameters: &'static [Parameter],
    /// The schema of the body.
    pub(super) body: Option<&'static str>,
    pub(super) success: Success,
    /// Error codes besides those that follow from the policy of the route.
    pub(super) codes: &'static [Code],
    /// What the summary does not say, in Markdown.
    pub(super) description: Option<&'static str>,
}

/// An operation that reads.
pub(super) const fn get(
    path: &'static str,
    id: &'static str,
    tag: Tag,
    summary: &'static str,
    success: Success,
    parameters: &'static [Parameter],
) -> Operation {
    Operation {
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

impl Operation {
    pub(super) fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// An operation with a body.
    pub(super) fn write(self, method: Method, body: &'static str) -> Self {
        Self {
            method,
            body: Some(body),
            ..self
        }
    }

    pub(super) fn codes(self, codes: &'static [Code]) -> Self {
        Self { codes, ..self }
    }

    pub(super) fn about(self, description: &'static str) -> Self {
        Self {
            description: Some(description),
            ..self
        }
    }
}

pub(super) const fn rows(row: &'static str) -> Success {
    Success::List(row, ListKind::Plain)
}

const CREATED: Success = Success::Created {
    created: "Created",
    checked: "DryRun",
    is_listing: true,
};
const CHANGED: Success = Success::Changed {
    changed: "Updated",
    checked: "DryRun",
};
const REPORTED: Success = Success::Created {
    created: "Reported",
    checked: "CheckedReport",
    is_listing: false,
};
const TIPPED: Success = Success::Created {
    created: "Tipped",
    checked: "CheckedTip",
    is_listing: false,
};
pub(super) const PAGE: &[Parameter] = &[p::LIMIT, p::CURSOR];
const SUBMIT: &[Parameter] = &[p::DRY_RUN, p::IDEMPOTENCY_KEY];
const EDIT: &[Parameter] = &[p::SLUG, p::DRY_RUN, p::IF_MATCH];
const EDIT_EVENT: &[Parameter] = &[p::EVENT_SLUG, p::DRY_RUN, p::IF_MATCH];

/// Every operation that a key calls.
#[rustfmt::skip]
pub(super) fn operations() -> Vec<Operation> {
    use Success::{List, Listing, Object};
    vec![
        get("/games", "listGames", Tag::Games, "Lists published games, the featured first, then the newest first.", rows("GameRow"),
            &[p::GENRE, p::PLATFORM, p::COUNTRY, p::STAGE, p::CREATOR, p::Q, p::UPDATED_SINCE, p::LIMIT, p::CURSOR])
            .about("The order is the same with every filter. Several filters are combined, and `meta.total` counts the games that match all of them."),
        get("/games", "submitGame", Tag::Games, "Submits a game, which staff review.", CREATED, SUBMIT)
            .write(Method::POST, "GameSubmission")
            .about("The game is pending until a person has reviewed it. Send an `Idempotency-Key`, so that a repeated call submits one \
                game. A test key checks everything and stores nothing."),
        get("/games/{slug}", "getGame", Tag::Games, "Gets a published game.", Listing("Game"), &[p::SLUG])
            .about("A game that is not public gets 404; `GET /me/listings` lists your own in every state. Keep the `ETag` to change the game \
                with `If-Match`."),
        get("/games/{slug}", "updateGame", Tag::Games, "Changes a game of the account.", CHANGED, EDIT)
            .write(Method::PATCH, "GameChange")
            .about("Send the fields that change, or the whole game as you read it. A field is replaced as a whole; null clears an optional \
                one. A change of a public game shows at once; a change of a rejected one submits it again. A test key may change the \
                samples; nothing is stored."),
        get("/events", "listEvents", Tag::Events, "Lists events, the soonest first; past ones the latest first.", rows("Event"),
            &[p::EVENT_KIND, p::COUNTRY, p::CITY, p::WHEN, p::FROM_DAY, p::TO_DAY, p::Q, p::UPDATED_SINCE, p::LIMIT, p::CURSOR])
            .about("Without `when`, it lists the upcoming events, which include those in progress; with a `from` or a past `to`, all events of that range."),
        get("/events", "submitEvent", Tag::Events, "Submits an event, which staff review.", CREATED, SUBMIT)
            .write(Method::POST, "EventSubmission")
            .about("The event is pending until a person has reviewed it. Send an `Idempotency-Key`, so that a repeated call submits one \
                event. A test key checks everything and stores nothing."),
        get("/events/{slug}", "getEvent", Tag::Events, "Gets a published event.", Listing("Event"), &[p::EVENT_SLUG])
            .about("An event that is not public gets 404; `GET /me/listings` lists your own in every state. Keep the `ETag` to change the \
                event with `If-Match`."),
        get("/events/{slug}", "updateEvent", Tag::Events, "Changes an event of the account.", CHANGED, EDIT_EVENT)
            .write(Method::PATCH, "EventChange")
            .about("Send the fields that change, or the whole event as you read it. A field is replaced as a whole; null clears an \
                optional one. A change of a public event shows at once; a change of a rejected one submits it again. A test key \
                may change the samples; nothing is stored."),
        get("/creators", "listCreators", Tag::Creators, "Lists studios and people, the newest first.", rows("CreatorRow"),
            &[p::CREATOR_KIND, p::ROLE, p::COUNTRY, p::CITY, p::Q, p::UPDATED_SINCE, p::LIMIT, p::CURSOR]),
        get("/creators/{handle}", "getCreator", Tag::Creators, "Gets a studio or a person, with its games.", Object("Creator"), &[p::HANDLE]),
        get("/genres", "listGenres", Tag::Places, "Lists all genres by name.", rows("GenreRow"), &[])
            .about("Every key is listed, also one without games."),
        get("/countries", "listCountries", Tag::Places, "Lists countries by name.", rows("CountryRow"), &[p::EMPTY, p::LIMIT, p::CURSOR])
            .about("Without `empty`, it lists the countries that have listings."),
        get("/countries/{code}", "getCountry", Tag::Places, "Gets a country with its cities.", Object("Country"), &[p::CODE]),
        get("/cities", "listCities", Tag::Places, "Lists cities with creators, the biggest first.", rows("CityRow"),
            &[p::COUNTRY, p::LIMIT, p::CURSOR]),
        get("/search", "search", Tag::Search, "Searches games, creators, events and cities, the best first.", rows("SearchResult"),
            &[p::Q_OF_SEARCH, p::RESULT_KIND, p::COUNTRY, p::LIMIT, p::CURSOR])
            .about("Every word must match the beginning of a word. Results with fewer typos come first."),
        get("/changes", "listChanges", Tag::Mirrors, "Lists public listings in the order of their last change.",
            List("ListingChange", ListKind::Endless), PAGE)
            .codes(&[Code::Gone])
            .about("For a copy of the directory: read on with `meta.next_cursor`, which is never null, and apply each row by its `type` \
                and its slug or handle. After 410 `gone`, start again without a cursor."),
        get("/rankings/{kind}/{board}", "listRanking", Tag::Rankings, "Lists a board by rank.", rows("RankingRow"),
            &[p::BOARD_KIND, p::BOARD, p::LIMIT, p::CURSOR])
            .about("A board is computed from the votes of visitors in the window that `board` names."),
        get("/me", "getMe", Tag::Account, "Describes the key of the call and what is left of its limits.", Object("Me"), &[]),
        get("/me/listings", "listOwnListings", Tag::Account, "Lists the account's own games and events, the newest first.",
            rows("OwnListing"), PAGE)
            .about("Each row has its status, and the reason if it was rejected. For a test key, the samples count as the account's own."),
        get("/webhooks/messages", "listMessages", Tag::Webhooks, "Lists the webhook messages of the account, the oldest first.",
            List("WebhookMessage", ListKind::EndlessPage), &[p::AFTER, p::SINCE, p::MESSAGE_EVENT, p::LIMIT])
            .codes(&[Code::Gone])
            .about("The same messages as those to endpoints, for a receiver without a public address. Store `meta.next_cursor` once you have \
                handled a response, and continue with it as `after`, also after an empty response: the cursor moves past messages for other accounts."),
        get("/play/tips", "sendTip", Tag::Economy, "Tips the game of the key on behalf of a player.", TIPPED, SUBMIT)
            .write(Method::POST, "TipSubmission")
            .codes(&[Code::NotFound])
            .about("The amount is in whole units of the game's currency. With a test key, nothing is booked."),
        get("/economy/report", "submitReport", Tag::Economy, "Reports the state of the game's economy.", REPORTED, SUBMIT)
            .write(Method::POST, "ReportSubmission")
            .codes(&[Code::BadRequest, Code::TooSoon])
            .about("Amounts are whole units of the game's currency. A report whose basket costs much more or less than that of the last \
                counted one is held until staff have reviewed it. With a test key, nothing is stored."),
        get("/economy/rates", "listRates", Tag::Economy, "Lists exchange rates between the currencies of games.",
            List("Rate", ListKind::Rates), &[p::FROM_CURRENCY, p::TO_CURRENCY, p::AT])
            .about("Without `from` and `to`, it lists the rates between all pairs. With `at`, it lists the rates at that time."),
        get("/economy/currencies", "listCurrencies", Tag::Economy, "Lists the currencies of games with their figures.",
            List("Currency", ListKind::Economy), &[]),
        get("/economy/history", "listHistory", Tag::Economy, "Lists the counted reports of a game, the oldest first.",
            List("HistoryRow", ListKind::Economy), &[p::GAME, p::FROM_MOMENT, p::TO_MOMENT, p::LIMIT, p::CURSOR]),
        get("/economy/methodology", "getMethodology", Tag::Economy, "Describes how rates and figures are computed.", Object("Methodology"), &[]),
    ]
}
