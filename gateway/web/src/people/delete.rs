//! The end of a person here: what goes and what stays is said before.

use axum::Extension;
use axum::extract::State;
use http::header::SET_COOKIE;
use kit::Fault;
use pages::people::PersonFormPage;
use pages::{Field, Fields};
use serde::Deserialize;
use uuid::Uuid;

use super::link_mail::inform;
use super::record;
use super::totp::confirm_password;
use crate::account::contact_address;
use crate::app::{App, Web};
use crate::domain::role::Role;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::render::{form_errors, html, ok, refused, see_other};
use crate::store::members::{self, MemberChange};
use crate::store::people;
use crate::viewer::{ClientInfo, Viewer};

#[derive(Debug, Deserialize)]
pub struct Input {
    #[serde(default)]
    password: String,
}

pub async fn show(Extension(viewer): Extension<Viewer>) -> PageResult {
    Ok(ok(&page(&viewer, Fields::default())))
}

pub async fn send(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    FormBody(form): FormBody<Input>,
) -> PageResult {
    let (now, person) = (app.clock.now(), &viewer.person);
    if let Err(text) = confirm_password(&app, &viewer, &form.password).await? {
        return Ok(refused(&page(&viewer, Fields::one("password", text))));
    }
    let alone = match accounts_of_one(&app, person.id).await? {
        Ok(alone) => alone,
        Err(errors) => return Ok(refused(&page(&viewer, errors))),
    };
    // First what other services have: if one is away, nothing is gone, and the form can be sent again.
    for account in &alone {
        if let Err(fault) = disconnect(&app, &viewer, &client, *account).await {
            let (status, errors) = form_errors(&fault, &[], &[]);
            return Ok(html(status, &page(&viewer, errors)));
        }
    }
    let mut transaction = app.pool.begin().await?;
    let memberships = members::of_person(&mut *transaction, person.id).await?;
    for membership in &memberships {
        let removed = members::set_role(&mut transaction, membership.account, person.id, None);
        // Another owner has left meanwhile.
        if removed.await? == MemberChange::LastOwner && !alone.contains(&membership.account) {
            return Ok(refused(&page(&viewer, last_owner())));
        }
    }
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
    let actor = viewer.actor(&client);
    for account in memberships.iter().map(|it| it.account) {
        contact_address::replace(&app, &actor, account, &person.email, None).await;
    }
    app.sessions.end_of(person.id, viewer.token.hash()).await?;
    let mut response = see_other("/?done=deleted");
    if let Some(cookie) = app.cookie.clear() {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// The accounts whose only member this person is; or why the person must stay.
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

fn last_owner() -> Fields {
    Fields::general(
        "You are the last owner of an account with other members. Make one of them an owner first, on its page `Team`.",
    )
}

/// Revokes the keys of an account, and removes the addresses of its webhooks.
async fn disconnect(
    web: &Web,
    viewer: &Viewer,
    client: &ClientInfo,
    account: Uuid,
) -> Result<(), Fault> {
    let actor = viewer.actor(client);
    for key in web.gateway.keys(account).await? {
        if key.revoked_at.is_none() {
            web.gateway.revoke_key(&actor, account, &key.id).await?;
        }
    }
    web.webhooks.remove_all(account).await
}

fn page(viewer: &Viewer, errors: Fields) -> PersonFormPage {
    let text = [
        "This goes: your address, password and second factor, your sessions, and your membership of accounts.",
        "In an account whose only member you are, every key is revoked, every webhook is removed, and nobody can open it any more.",
        "This stays: what the account has published, which belongs to its pages, and the activity of its team with your address, for a year.",
    ];
    PersonFormPage {
        shell: viewer.shell(),
        heading: "Delete yourself",
        text: text.map(ToOwned::to_owned).into(),
        action: "/you/delete",
        inputs: vec![Field::password("password", "Your password").error_in(&errors)],
        button: "Delete me",
        is_dangerous: true,
        errors,
    }
}
