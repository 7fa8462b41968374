//! Deletes a person. The page says what is deleted and what stays.

use futures::future::join_all;
use http::HeaderMap;
use pages::mails::MailText;
use pages::people::PersonFormPage;
use pages::{Field, Fields, Frame};
use serde::Deserialize;
use sqlx::{PgConnection, Postgres, Transaction};
use uuid::Uuid;

use super::confirmation::confirm_password;
use super::link_mail::record_and_inform;
use crate::domain::action::Action;
use crate::domain::role::{Permission, Role};
use crate::english::say;
use crate::form_body::FormBody;
use crate::membership::{self, RemovedMember};
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::render::{FormState, html};
use crate::request::PersonRequest;
use crate::seen_secrets::mail_to_owners;
use crate::store::members::{self, Membership};
use crate::store::{links, people};

#[derive(Debug, Deserialize)]
pub struct Input {
    #[serde(default)]
    password: String,
}

pub async fn show(request: PersonRequest) -> PageResult {
    page(&request, FormState::default()).await
}

pub async fn send(
    request: PersonRequest,
    headers: HeaderMap,
    FormBody(form): FormBody<Input>,
) -> PageResult {
    let (app, person) = (&request.app, request.person());
    // The deletion revokes keys and removes webhooks.
    app.gateway.admit_change().await?;
    let confirmed = confirm_password(&request, "password", &form.password).await?;
    if !confirmed.is_accepted() {
        return page(&request, confirmed).await;
    }
    // Nobody may join an account that is about to be closed.
    let mut transaction = kit::pg::begin(&app.pool).await?;
    let left = match leave_accounts(&mut transaction, &request).await? {
        Ok(left) => left,
        Err(errors) => return refused(&request, transaction, errors).await,
    };
    for account in left.iter().filter(|left| left.is_closed) {
        links::remove_invitations(&mut *transaction, account.id).await?;
    }
    transaction.commit().await?;
    // The calls hold no lock and no connection. If a service is unavailable, the person still exists and can send the form again.
    for account in left.iter().filter(|left| left.is_closed) {
        membership::close_account(&request, account.id).await?;
    }
    // At once: each of them waits for the services.
    let mails = join_all(left.iter().map(async |account| {
        let may_have_seen = !account.is_closed && account.role.may(Permission::Develop);
        if !may_have_seen {
            return None;
        }
        mail_to_owners(app, account.id, person).await
    }))
    .await;
    let mut transaction = kit::pg::begin(&app.pool).await?;
    match leave_accounts(&mut transaction, &request).await? {
        Ok(now) if now == left => {}
        Ok(_others) => {
            let errors = problem("delete-members-changed");
            return refused(&request, transaction, errors).await;
        }
        Err(errors) => return refused(&request, transaction, errors).await,
    }
    for (account, seen) in left.iter().zip(mails) {
        members::remove(&mut *transaction, account.id, person.id).await?;
        let ended = RemovedMember { account: account.id, person, action: Action::Left, seen };
        membership::end(&mut transaction, &request, ended).await?;
    }
    let text = MailText::new("deleted");
    record_and_inform(&request, &mut transaction, Action::PersonDeleted, &text).await?;
    people::remove(&mut *transaction, person.id).await?;
    transaction.commit().await?;
    let language = PageLanguage::from_person(person);
    let mut response = language.redirect_signed_out(&headers, "deleted");
    app.cookie.clear(response.headers_mut());
    Ok(response)
}

/// An account that the person leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LeftAccount {
    id: Uuid,
    role: Role,
    /// Whether it has no other member.
    is_closed: bool,
}

async fn refused(
    request: &PersonRequest,
    transaction: Transaction<'static, Postgres>,
    errors: Fields,
) -> PageResult {
    // The page reads with other connections, and waits for the gateway.
    transaction.rollback().await?;
    page(request, FormState::invalid(errors)).await
}

/// Locks the person's accounts and the person. An account with other members keeps an owner.
async fn leave_accounts(
    connection: &mut PgConnection,
    request: &PersonRequest,
) -> Result<Result<Vec<LeftAccount>, Fields>, PageError> {
    let person = request.person();
    // Lock the accounts in one order, so that two people who leave the same accounts at once do not deadlock.
    let accounts = memberships(&mut *connection, person.id).await?;
    for account in &accounts {
        members::lock(connection, account.account).await?;
    }
    request.lock(connection).await?;
    if memberships(&mut *connection, person.id).await? != accounts {
        return Ok(Err(problem("delete-members-changed")));
    }
    let mut left = Vec::new();
    for Membership { account, role } in accounts {
        let mut others = members::of_account(&mut *connection, account).await?;
        others.retain(|member| member.person != person.id);
        let is_closed = others.is_empty();
        if !is_closed && others.iter().all(|member| member.role != Role::Owner) {
            return Ok(Err(problem("delete-last-owner")));
        }
        left.push(LeftAccount { id: account, role, is_closed });
    }
    Ok(Ok(left))
}

/// The accounts of a person, in the order of their ids.
async fn memberships(
    connection: &mut PgConnection,
    person: Uuid,
) -> Result<Vec<Membership>, sqlx::Error> {
    let mut memberships = members::of_person(connection, person).await?;
    memberships.sort_unstable_by_key(|it| it.account);
    Ok(memberships)
}

fn problem(key: &'static str) -> Fields {
    Fields::general(say(key))
}

async fn page(request: &PersonRequest, state: FormState) -> PageResult {
    let FormState { status, errors } = state;
    let closed = request.app.gateway.read_only().await;
    let frame = Frame { closed: closed.map(|_| say("fault-closed")), ..request.viewer.frame() };
    let password = Field::password("password", say("password-own"));
    let page = PersonFormPage {
        frame,
        heading: say("delete-title"),
        text: ["delete-goes", "delete-accounts", "delete-stays", "delete-names"].map(say).into(),
        action: "/you/delete",
        form: None,
        inputs: vec![password.error_in(&errors)],
        button: say("delete-button"),
        is_dangerous: true,
        errors,
    };
    Ok(html(status, &page))
}
