//! The accounts of a person, and a new one.

use axum::Extension;
use axum::extract::State;
use http::StatusCode;
use kit::{Code, Fault, ids};
use pages::accounts::{AccountRow, ListPage};
use pages::{Field, Fields};
use serde::Deserialize;

use super::record;
use crate::app::{App, Web};
use crate::domain::role::Role;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::render::{form_errors, html, see_other};
use crate::session::once::{self, Claim};
use crate::store::members;
use crate::viewer::{AccountScope, ClientInfo, Viewer};

#[derive(Debug, Deserialize)]
pub struct AccountForm {
    #[serde(default)]
    name: String,
    #[serde(default)]
    form: String,
}

pub async fn show(State(app): State<App>, Extension(viewer): Extension<Viewer>) -> PageResult {
    let memberships = members::of_person(&app.pool, viewer.person.id).await?;
    // The usual case: one account, whose overview is the page that is wanted.
    if let [only] = &memberships[..] {
        return Ok(see_other(&format!("/accounts/{}", only.account)));
    }
    page(&app, &viewer, "", StatusCode::OK, Fields::default()).await
}

pub async fn create(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    FormBody(form): FormBody<AccountForm>,
) -> PageResult {
    let id = match app.forms.claim(&viewer.token, &form.form).await? {
        Claim::First(id) => id,
        Claim::Done(account) => return Ok(see_other(&format!("/accounts/{account}"))),
        Claim::Unknown => return Err(PageError::outcome_unknown("/accounts")),
    };
    let created = create_account(&app, &viewer, &client, &form.name).await;
    match created {
        Ok(scope) => {
            let account = scope.id.to_string();
            app.forms.store(&viewer.token, &id, &account).await?;
            Ok(see_other(&format!("/accounts/{account}")))
        }
        Err(fault) => {
            // With an unknown outcome the id stays claimed: a repetition could make a second account.
            if fault.code != Code::OutcomeUnknown {
                app.forms.release(&viewer.token, &id).await?;
            }
            let (status, errors) = form_errors(&fault, &["name"], &[]);
            page(&app, &viewer, &form.name, status, errors).await
        }
    }
}

async fn create_account(
    web: &Web,
    viewer: &Viewer,
    client: &ClientInfo,
    name: &str,
) -> Result<AccountScope, Fault> {
    web.gateway.admit_change().await?;
    let (now, person) = (web.clock.now(), &viewer.person);
    let (id, actor) = (ids::row_id(), viewer.actor(client));
    web.gateway
        .create_account(&actor, id, name, &person.email)
        .await?;
    let scope = AccountScope {
        id,
        role: Role::Owner,
    };
    let mut transaction = web.pool.begin().await?;
    members::insert(&mut *transaction, id, person.id, Role::Owner, now).await?;
    let what = ("account_created", name);
    record(&mut *transaction, (viewer, client), &scope, what, now).await?;
    transaction.commit().await?;
    Ok(scope)
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
