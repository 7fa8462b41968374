//! The team of an account: members, roles and invitations.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use kit::{Code, Fault};
use pages::teams::{InviteRow, MemberRow, TeamPage};
use pages::{Field, Fields, when};
use serde::Deserialize;
use sqlx::{Postgres, Transaction};
use uuid::Uuid;

use super::{record, shell};
use crate::app::{App, Web};
use crate::contact_address;
use crate::domain::email;
use crate::domain::role::{Permission, Role};
use crate::form_body::FormBody;
use crate::jobs::revoke_tokens;
use crate::once_form::{self, OnceError, OnceForm};
use crate::page_error::{PageError, PageResult};
use crate::people::link_mail::send_link;
use crate::render::{form_errors, html, see_other};
use crate::session::limits;
use crate::session::once;
use crate::store::links::{self, Link, LinkTarget};
use crate::store::members::{self, MemberChange};
use crate::store::{people, token_revocations};
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

/// The most members and invitations of an account.
const MAX_TEAM: usize = 100;

#[derive(Debug, Default, Deserialize)]
pub struct InviteForm {
    #[serde(default)]
    email: String,
    #[serde(default)]
    role: String,
}

#[derive(Debug, Deserialize)]
pub struct RoleForm {
    #[serde(default)]
    role: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
) -> PageResult {
    let (form, errors) = (InviteForm::default(), Fields::default());
    page(&app, &viewer, &scope, (StatusCode::OK, &form, errors)).await
}

pub async fn invite(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    OnceForm(form, sent): OnceForm<InviteForm>,
) -> PageResult {
    let now = app.clock.now();
    if let Err(closed) = app.gateway.admit_change().await {
        let (status, errors) = form_errors(&closed, &[], &[]);
        return page(&app, &viewer, &scope, (status, &form, errors)).await;
    }
    let members = members::of_account(&app.pool, scope.id).await?;
    let invited = links::invitations(&app.pool, scope.id, now).await?;
    let mut errors = Fields::default();
    let address = email::parse(&form.email);
    match &address {
        Err(problem) => errors.add("email", *problem),
        Ok(address) if members.iter().any(|member| member.email == *address) => {
            errors.add("email", "This person is in the team already.");
        }
        Ok(_) if members.len() + invited.len() >= MAX_TEAM => {
            errors.add(
                "email",
                format!("A team has at most {MAX_TEAM} people and invitations."),
            );
        }
        Ok(_) => {}
    }
    let role = Role::parse(&form.role);
    if role.is_none() {
        errors.add("role", "Choose a role.");
    }
    let (Ok(address), Some(role), true) = (address, role, errors.is_empty()) else {
        let refused = (StatusCode::UNPROCESSABLE_ENTITY, &form, errors);
        return page(&app, &viewer, &scope, refused).await;
    };
    let work = async {
        let network = client.network();
        for (limit, subject) in [(limits::MAILS_TO, &address), (limits::MAILS_FROM, &network)] {
            if let Err(reached) = app.limits.count(limit, subject, now).await? {
                let text = reached.too_many("mails");
                return Err(Fault::new(Code::RateLimited, text).into());
            }
        }
        Ok(mail_invitation(&app, (&viewer, &client), &scope, (&address, role)).await?)
    };
    match once_form::run(&app, &viewer, &sent, &path(&scope), work).await {
        Ok(()) => Ok(back(&scope)),
        Err(OnceError::Refused(fault)) => {
            let (status, errors) = form_errors(&fault, &[], &[]);
            page(&app, &viewer, &scope, (status, &form, errors)).await
        }
        Err(OnceError::Page(error)) => Err(error),
    }
}

async fn mail_invitation(
    web: &Web,
    (viewer, client): (&Viewer, &ClientInfo),
    scope: &AccountScope,
    (address, role): (&str, Role),
) -> Result<(), PageError> {
    let now = web.clock.now();
    let mut transaction = begin_change(web, viewer, scope, Permission::Manage).await?;
    // A second invitation replaces the first.
    let invited = links::invitations(&mut *transaction, scope.id, now).await?;
    for old in invited.iter().filter(|old| old.email == address) {
        links::withdraw(&mut *transaction, scope.id, old.id).await?;
    }
    let target = LinkTarget::Invite {
        by: viewer.person.id,
        account: scope.id,
        role,
    };
    let reason = format!(
        "{} invites you to an account at Mchezo, as {}. Open this page to join:",
        viewer.person.email,
        role.as_str()
    );
    let words = ("An invitation to Mchezo", reason.as_str());
    send_link(&mut transaction, web, address, &target, words).await?;
    let what = ("invited", address);
    record(&mut *transaction, (viewer, client), scope, what, now).await?;
    transaction.commit().await?;
    Ok(())
}

pub async fn withdraw(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, invite)): Path<(Uuid, Uuid)>,
) -> PageResult {
    let now = app.clock.now();
    let mut transaction = begin_change(&app, &viewer, &scope, Permission::Manage).await?;
    let email = links::withdraw(&mut *transaction, scope.id, invite).await?;
    let email = email.ok_or_else(PageError::not_found)?;
    let what = ("invite_withdrawn", email.as_str());
    record(&mut *transaction, (&viewer, &client), &scope, what, now).await?;
    transaction.commit().await?;
    Ok(back(&scope))
}

