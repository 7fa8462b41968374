//! The accounts of a person, and a new one.

use kit::{Code, Fault};
use pages::Field;
use pages::accounts::{AccountRow, ListPage};
use serde::Deserialize;
use uuid::Uuid;

use super::choice::account_name;
use crate::app::Web;
use crate::domain::action::Action;
use crate::domain::role::Role;
use crate::domain::session_token::Token;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::person_request::PersonRequest;
use crate::render::{FormState, html, see_other};
use crate::session::once;
use crate::store::members;

/// Accounts that a person may own, so that nobody multiplies the free plan at will.
const MAX_OWNED: usize = 20;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct AccountForm {
    name: String,
    form: String,
}

pub async fn show(request: PersonRequest) -> PageResult {
    let memberships = members::of_person(&request.app.pool, request.person().id).await?;
    // Most people have one account, and want to see its start page.
    if let [only] = &memberships[..] {
        return Ok(see_other(&format!("/accounts/{}", only.account)));
    }
    page(&request, "", FormState::default()).await
}

/// The list also for a person with one account, who wants to make another one.
pub async fn show_new(request: PersonRequest) -> PageResult {
    page(&request, "", FormState::default()).await
}

/// Makes an account. Its id is derived from the form and the person: if the form is sent again, by a second click or after a failure, it
/// makes no second account.
pub async fn create(request: PersonRequest, FormBody(form): FormBody<AccountForm>) -> PageResult {
    match create_account(&request, &form).await {
        Ok(account) => Ok(see_other(&format!("/accounts/{account}"))),
        Err(fault) => page(&request, &form.name, FormState::refused(&fault, &["name"])).await,
    }
}

async fn create_account(request: &PersonRequest, form: &AccountForm) -> Result<Uuid, Fault> {
    let (web, person) = (&request.app, request.person());
    let again = "Open the page again, and send the form from there.";
    let token = Token::parse(&form.form).ok_or_else(|| Fault::invalid_field("form", again))?;
    let id = Uuid::new_v5(&person.id, &token.hash().0);
    let memberships = members::of_person(&web.pool, person.id).await?;
    if memberships.iter().any(|it| it.account == id) {
        return same_name(web, id, &form.name).await.map(|()| id);
    }
    let owned = memberships.iter().filter(|it| it.role == Role::Owner);
    if owned.count() >= MAX_OWNED {
        let text = format!("You are an owner of {MAX_OWNED} accounts already, which is the most.");
        return Err(Fault::invalid_field("*", text));
    }
    web.gateway.admit_change().await?;
    let (name, actor) = (form.name.as_str(), request.actor());
    web.gateway
        .create_account(&actor, id, name, &person.email)
        .await?;
    let mut transaction = web.pool.begin().await?;
    members::lock(&mut transaction, id).await?;
    if members::role(&mut *transaction, id, person.id)
        .await?
        .is_some()
    {
        return Ok(id);
    }
    // A person who has left the account, or was removed, cannot become a member again with the old form.
    if members::exist(&mut *transaction, id).await? {
        return Err(Fault::invalid_field("form", again));
    }
    let now = web.clock.now();
    members::insert(&mut *transaction, id, person.id, Role::Owner, now).await?;
    transaction.commit().await?;
    request.record_done(id, Action::AccountCreated, name).await;
    Ok(id)
}

/// Refuses a form that has made an account before, with another name: the person went back and wants a second account.
async fn same_name(web: &Web, account: Uuid, typed: &str) -> Result<(), Fault> {
    let account = web.gateway.account(account).await?.account;
    let name = account.map(|account| account.name).unwrap_or_default();
    if name == typed.trim() {
        return Ok(());
    }
    let text = format!(
        "This form has made the account {name} already. If you want another account with this name, send it again."
    );
    Err(Fault::new(Code::IdempotencyMismatch, text))
}

async fn page(request: &PersonRequest, typed: &str, state: FormState) -> PageResult {
    let web = &request.app;
    let mut accounts = Vec::new();
    for membership in members::of_person(&web.pool, request.person().id).await? {
        accounts.push(AccountRow {
            id: membership.account.to_string(),
            name: account_name(web, membership.account).await,
            role: membership.role.as_str(),
        });
    }
    let name = Field::text("name", "Name of the account").value(typed);
    let page = ListPage {
        shell: request.viewer.shell(),
        accounts,
        name: name.error_in(&state.errors),
        form: once::new_id(),
        errors: state.errors,
    };
    Ok(html(state.status, &page))
}
