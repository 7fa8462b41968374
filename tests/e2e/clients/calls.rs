//! Calls with the client of openapi-generator for Rust. `FLEET`, `KEY` and `TOKEN` are in the environment.

use std::env::var;
use std::error::Error;

use openapi::apis::account_api_api::{
    CreateKeyParams, CreateKeySuccess, RotateKeyParams, RotateKeySuccess, create_key, rotate_key,
};
use openapi::apis::configuration::Configuration;
use openapi::apis::events_api::{SubmitEventParams, SubmitEventSuccess, submit_event};
use openapi::apis::games_api::{
    GetGameError, GetGameParams, GetGameSuccess, ListGamesParams, ListGamesSuccess,
    UpdateGameParams, UpdateGameSuccess, get_game, list_games, update_game,
};
use openapi::apis::mirrors_api::{ListChangesParams, ListChangesSuccess, list_changes};
use openapi::apis::search_api::{SearchParams, SearchSuccess, search};
use openapi::apis::webhooks_api::{ListMessagesParams, ListMessagesSuccess, list_messages};
use openapi::models::{
    EventSubmission, GameChange, KeySubmission, ListingChange, SearchResult, UpdatedResponseData,
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
    Ok(())
}
