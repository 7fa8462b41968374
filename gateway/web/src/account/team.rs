//! The team of an account: members, roles and invitations.

use axum::extract::Path;
use axum::response::Response;
use http::StatusCode;
use pages::mails::MailText;
use pages::teams::{InviteRow, MemberRow, TeamPage};
use pages::{Field, Fields, Language, when};
use serde::Deserialize;
use sqlx::{Postgres, Transaction};
use uuid::Uuid;

use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::email;
use crate::domain::link::Purpose;
use crate::domain::role::{Permission, Role};
use crate::english::{say, say_of, texts};
use crate::form_body::FormBody;
use crate::membership::{self, RemovedMember};
use crate::notice::AfterForm;
use crate::once_form::{self, OnceForm};
use crate::page_error::{PageError, PageResult};
use crate::people::link_mail::{LinkMail, send_link};
use crate::person_mail::{self, Reader};
use crate::render::{FormState, html, see_other};
use crate::request::Section;
use crate::seen_secrets;
use crate::store::activity;
use crate::store::links::{self, Link, LinkTarget};
use crate::store::members::{self, Member, MemberChange};
use crate::store::people;
use crate::url_query::UrlQuery;

/// The most members and invitations of an account.
pub(crate) const MAX_TEAM: usize = 100;
const TEAM: &str = "/team";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct InviteForm {
    email: String,
    role: String,
}

#[derive(Debug, Deserialize)]
pub struct RoleForm {
    #[serde(default)]
    role: String,
}

pub async fn show(request: MemberRequest, UrlQuery(after): UrlQuery<AfterForm>) -> PageResult {
    let (form, state) = (InviteForm::default(), FormState::default());
    page(&request, after.notice(), &form, state).await
}

pub async fn invite(
    request: MemberRequest,
    OnceForm(form, sent): OnceForm<InviteForm>,
) -> PageResult {
    let (app, account, now) = (&request.app, request.scope.id, request.app.clock.now());
    let members = members::of_account(&app.pool, account).await?;
    let invited = links::invitations(&app.pool, account, now).await?;
    let mut errors = Fields::default();
    let address = email::parse(&form.email);
    match &address {
        Err(_) => errors.add("email", say("email-invalid")),
        Ok(address) if members.iter().any(|member| member.email == *address) => {
            errors.add("email", say("team-is-member"));
        }
        Ok(address) if is_full(&members, &invited, address) => {
            errors.add("email", full());
        }
        Ok(_) => {}
    }
    let role: Option<Role> = form.role.parse().ok();
    if role.is_none() {
        errors.add("role", say("team-choose-role"));
    }
    let (Ok(address), Some(role), true) = (address, role, errors.is_empty()) else {
        return page(&request, None, &form, FormState::invalid(errors)).await;
    };
    let (mail, person) = ((Purpose::Invite, address.as_str()), request.person().id);
    let counted = app.admission.mail_of_person(&request.client, person, mail, now);
    if let Err(reached) = counted.await? {
        let fault = reached.too_many_in(Language::English, "limit-mails");
        return page(&request, None, &form, FormState::refused_here(&fault)).await;
    }
    if !mail_invitation(&request, sent, &address, role).await? {
        let refused = FormState::invalid(Fields::one("email", full()));
        return page(&request, None, &form, refused).await;
    }
    Ok(back(&request))
}

/// Whether the team has no room for the person with this address. A second invitation replaces the first.
pub(crate) fn is_full(members: &[Member], invited: &[Link], address: &str) -> bool {
    let others = invited.iter().filter(|it| it.email != address);
    members.len() + others.count() >= MAX_TEAM
}

fn full() -> String {
    say_of("team-most", &MAX_TEAM.to_string())
}

