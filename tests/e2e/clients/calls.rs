//! Calls with the client of openapi-generator for Rust. `FLEET`, `KEY` and `TOKEN` are in the environment.

use std::env::var;
use std::error::Error;

use openapi::apis::account_api_api::{
    CreateKeyParams, CreateKeySuccess, RotateKeyParams, RotateKeySuccess, create_key, rotate_key,
};
use openapi::apis::configuration::Configuration;
use openapi::apis::events_api::{SubmitEventParams, SubmitEventSuccess, submit_event};
use openapi::apis::games_api::{
    GetGameParams, GetGameSuccess, ListGamesParams, ListGamesSuccess, UpdateGameParams,
    UpdateGameSuccess, get_game, list_games, update_game,
};
use openapi::apis::search_api::{SearchParams, SearchSuccess, search};
use openapi::apis::webhooks_api::{ListMessagesParams, ListMessagesSuccess, list_messages};
use openapi::models::{
    ErrorResponse, EventSubmission, GameChange, KeySubmission, SearchResult, UpdatedResponseData,
    WebhookMessage, event_submission, key_submission,
};
use reqwest::header::{AUTHORIZATION, HeaderMap};

/// Sets the header for all calls: `bearer_access_token` would set it once for each kind of key that an operation accepts.
fn client(variable: &str) -> Result<Configuration, Box<dyn Error>> {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, format!("Bearer {}", var(variable)?).parse()?);
    let client = reqwest::Client::builder().default_headers(headers);
    Ok(Configuration {
        base_path: var("FLEET")?,
        client: client.build()?,
        ..Configuration::default()
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (key, token) = (client("KEY")?, client("TOKEN")?);

    let filter = ListGamesParams {
        genre: None,
        platform: None,
        country: Some("KE".to_owned()),
        stage: None,
        creator: None,
        q: None,
        updated_since: None,
        limit: Some(2),
        cursor: None,
        if_none_match: None,
    };
    let games = list_games(&key, filter).await?;
    let Some(ListGamesSuccess::Status200(games)) = games.entity else {
        panic!("{}", games.content)
    };
    let slug = games.data[0].slug.clone();

    let game = get_game(&key, game_params(&slug)).await?;
    let Some(GetGameSuccess::Status200(game)) = game.entity else {
        panic!("{}", game.content)
    };
    assert_eq!(game.data.slug, slug);

    let change = UpdateGameParams {
        slug,
        game_change: GameChange {
            links: Some(None),
            ..GameChange::new()
        },
        dry_run: None,
        if_match: None,
    };
    let changed = update_game(&key, change).await?;
    let Some(UpdateGameSuccess::Status200(changed)) = changed.entity else {
        panic!("{}", changed.content)
    };
    let UpdatedResponseData::DryRun(change) = *changed.data else {
        panic!("{changed:?}")
    };
    assert_eq!(change.would, "update");

    let event = EventSubmission::new(
        "Accra".to_owned(),
        "GH".to_owned(),
        event_submission::Kind::Jam,
        "2027-02-27".parse()?,
        "A Jam".to_owned(),
    );
    let event = SubmitEventParams {
        event_submission: event,
        dry_run: None,
        idempotency_key: Some("rust".to_owned()),
    };
    let submitted = submit_event(&key, event).await?;
    let Some(SubmitEventSuccess::Status200(submitted)) = submitted.entity else {
        panic!("{}", submitted.content)
    };
    assert_eq!(submitted.data.would, "create");

    let words = SearchParams {
        q: "sample".to_owned(),
        r#type: None,
        country: None,
        limit: None,
        cursor: None,
        if_none_match: None,
    };
    let found = search(&key, words).await?;
    let Some(SearchSuccess::Status200(found)) = found.entity else {
        panic!("{}", found.content)
    };
    let is_creator =
        |it: &SearchResult| matches!(it, SearchResult::CreatorResult(it) if !it.handle.is_empty());
    assert!(found.data.iter().any(is_creator), "{found:?}");

    let page = ListMessagesParams {
        after: None,
        since: None,
        event: None,
        limit: Some(100),
        if_none_match: None,
    };
    let messages = list_messages(&key, page).await?;
    let Some(ListMessagesSuccess::Status200(messages)) = messages.entity else {
        panic!("{}", messages.content)
    };
    let ranks = messages.data.iter().filter_map(|it| match it {
        WebhookMessage::RankingMovedMessage(message) => Some(message.data.rank),
        _ => None,
    });
    assert_ne!(ranks.count(), 0, "{messages:?}");

    let submission = KeySubmission::new(key_submission::Mode::Test, "rust".to_owned());
    let submission = CreateKeyParams {
        key_submission: submission,
    };
    let made = create_key(&token, submission).await?;
    let Some(CreateKeySuccess::Status201(made)) = made.entity else {
        panic!("{}", made.content)
    };
    let id = made.data.key.id;

    let rotation = RotateKeyParams {
        id: id.to_string(),
        grace_seconds: Some(0),
        expires_at: None,
    };
    let rotated = rotate_key(&token, rotation).await?;
    let Some(RotateKeySuccess::Status200(rotated)) = rotated.entity else {
        panic!("{}", rotated.content)
    };
    assert_eq!(rotated.data.old_key.id, id);

    let refused = get_game(&key, game_params("nothing")).await;
    let Err(openapi::apis::Error::ResponseError(refused)) = refused else {
        panic!("{refused:?}")
    };
    // All errors have one schema: the client takes each for one of the first status in the document.
    let error: ErrorResponse = serde_json::from_str(&refused.content)?;
    assert_eq!(error.error.code, "not_found");
    Ok(())
}

fn game_params(slug: &str) -> GetGameParams {
    GetGameParams {
        slug: slug.to_owned(),
        if_none_match: None,
    }
}
