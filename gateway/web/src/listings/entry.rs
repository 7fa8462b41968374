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
use crate::domain::listing_kind::{ListingKind, is_listing_name};
use crate::domain::role::Permission;
use crate::page_error::{PageError, PageResult};
use crate::person_request::PersonRequest;
use crate::render::see_other;
use crate::store::members::{self, Membership};
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

/// Redirects to the form in which an account claims a page, with the page's handle; and to the page in the dashboard if an account of the
/// person has it.
pub async fn claim(request: PersonRequest, Path(handle): Path<String>) -> PageResult {
    if !is_listing_name(&handle) {
        return Err(PageError::not_found());
    }
    let accounts = accounts_of_editor(&request).await?;
    if let Some(account) = owner(&request.app, &accounts, ListingKind::Page, &handle).await? {
        let page = format!("/accounts/{account}/listings/page/{handle}");
        return Ok(see_other(&page));
    }
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
    let accounts = accounts_that_edit(&memberships);
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
        let accounts = accounts_that_edit(&memberships);
        if let Some(account) = owner(&app, &accounts, kind, &name).await? {
            let form = format!("/accounts/{account}/listings/{of_kind}/{name}/takedown");
            return Ok(see_other(&form));
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

fn accounts_that_edit(memberships: &[Membership]) -> Vec<Uuid> {
    let editors = memberships
        .iter()
        .filter(|it| it.role.may(Permission::Edit));
    editors.map(|it| it.account).collect()
}

/// The first of the accounts that owns the listing.
async fn owner(
    app: &Web,
    accounts: &[Uuid],
    kind: ListingKind,
    name: &str,
) -> Result<Option<Uuid>, Fault> {
    let reads = accounts.iter().take(MAX_ACCOUNTS);
    let reads = reads.map(|account| async move {
        let account = *account;
        let listing = ListingRef {
            account,
            kind,
            name,
        };
        match app.listings.get(listing).await {
            Ok(_) => Ok(Some(account)),
            Err(fault) if fault.code == Code::NotFound => Ok(None),
            Err(fault) => Err(fault),
        }
    });
    for owner in join_all(reads).await {
        if let Some(account) = owner? {
            return Ok(Some(account));
        }
    }
    Ok(None)
}
