//! Links from the public site into the dashboard. Public pages are the same for everybody, so these paths redirect to the person's account.

use axum::extract::{Path, Query};
use pages::site::Language;
use serde::Deserialize;
use uuid::Uuid;

use super::kind;
use crate::account::choice::{Question, choose};
use crate::domain::listing_kind::is_listing_name;
use crate::domain::role::Permission;
use crate::page_error::{PageError, PageResult};
use crate::person_request::PersonRequest;
use crate::render::see_other;
use crate::store::members;

#[derive(Debug, Default, Deserialize)]
pub struct PublicPage {
    /// The language of the public page.
    #[serde(default)]
    language: String,
}

/// Redirects to the form in which an account claims a page, with the page's handle.
pub async fn claim(request: PersonRequest, Path(handle): Path<String>) -> PageResult {
    if !is_listing_name(&handle) {
        return Err(PageError::not_found());
    }
    let accounts = accounts_of_editor(&request).await?;
    let language = request.language();
    let question = Question {
        title: language.say("claim-a-page"),
        text: language.say("claim-which-account"),
    };
    let form = |account: &Uuid| format!("/accounts/{account}/claims?handle={handle}");
    Ok(choose(&request, &accounts, question, form).await)
}

/// Redirects to the form in which an account submits a game.
pub async fn add_game(request: PersonRequest) -> PageResult {
    let accounts = accounts_of_editor(&request).await?;
    let language = request.language();
    let question = Question {
        title: language.say("listing-add-game"),
        text: language.say("listing-which-account"),
    };
    let form = |account: &Uuid| format!("/accounts/{account}/listings/new/game");
    Ok(choose(&request, &accounts, question, form).await)
}

/// The accounts whose listings the person may change. Refused if the person has accounts, but none of these.
async fn accounts_of_editor(request: &PersonRequest) -> Result<Vec<Uuid>, PageError> {
    let person = request.person().id;
    let memberships = members::of_person(&request.app.pool, person).await?;
    let editors = memberships
        .iter()
        .filter(|it| it.role.may(Permission::Edit));
    let accounts: Vec<Uuid> = editors.map(|it| it.account).collect();
    if accounts.is_empty() && !memberships.is_empty() {
        return Err(PageError::forbidden(Permission::Edit));
    }
    Ok(accounts)
}

/// Redirects to the form for a report.
pub async fn takedown(
    Path((of_kind, name)): Path<(String, String)>,
    Query(page): Query<PublicPage>,
) -> PageResult {
    kind(&of_kind)?;
    if !is_listing_name(&name) {
        return Err(PageError::not_found());
    }
    let languages = Language::ALL.into_iter();
    let prefix = languages
        .filter(|language| language.code() == page.language)
        .map(Language::prefix)
        .next();
    let prefix = prefix.unwrap_or_default();
    Ok(see_other(&format!(
        "{prefix}/report/{of_kind}/{name}?reason=rights"
    )))
}
