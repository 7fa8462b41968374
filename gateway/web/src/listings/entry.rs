//! Links from the public site into the dashboard. Public pages are the same for everybody, so these paths redirect to the person's account.

use axum::Extension;
use axum::extract::{Path, Query, State};
use futures::future::join_all;
use kit::{Code, Fault};
use pages::site::Language;
use serde::Deserialize;
use uuid::Uuid;

use super::kind;
use crate::account::choice::{Question, choose};
use crate::app::{App, Web};
use crate::domain::listing_kind::is_listing_name;
use crate::domain::role::Permission;
use crate::page_error::{PageError, PageResult};
use crate::person_request::PersonRequest;
use crate::render::see_other;
use crate::store::members;
use crate::upstream::listings::ListingRef;
use crate::viewer::Viewer;

/// The most accounts of a person for which listings-svc is asked whether they own a listing.
const MAX_ACCOUNTS: usize = 20;

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

/// Redirects to the request for a takedown if an account of the person owns the listing, and to the form for a report otherwise.
pub async fn takedown(
    State(app): State<App>,
    Extension(viewer): Extension<Option<Viewer>>,
    Path((of_kind, name)): Path<(String, String)>,
    Query(page): Query<PublicPage>,
) -> PageResult {
    let kind = kind(&of_kind)?;
    if !is_listing_name(&name) {
        return Err(PageError::not_found());
    }
    if let Some(viewer) = viewer {
        let memberships = members::of_person(&app.pool, viewer.person.id).await?;
        let editors = memberships
            .iter()
            .filter(|it| it.role.may(Permission::Edit));
        let listings = editors.take(MAX_ACCOUNTS).map(|it| ListingRef {
            account: it.account,
            kind,
            name: &name,
        });
        let owners = join_all(listings.map(|listing| owner(&app, listing)));
        for owner in owners.await {
            if let Some(account) = owner? {
                let form = format!("/accounts/{account}/listings/{of_kind}/{name}/takedown");
                return Ok(see_other(&form));
            }
        }
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

/// The account of this reference, if the listing is its own.
async fn owner(app: &Web, listing: ListingRef<'_>) -> Result<Option<Uuid>, Fault> {
    match app.listings.get(listing).await {
        Ok(_) => Ok(Some(listing.account)),
        Err(fault) if fault.code == Code::NotFound => Ok(None),
        Err(fault) => Err(fault),
    }
}