pub async fn change_role(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, person)): Path<(Uuid, Uuid)>,
    FormBody(form): FormBody<RoleForm>,
) -> PageResult {
    let Some(role) = Role::parse(&form.role) else {
        let (form, errors) = (InviteForm::default(), Fields::general("Choose a role."));
        let refused = (StatusCode::UNPROCESSABLE_ENTITY, &form, errors);
        return page(&app, &viewer, &scope, refused).await;
    };
    change(&app, (&viewer, &client), &scope, person, Some(role)).await
}

pub async fn remove(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, person)): Path<(Uuid, Uuid)>,
) -> PageResult {
    change(&app, (&viewer, &client), &scope, person, None).await
}

pub async fn leave(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
) -> PageResult {
    let person = viewer.person.id;
    change(&app, (&viewer, &client), &scope, person, None).await
}

/// Begins a change of the team, and reads the person's role again: another owner may have changed the role after the access layer checked
/// it. The lock keeps roles from changing until the transaction ends.
async fn begin_change(
    web: &Web,
    viewer: &Viewer,
    scope: &AccountScope,
    needed: Permission,
) -> Result<Transaction<'static, Postgres>, PageError> {
    let mut transaction = web.pool.begin().await?;
    members::lock(&mut transaction, scope.id).await?;
    let role = members::role(&mut *transaction, scope.id, viewer.person.id).await?;
    let role = role.ok_or_else(PageError::not_found)?;
    if !role.may(needed) {
        return Err(PageError::forbidden(needed.holders()));
    }
    Ok(transaction)
}

/// Changes the role of a member, or removes the member.
async fn change(
    web: &Web,
    (viewer, client): (&Viewer, &ClientInfo),
    scope: &AccountScope,
    person: Uuid,
    role: Option<Role>,
) -> PageResult {
    let now = web.clock.now();
    let changed = people::by_id(&web.pool, person).await?;
    let email = changed.ok_or_else(PageError::not_found)?.email;
    let is_self = person == viewer.person.id;
    let needed = match role {
        // Everybody may leave.
        None if is_self => Permission::Read,
        _ => Permission::Manage,
    };
    let mut transaction = begin_change(web, viewer, scope, needed).await?;
    match members::set_role(&mut transaction, scope.id, person, role).await? {
        MemberChange::Changed => {}
        MemberChange::NotFound => return Err(PageError::not_found()),
        MemberChange::LastOwner => {
            let text = "An account keeps at least one owner: make another person an owner first.";
            let (form, errors) = (InviteForm::default(), Fields::general(text));
            let refused = (StatusCode::UNPROCESSABLE_ENTITY, &form, errors);
            return page(web, viewer, scope, refused).await;
        }
    }
    // A person who may no longer invite could come back with an open invitation, so remove these.
    if role.is_none_or(|role| !role.may(Permission::Manage)) {
        links::remove_invitations_by(&mut *transaction, scope.id, person).await?;
    }
    // Likewise, revoke the tokens of a person who may no longer make tokens.
    if role.is_none_or(|role| !role.may(Permission::Develop)) {
        let actor = viewer.actor(client);
        token_revocations::insert(&mut *transaction, scope.id, person, &actor).await?;
    }
    let named = role.map_or_else(
        || email.clone(),
        |role| format!("{email}, {}", role.as_str()),
    );
    let action = match role {
        Some(_) => "role_changed",
        None if is_self => "left",
        None => "member_removed",
    };
    record(
        &mut *transaction,
        (viewer, client),
        scope,
        (action, &named),
        now,
    )
    .await?;
    transaction.commit().await?;
    revoke_tokens::run_now(web).await;
    if role.is_none() {
        contact_address::replace(web, &viewer.actor(client), scope.id, &email, None).await;
    }
    Ok(if is_self && role.is_none() {
        see_other("/accounts")
    } else {
        back(scope)
    })
}

fn back(scope: &AccountScope) -> Response {
    see_other(&path(scope))
}

fn path(scope: &AccountScope) -> String {
    format!("/accounts/{}/team", scope.id)
}

async fn page(
    web: &Web,
    viewer: &Viewer,
    scope: &AccountScope,
    (status, form, errors): (StatusCode, &InviteForm, Fields),
) -> PageResult {
    let now = web.clock.now();
    let members = members::of_account(&web.pool, scope.id).await?.into_iter();
    let members = members.map(|member| MemberRow {
        person: member.person.to_string(),
        email: member.email,
        role: member.role.as_str(),
        since: when::day(member.since),
        is_you: member.person == viewer.person.id,
    });
    let invites = links::invitations(&web.pool, scope.id, now).await?;
    let email = Field::email("email", "E-mail")
        .autocomplete("off")
        .value(&form.email);
    let role = if form.role.is_empty() {
        "developer"
    } else {
        &form.role
    };
    let page = TeamPage {
        shell: shell(web, viewer, scope, Section::Team).await,
        id: scope.id.to_string(),
        members: members.collect(),
        invites: invites.iter().filter_map(invite_row).collect(),
        email: email.error_in(&errors),
        form: once::new_id(),
        role: role.to_owned(),
        is_owner: scope.role.may(Permission::Manage),
        errors,
    };
    Ok(html(status, &page))
}

fn invite_row(link: &Link) -> Option<InviteRow> {
    let LinkTarget::Invite { role, .. } = &link.target else {
        return None;
    };
    Some(InviteRow {
        id: link.id.to_string(),
        email: link.email.clone(),
        role: role.as_str(),
        until: when::minute(link.expires_at),
    })
}
