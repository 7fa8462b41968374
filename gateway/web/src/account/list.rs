//! The accounts of a person, and a new one.

use kit::Fault;
use pages::Field;
use pages::accounts::{AccountRow, ListPage};
use serde::Deserialize;
use uuid::Uuid;

use super::choice::account_names;
use super::effect::refused_form;
use crate::domain::action::Action;
use crate::domain::role::Role;
use crate::english::{say, say_of};
use crate::form_body::FormBody;
use crate::once_form;
use crate::page_error::PageResult;
use crate::render::{FormState, html, see_other};
use crate::request::PersonRequest;
use crate::store::members::{self, Membership};
use crate::store::people;

/// The most accounts that a person may own. Each has a free plan.
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

/// Makes an account, whose id is derived from the form: if the form is sent again, by a second click or after a failure, it makes no second
/// account.
pub async fn create(request: PersonRequest, FormBody(form): FormBody<AccountForm>) -> PageResult {
    let state = match create_account(&request, &form).await {
        Ok(account) => return Ok(see_other(&format!("/accounts/{account}"))),
        Err(fault) => refused_form(fault, &["name"])?,
    };
    page(&request, &form.name, state).await
}

async fn create_account(request: &PersonRequest, form: &AccountForm) -> Result<Uuid, Fault> {
    let (app, person) = (&request.app, request.person());
    let again = || Fault::invalid_field("*", say("accounts-form-old"));
    let form_id: Uuid = form.form.parse().map_err(|_not_an_id| again())?;
    let id = once_form::id_in(person.id, form_id);
    let memberships = members::of_person(&app.pool, person.id).await?;
    if memberships.iter().any(|it| it.account == id) {
        return Ok(id);
    }
    check_room(&memberships)?;
    app.gateway.admit_change().await?;
    let (name, actor) = (form.name.as_str(), request.actor());
    app.gateway.create_account(&actor, id, name).await?;
    let mut transaction = kit::pg::begin(&app.pool).await?;
    members::lock(&mut transaction, id).await?;
    if members::role(&mut *transaction, id, person.id).await?.is_some() {
        return Ok(id);
    }
    // A person who has left the account, or was removed, cannot become a member again with the old form.
    if members::exist(&mut *transaction, id).await? {
        return Err(again());
    }
    // Other forms of the person may have made accounts since the first check.
    if people::lock(&mut *transaction, person.id).await?.is_none() {
        return Err(again());
    }
    check_room(&members::of_person(&mut *transaction, person.id).await?)?;
    let now = app.clock.now();
    members::insert(&mut *transaction, id, person.id, Role::Owner, now).await?;
    request.record_in_account(&mut *transaction, id, Action::AccountCreated, name).await?;
    transaction.commit().await?;
    Ok(id)
}

/// Refuses a person who has as many accounts as anybody may.
fn check_room(memberships: &[Membership]) -> Result<(), Fault> {
    let refused = |key, most: usize| Err(Fault::invalid_field("*", say_of(key, &most.to_string())));
    if memberships.len() >= members::MAX_ACCOUNTS {
        return refused("accounts-full", members::MAX_ACCOUNTS);
    }
    let owned = memberships.iter().filter(|it| it.role == Role::Owner);
    if owned.count() >= MAX_OWNED {
        return refused("accounts-most", MAX_OWNED);
    }
    Ok(())
}

async fn page(request: &PersonRequest, typed: &str, state: FormState) -> PageResult {
    let app = &request.app;
    let FormState { status, errors } = state;
    let memberships = members::of_person(&app.pool, request.person().id).await?;
    let ids: Vec<Uuid> = memberships.iter().map(|it| it.account).collect();
    let names = account_names(app, &ids).await;
    let accounts = memberships.iter().zip(names).map(|(membership, name)| AccountRow {
        id: membership.account.to_string(),
        name,
        role: say(membership.role.key()),
    });
    let name = Field::text("name", say("accounts-name")).value(typed);
    let page = ListPage {
        frame: request.viewer.frame(),
        accounts: accounts.collect(),
        name: name.error_in(&errors),
        form: once_form::new_id(),
        errors,
    };
    Ok(html(status, &page))
}