/// Stores an invitation and its mail. False if other forms have filled the team since the first check. The form's id is that of the
/// invitation: a form that is sent twice invites once.
async fn mail_invitation(
    request: &MemberRequest,
    form: Uuid,
    address: &str,
    role: Role,
) -> Result<bool, PageError> {
    let (app, account, inviter) = (&request.app, request.scope.id, request.person());
    let id = once_form::id_in(account, form);
    let mut transaction = begin_change(request, Permission::Manage).await?;
    let invited = links::invitations(&mut *transaction, account, app.clock.now()).await?;
    if invited.iter().any(|link| link.id == id) {
        return Ok(true);
    }
    let members = members::of_account(&mut *transaction, account).await?;
    if is_full(&members, &invited, address) {
        return Ok(false);
    }
    for old in invited.iter().filter(|old| old.email == address) {
        links::withdraw(&mut *transaction, account, old.id).await?;
    }
    let invited_person = people::by_email(&mut *transaction, address).await?;
    let key = format!("invite-{}", role.as_str());
    let mail = LinkMail {
        id,
        address,
        target: LinkTarget::Invite { by: Some(inviter.id), account, role },
        requested_from: None,
        next: None,
        // A new person gets the mail in the language of the inviter.
        language: invited_person.as_ref().unwrap_or(inviter).language(),
        text: MailText::new(&key).with("inviter", inviter.email.as_str()),
    };
    send_link(&mut transaction, app, mail).await?;
    request.record_in(&mut *transaction, Action::Invited, address).await?;
    transaction.commit().await?;
    Ok(true)
}

pub async fn withdraw(request: MemberRequest, Path((_, invite)): Path<(Uuid, Uuid)>) -> PageResult {
    let mut transaction = begin_change(&request, Permission::Manage).await?;
    // A form that is sent again finds no invitation, and there is nothing to do.
    let withdrawn = links::withdraw(&mut *transaction, request.scope.id, invite).await?;
    if let Some(email) = withdrawn {
        request.record_in(&mut *transaction, Action::InviteWithdrawn, &email).await?;
        transaction.commit().await?;
    }
    Ok(back(&request))
}

pub async fn change_role(
    request: MemberRequest,
    Path((_, person)): Path<(Uuid, Uuid)>,
    FormBody(form): FormBody<RoleForm>,
) -> PageResult {
    match form.role.parse() {
        Ok(role) => change(&request, person, Some(role)).await,
        Err(_unknown) => refused(&request, "team-choose-role").await,
    }
}

pub async fn remove(request: MemberRequest, Path((_, person)): Path<(Uuid, Uuid)>) -> PageResult {
    change(&request, person, None).await
}

pub async fn leave(request: MemberRequest) -> PageResult {
    let (account, person) = (request.scope.id, request.person().id);
    match change(&request, person, None).await {
        // The same form, sent twice, has ended the membership meanwhile.
        Err(error) if error.status == StatusCode::NOT_FOUND => {
            let has_left =
                activity::has_done(&request.app.pool, account, person, Action::Left).await?;
            if has_left { Ok(see_other("/accounts")) } else { Err(error) }
        }
        answer => answer,
    }
}

/// Begins a change of the team, and reads the person's role again: another owner may have changed the role after the access layer checked
/// it. The lock keeps roles from changing until the transaction ends.
pub(super) async fn begin_change(
    request: &MemberRequest,
    needed: Permission,
) -> Result<Transaction<'static, Postgres>, PageError> {
    let (account, person) = (request.scope.id, request.person().id);
    let mut transaction = kit::pg::begin(&request.app.pool).await?;
    members::lock(&mut transaction, account).await?;
    let role = members::role(&mut *transaction, account, person)
        .await?
        .ok_or_else(PageError::not_found)?;
    if !role.may(needed) {
        return Err(PageError::forbidden(needed));
    }
    Ok(transaction)
}

