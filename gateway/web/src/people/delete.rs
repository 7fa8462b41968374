//! Deletes a person. The page says what is deleted and what stays.

use axum::Extension;
use axum::extract::State;
use http::header::SET_COOKIE;
use kit::Fault;
use pages::people::PersonFormPage;
use pages::{Field, Fields, Shell};
use serde::Deserialize;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::confirmation::confirm_password;
use super::link_mail::inform;
use super::{record, sign_in_again};
use crate::app::{App, Web};
use crate::contact_address;
use crate::domain::role::Role;
use crate::form_body::FormBody;
use crate::jobs::revoke_tokens;
use crate::page_error::{PageError, PageResult};
use crate::render::{form_errors, html, ok, refused, see_other};
use crate::store::activity::{self, NewEntry};
use crate::store::{closed_accounts, members, people, token_revocations};
use crate::upstream::gateway::Actor;
use crate::viewer::{ClientInfo, Viewer};

#[derive(Debug, Deserialize)]
pub struct Input {
    #[serde(default)]
    password: String,
}

pub async fn show(State(app): State<App>, Extension(viewer): Extension<Viewer>) -> PageResult {
    Ok(ok(&page(&app, &viewer, Fields::default()).await))
}

pub async fn send(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    FormBody(form): FormBody<Input>,
) -> PageResult {
    let (now, person) = (app.clock.now(), &viewer.person);
    // The deletion revokes keys and removes webhooks.
    if let Err(closed) = app.gateway.admit_change().await {
        return failed(&app, &viewer, &closed).await;
    }
    if let Err(text) = confirm_password(&app, &viewer, &form.password).await? {
        let errors = Fields::one("password", text);
        return Ok(refused(&page(&app, &viewer, errors).await));
    }
    let alone = match accounts_of_one(&app, person.id).await? {
        Ok(alone) => alone,
        Err(errors) => return Ok(refused(&page(&app, &viewer, errors).await)),
    };
    // Begin with the data at other services: if one is away, the person still exists and can send the form again.
    let actor = viewer.actor(&client);
    for account in &alone {
        if let Err(fault) = disconnect(&app, &actor, *account).await {
            return failed(&app, &viewer, &fault).await;
        }
    }
    let mut transaction = app.pool.begin().await?;
    let left = leave_accounts(&mut transaction, (&viewer, &client), &alone, now).await?;
    let accounts = match left {
        Ok(accounts) => accounts,
        Err(errors) => {
            drop(transaction);
            return Ok(refused(&page(&app, &viewer, errors).await));
        }
    };
    record(&mut *transaction, person, &client, "person_deleted", now).await?;
    people::remove(&mut *transaction, person.id).await?;
    let text = "You are deleted at Mchezo, as you asked.\n";
    inform(
        &mut transaction,
        &person.email,
        "You are deleted",
        text,
        now,
    )
    .await?;
    transaction.commit().await?;
    revoke_tokens::run_now(&app).await;
    for account in accounts {
        contact_address::replace(&app, &actor, account, &person.email, None).await;
    }
    app.sessions.end_of(person.id, viewer.token.hash()).await?;
    app.sessions.forget_networks(person.id).await?;
    let mut response = see_other("/?done=deleted");
    if let Some(cookie) = app.cookie.clear() {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Shows the page again, because a service is away or the site is read-only.
async fn failed(web: &Web, viewer: &Viewer, fault: &Fault) -> PageResult {
    let (status, errors) = form_errors(fault, &[], &[]);
    Ok(html(status, &page(web, viewer, errors).await))
}

/// The accounts whose only member this person is, or the reason why the person cannot leave. Both may change before [`leave_accounts`]
/// locks the accounts.
async fn accounts_of_one(
    web: &Web,
    person: Uuid,
) -> Result<Result<Vec<Uuid>, Fields>, sqlx::Error> {
    let mut alone = Vec::new();
    for membership in members::of_person(&web.pool, person).await? {
        let all = members::of_account(&web.pool, membership.account).await?;
        let others = all.iter().filter(|member| member.person != person);
        let has_owner = others.clone().any(|member| member.role == Role::Owner);
        match (others.count(), has_owner) {
            (0, _) => alone.push(membership.account),
            (_, true) => {}
            (_, false) => return Ok(Err(last_owner())),
        }
    }
    Ok(Ok(alone))
}

/// Locks the person and the person's accounts, and ends the memberships. Closes the accounts that have no other member; each of the others
/// keeps an owner. The accounts in `disconnected` have nothing left at other services. Returns the accounts.
async fn leave_accounts(
    connection: &mut PgConnection,
    (viewer, client): (&Viewer, &ClientInfo),
    disconnected: &[Uuid],
    now: OffsetDateTime,
) -> Result<Result<Vec<Uuid>, Fields>, PageError> {
    let person = &viewer.person;
    // Lock the accounts in one order, so that two people who leave the same accounts at once do not deadlock.
    let accounts = account_ids(&mut *connection, person.id).await?;
    for account in &accounts {
        members::lock(connection, *account).await?;
    }
    if !people::lock(&mut *connection, person).await? {
        return Err(sign_in_again());
    }
    if account_ids(&mut *connection, person.id).await? != accounts {
        return Ok(Err(accounts_changed()));
    }
    let actor = viewer.actor(client);
    for &account in &accounts {
        let mut others = members::of_account(&mut *connection, account).await?;
        others.retain(|member| member.person != person.id);
        if others.is_empty() {
            if !disconnected.contains(&account) {
                return Ok(Err(accounts_changed()));
            }
            closed_accounts::insert(&mut *connection, account, now).await?;
        } else if others.iter().any(|member| member.role == Role::Owner) {
            token_revocations::insert(&mut *connection, account, person.id, &actor).await?;
        } else {
            return Ok(Err(last_owner()));
        }
        let entry = NewEntry {
            account: Some(account),
            person: person.id,
            email: &person.email,
            action: "left",
            subject: &person.email,
            address: &client.address(),
            agent: &client.agent,
        };
        activity::insert(&mut *connection, entry, now).await?;
    }
    Ok(Ok(accounts))
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

fn last_owner() -> Fields {
    Fields::general(
        "You are the last owner of an account with other members. Make one of them an owner first, on its page `Team`.",
    )
}

fn accounts_changed() -> Fields {
    Fields::general("The members of one of your accounts have just changed. Send the form again.")
}

/// Ends everything of an account that would go on without people: tokens, key requests, keys and webhooks. In this order, none of them can
/// create another one afterwards.
async fn disconnect(web: &Web, actor: &Actor, account: Uuid) -> Result<(), Fault> {
    for token in web.gateway.tokens(account).await? {
        if token.revoked_at.is_none() {
            web.gateway.revoke_token(actor, account, &token.id).await?;
        }
    }
    web.gateway.withdraw_key_requests(actor, account).await?;
    for key in web.gateway.keys(account).await? {
        if key.revoked_at.is_none() {
            web.gateway.revoke_key(actor, account, &key.id).await?;
        }
    }
    web.webhooks.remove_all(account).await
}

async fn page(web: &Web, viewer: &Viewer, errors: Fields) -> PersonFormPage {
    let text = [
        "This goes: your address, password and second factor, your sessions, and your membership of accounts.",
        "In an account whose only member you are, every token and every key is revoked, every request for a key is withdrawn, every webhook is removed, and nobody can open it any more. In the others, the tokens that you made are revoked.",
        "This stays: what the account has published, which belongs to its pages, and the activity of its team and your own with your address, for a year.",
    ];
    PersonFormPage {
        shell: Shell {
            closed: web.gateway.read_only().await,
            ..viewer.shell()
        },
        heading: "Delete yourself",
        text: text.map(ToOwned::to_owned).into(),
        action: "/you/delete",
        inputs: vec![Field::password("password", "Your password").error_in(&errors)],
        button: "Delete me",
        is_dangerous: true,
        errors,
    }
}
