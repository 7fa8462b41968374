//! The descriptions of operations, which add to their summaries.

/// Operations with their descriptions, in Markdown.
const DESCRIPTIONS: [(&str, &str); 24] = [
    (
        "listGames",
        "The order is the same with every filter. Filters apply together, and `meta.total` counts what they leave.",
    ),
    (
        "listEvents",
        "Without `when`, it lists the upcoming events, which include those in progress.",
    ),
    (
        "getGame",
        "A game that is not public is 404: `GET /me/listings` has your own in every state. Keep the `ETag` to change the game with `If-Match`.",
    ),
    (
        "getEvent",
        "An event that is not public is 404: `GET /me/listings` has your own in every state. Keep the `ETag` to change the event with `If-Match`.",
    ),
    (
        "submitGame",
        "The game is pending until a person has reviewed it. Send an `Idempotency-Key`, so that a repeated call submits one game. A test key \
         checks everything and stores nothing.",
    ),
    (
        "submitEvent",
        "The event is pending until a person has reviewed it. Send an `Idempotency-Key`, so that a repeated call submits one event. A test \
         key checks everything and stores nothing.",
    ),
    (
        "updateGame",
        "Send the fields that change, or the whole game as you read it. A field is replaced as a whole; null clears an optional one. A change \
         of a public game shows at once; a change of a rejected one submits it again. A test key changes samples, and nothing is stored.",
    ),
    (
        "updateEvent",
        "Send the fields that change, or the whole event as you read it. A field is replaced as a whole; null clears an optional one. A change \
         of a public event shows at once; a change of a rejected one submits it again. A test key changes samples, and nothing is stored.",
    ),
    ("listGenres", "Every key is listed, also one without games."),
    (
        "listCountries",
        "Without `empty`, it lists the countries that have listings.",
    ),
    (
        "search",
        "Every word must match the beginning of a word. Results with fewer typos come first.",
    ),
    (
        "listChanges",
        "For a copy of the directory: read on with `meta.next_cursor`, which is never null, and apply each row by its `type` and its slug or \
         handle. After 410 `gone`, start again without a cursor.",
    ),
    (
        "listRanking",
        "A board is computed from the votes of visitors in the window that `board` names.",
    ),
    (
        "listOwnListings",
        "With the state of each, and the reason of a rejection. A test key has the samples as its own.",
    ),
    (
        "listMessages",
        "The same messages as those to endpoints, for a receiver without a public address. Store the `cursor` of the last message that you \
         have handled, and continue with it as `after`.",
    ),
    (
        "sendTip",
        "The amount is in whole units of the game's currency. A test key books nothing.",
    ),
    (
        "submitReport",
        "Amounts are whole units of the game's currency. A report whose basket costs much more or less than the last counted one is held until \
         staff have looked at it. A test key stores nothing.",
    ),
    (
        "listRates",
        "Without `from` and `to`, it lists the rates between all pairs. With `at`, it lists those of that moment.",
    ),
    (
        "createKey",
        "A test key comes at once, with its secret. A live key is requested: staff look at the request, and then `revealKey` has the secret, \
         once.",
    ),
    (
        "rotateKey",
        "The response has the new secret, once. The old secret works until its grace ends.",
    ),
    (
        "revealKey",
        "The key is made at that moment, and nobody else has seen its secret.",
    ),
    (
        "addEndpoint",
        "The response has the signing secret, once. The address must be https, and public.",
    ),
    (
        "runEndpointAction",
        "`pause` keeps deliveries until `resume`. `rotate-secret` answers with a new secret, which signs beside the old one until \
         `switch-secret`, or for a day. `test` sends a sample of an event.",
    ),
    ("getUsage", "Only calls of live keys count in the month."),
];

/// The description of an operation.
pub(super) fn description(operation: &str) -> Option<&'static str> {
    let mut descriptions = DESCRIPTIONS.into_iter();
    let found = descriptions.find(|(id, _)| *id == operation);
    found.map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::operations::operations;

    #[test]
    fn each_description_is_of_an_operation() {
        let operations = operations();
        for (id, text) in DESCRIPTIONS {
            assert!(operations.iter().any(|it| it.id == id), "{id}");
            assert!(text.ends_with('.'), "{id}: {text}");
        }
        assert_eq!(description("getNothing"), None);
    }
}
