//! Links from the public site into the dashboard. Public pages are the same for everybody, so these paths redirect to the person's account.

use axum::extract::Path;
use uuid::Uuid;

use crate::account::choice::{Question, choose};
use crate::domain::listing_kind::is_listing_name;
use crate::domain::role::Permission;
use crate::english::say;
use crate::page_error::{PageError, PageResult};
use crate::request::PersonRequest;
use crate::store::members;

/// Redirects to the form in which an account claims a page, with the page's handle.
pub async fn claim(request: PersonRequest, Path(handle): Path<String>) -> PageResult {
    if !is_listing_name(&handle) {
        return Err(PageError::not_found());
    }
    let accounts = accounts_of_editor(&request).await?;
    let question = Question { title: say("claim-a-page"), text: say("claim-which-account") };
    let form = |account: &Uuid| format!("/accounts/{account}/claims?handle={handle}");
    Ok(choose(&request, &accounts, question, form).await)
}

/// Redirects to the form in which an account submits a game.
pub async fn add_game(request: PersonRequest) -> PageResult {
    let accounts = accounts_of_editor(&request).await?;
    let question = Question { title: say("listing-add-game"), text: say("listing-which-account") };
    let form = |account: &Uuid| format!("/accounts/{account}/listings/new/game");
    Ok(choose(&request, &accounts, question, form).await)
}

/// The accounts whose listings the person may change. Refused if the person has accounts, but none of these.
async fn accounts_of_editor(request: &PersonRequest) -> Result<Vec<Uuid>, PageError> {
    let person = request.person().id;
    let memberships = members::of_person(&request.app.pool, person).await?;
    let editors = memberships.iter().filter(|it| it.role.may(Permission::Edit));
    let accounts: Vec<Uuid> = editors.map(|it| it.account).collect();
    if accounts.is_empty() && !memberships.is_empty() {
        return Err(PageError::forbidden(Permission::Edit));
    }
    Ok(accounts)
}
