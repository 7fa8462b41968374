//! Deletes a person. The page says what is deleted and what stays.

use http::HeaderMap;
use kit::Fault;
use pages::mails::MailText;
use pages::people::PersonFormPage;
use pages::{Field, Fields, Frame};
use serde::Deserialize;
use sqlx::PgConnection;
use uuid::Uuid;

use super::confirmation::confirm_password;
use super::link_mail::record_and_inform;
use crate::app::Web;
use crate::domain::action::Action;
use crate::domain::role::Role;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::render::{FormState, html};
use crate::request::PersonRequest;
use crate::store::{allow_idle, members, people};
use crate::upstream::gateway::Actor;

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
    let actor = request.actor();
    let mut transaction = kit::pg::begin(&app.pool).await?;
    let closed = match leave_accounts(&mut transaction, &request).await? {
        Ok(closed) => closed,
        Err(errors) => {
            drop(transaction);
            return page(&request, FormState::invalid(errors)).await;
        }
    };
    // The locks are held while other services work, however slowly: nobody may join an account that is being closed.
    allow_idle(&mut transaction, app.timeout).await?;
    // Nothing can refuse the deletion any more. If a service is away, the person still exists and can send the form again.
    for account in &closed {
        disconnect(app, &actor, *account).await?;
    }
    let text = MailText::new("deleted");
    record_and_inform(&request, &mut transaction, Action::PersonDeleted, &text).await?;
    people::remove(&mut *transaction, person.id).await?;
    transaction.commit().await?;
    let language = PageLanguage::of_person(person);
    let mut response = language.goodbye(&headers, "deleted");
    app.cookie.clear(response.headers_mut());
    Ok(response)
}

/// Locks the person and the person's accounts. An account with other members keeps an owner. Returns the accounts without another member.
async fn leave_accounts(
    connection: &mut PgConnection,
    request: &PersonRequest,
) -> Result<Result<Vec<Uuid>, Fields>, PageError> {
    let person = request.person();
    // Lock the accounts in one order, so that two people who leave the same accounts at once do not deadlock.
    let accounts = account_ids(&mut *connection, person.id).await?;
    for account in &accounts {
        members::lock(connection, *account).await?;
    }
    request.lock(connection).await?;
    if account_ids(&mut *connection, person.id).await? != accounts {
        return Ok(Err(problem(request, "delete-members-changed")));
    }
    let mut closed = Vec::new();
    for &account in &accounts {
        let mut others = members::of_account(&mut *connection, account).await?;
        others.retain(|member| member.person != person.id);
        if others.is_empty() {
            closed.push(account);
        } else if others.iter().all(|member| member.role != Role::Owner) {
            return Ok(Err(problem(request, "delete-last-owner")));
        }
        request
            .record_in_account(&mut *connection, account, Action::Left, &person.email)
            .await?;
    }
    Ok(Ok(closed))
}

/// The accounts of a person, in the order of their ids.
async fn account_ids(
    connection: &mut PgConnection,
    person: Uuid,
) -> Result<Vec<Uuid>, sqlx::Error> {
    let memberships = members::of_person(connection, person).await?;
    let mut ids: Vec<Uuid> = memberships.iter().map(|it| it.account).collect();
    ids.sort_unstable();
    Ok(ids)
}

fn problem(request: &PersonRequest, key: &'static str) -> Fields {
    Fields::general(request.language().say(key))
}

/// Ends everything of an account that would go on without people: claims of pages, key requests, keys and webhooks. In this order, none of
/// them can create another one afterwards.
async fn disconnect(app: &Web, actor: &Actor, account: Uuid) -> Result<(), Fault> {
    app.listings.withdraw_claims(account).await?;
    app.gateway.withdraw_key_requests(actor, account).await?;
    // A list begins with the keys that work.
    loop {
        let keys = app.gateway.keys(account).await?.into_iter();
        let left: Vec<_> = keys.filter(|key| key.revoked_at.is_none()).collect();
        if left.is_empty() {
            break;
        }
        for key in left {
            app.gateway.revoke_key(actor, account, &key.id).await?;
        }
    }
    app.webhooks.remove_all(account).await
}

async fn page(request: &PersonRequest, state: FormState) -> PageResult {
    let language = request.language();
    let FormState { status, errors } = state;
    let text = ["delete-goes", "delete-accounts", "delete-stays"];
    let text = text.map(|key| language.say(key).to_owned());
    let closed = request.app.gateway.read_only().await;
    let password = Field::password("password", language.say("password-own"));
    let page = PersonFormPage {
        frame: Frame {
            closed: closed.map(|_| language.say("fault-closed")),
            ..request.viewer.frame()
        },
        heading: language.say("delete-title"),
        text: text.into(),
        action: "/you/delete",
        form: None,
        inputs: vec![password.error_in(&errors)],
        button: language.say("delete-button"),
        is_dangerous: true,
        back: "/you",
        errors,
    };
    Ok(html(status, &page))
}
