//! The accounts of a person, and a new one.

use axum::Extension;
use axum::extract::State;
use http::StatusCode;
use kit::{Code, Fault};
use pages::accounts::{AccountRow, ListPage};
use pages::{Field, Fields};
use serde::Deserialize;
use uuid::Uuid;

use super::record_done;
use crate::app::{App, Web};
use crate::domain::role::Role;
use crate::domain::session_token::Token;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::render::{form_errors, html, see_other};
use crate::session::once;
use crate::store::members;
use crate::viewer::{AccountScope, ClientInfo, Viewer};

/// Accounts that a person may own, so that nobody multiplies the free plan at will.
const MAX_OWNED: usize = 20;

#[derive(Debug, Deserialize)]
pub struct AccountForm {
    #[serde(default)]
    name: String,
    #[serde(default)]
    form: String,
}

pub async fn show(State(app): State<App>, Extension(viewer): Extension<Viewer>) -> PageResult {
    let memberships = members::of_person(&app.pool, viewer.person.id).await?;
    // Most people have one account, and want to see its overview.
    if let [only] = &memberships[..] {
        return Ok(see_other(&format!("/accounts/{}", only.account)));
    }
    page(&app, &viewer, "", StatusCode::OK, Fields::default()).await
}

/// The list also for a person with one account, who wants to make another one.
pub async fn show_new(State(app): State<App>, Extension(viewer): Extension<Viewer>) -> PageResult {
    page(&app, &viewer, "", StatusCode::OK, Fields::default()).await
}

/// Makes an account. Its id is derived from the form and the person: if the form is sent again, by a second click or after a failure, it
/// makes no second account.
pub async fn create(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    FormBody(form): FormBody<AccountForm>,
) -> PageResult {
    match create_account(&app, &viewer, &client, &form).await {
        Ok(account) => Ok(see_other(&format!("/accounts/{account}"))),
        Err(fault) => {
            let (status, errors) = form_errors(&fault, &["name"], &[]);
            page(&app, &viewer, &form.name, status, errors).await
        }
    }
}

async fn create_account(
    web: &Web,
    viewer: &Viewer,
    client: &ClientInfo,
    form: &AccountForm,
) -> Result<Uuid, Fault> {
    let again = "Open the page again, and send the form from there.";
    let token = Token::parse(&form.form).ok_or_else(|| Fault::invalid_field("form", again))?;
    let (now, person) = (web.clock.now(), &viewer.person);
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
    let (name, actor) = (form.name.as_str(), viewer.actor(client));
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
    members::insert(&mut *transaction, id, person.id, Role::Owner, now).await?;
    transaction.commit().await?;
    let scope = AccountScope {
        id,
        role: Role::Owner,
    };
    record_done(web, (viewer, client), &scope, ("account_created", name)).await;
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

async fn page(
    web: &Web,
    viewer: &Viewer,
    typed: &str,
    status: StatusCode,
    errors: Fields,
) -> PageResult {
    let mut accounts = Vec::new();
    for membership in members::of_person(&web.pool, viewer.person.id).await? {
        let found = web.gateway.account(membership.account).await;
        let account = found.ok().and_then(|found| found.account);
        accounts.push(AccountRow {
            id: membership.account.to_string(),
            // While the gateway is away, the links still work.
            name: account.map_or_else(|| membership.account.to_string(), |account| account.name),
            role: membership.role.as_str(),
        });
    }
    let name = Field::text("name", "Name of the account").value(typed);
    let page = ListPage {
        shell: viewer.shell(),
        accounts,
        name: name.error_in(&errors),
        form: once::new_id(),
        errors,
    };
    Ok(html(status, &page))
}