/// Changes the role of a member, or removes the member.
async fn change(request: &MemberRequest, person: Uuid, role: Option<Role>) -> PageResult {
    let (app, account) = (&request.app, request.scope.id);
    let Some(changed) = people::by_id(&app.pool, person).await? else {
        return if role.is_none() { Ok(back(request)) } else { Err(PageError::not_found()) };
    };
    let is_self = person == request.person().id;
    let needed = match role {
        // Everybody may leave.
        None if is_self => Permission::Read,
        _ => Permission::Manage,
    };
    let may_develop = |role: Option<Role>| role.is_some_and(|role| role.may(Permission::Develop));
    let old = members::role(&app.pool, account, person).await?;
    // The calls hold no connection of the pool.
    let seen = if may_develop(old) && !may_develop(role) {
        seen_secrets::mail_to_owners(app, account, &changed).await
    } else {
        None
    };
    let mut transaction = begin_change(request, needed).await?;
    match members::set_role(&mut transaction, account, person, role).await? {
        MemberChange::Changed => {}
        // Nobody has to be removed: the form was sent before, or another owner has done it.
        MemberChange::NotFound if role.is_none() => return Ok(back(request)),
        MemberChange::NotFound => return Err(PageError::not_found()),
        MemberChange::LastOwner => {
            // The page reads with other connections, and waits for the gateway. Such requests must not hold all connections of the pool.
            transaction.rollback().await?;
            return refused(request, "team-last-owner").await;
        }
    }
    let action = match role {
        Some(_) => Action::RoleChanged,
        None if is_self => Action::Left,
        None => Action::MemberRemoved,
    };
    if let Some(role) = role {
        // The invitations of somebody who was an owner would lead back to that role.
        if !role.may(Permission::Manage) {
            links::remove_invitations_by(&mut *transaction, account, person).await?;
        }
        let subject = format!("{}, {}", changed.email, role.as_str());
        request.record_in(&mut *transaction, action, &subject).await?;
        membership::tell_owners(&mut transaction, request, account, seen).await?;
    } else {
        let removed = RemovedMember { account, person: &changed, action, seen };
        membership::end(&mut transaction, request, removed).await?;
    }
    if action == Action::MemberRemoved && changed.wants_notices {
        let text = MailText::new("removed")
            .with("by", request.person().email.as_str())
            .with("page", format!("{}/accounts", app.public_url));
        let (reader, now) = (Reader::from_person(&changed), app.clock.now());
        person_mail::queue_notice(&mut transaction, reader, &text, &app.public_url, now).await?;
    }
    transaction.commit().await?;
    Ok(match action {
        Action::Left => see_other("/accounts"),
        _ => back(request),
    })
}

fn back(request: &MemberRequest) -> Response {
    see_other(&request.path(TEAM))
}

/// The page with a reason above the form; `reason` is the key of its text.
async fn refused(request: &MemberRequest, reason: &'static str) -> PageResult {
    let refused = FormState::invalid(Fields::general(say(reason)));
    page(request, None, &InviteForm::default(), refused).await
}

async fn page(
    request: &MemberRequest,
    notice: Option<&'static str>,
    form: &InviteForm,
    state: FormState,
) -> PageResult {
    let FormState { status, errors } = state;
    let (app, account) = (&request.app, request.scope.id);
    let members = members::of_account(&app.pool, account).await?;
    let is_owner = request.may(Permission::Manage);
    let (former, is_known) = if is_owner {
        seen_secrets::of_former_members(app, account, &members).await?
    } else {
        (Vec::new(), true)
    };
    let members = members.into_iter().map(|member| MemberRow {
        person: member.person.to_string(),
        email: member.email,
        role: member.role.as_str(),
        role_text: say(member.role.key()),
        since: when::day(texts(), member.since),
        is_you: member.person == request.person().id,
    });
    let invites = links::invitations(&app.pool, account, app.clock.now()).await?;
    let email = Field::email("email", say("email-label")).autocomplete("on").value(&form.email);
    let role = if form.role.is_empty() { "developer" } else { &form.role };
    let mut frame = request.frame(Section::Team).await;
    frame.notice = notice;
    let page = TeamPage {
        frame,
        former,
        is_former_unknown: !is_known,
        id: account.to_string(),
        members: members.collect(),
        invites: invites.iter().filter_map(invite_row).collect(),
        email: email.error_in(&errors),
        form: once_form::new_id(),
        role: role.to_owned(),
        is_owner,
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
        role: say(role.key()),
        until: texts().minute(link.expires_at),
    })
}
