//! The link of an invitation to an account: a new person chooses a password, and anybody else accepts it signed in.

use axum::response::Response;
use pages::Language;
use pages::people::ConfirmLinkPage;
use uuid::Uuid;

use super::new_person::{self, NewMember};
use super::{Input, LinkRequest, PasswordForm};
use crate::app::Web;
use crate::domain::action::Action;
use crate::domain::role::Role;
use crate::domain::session_token::Token;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::render::{FormState, ok, see_other};
use crate::request::PersonRequest;
use crate::store::links::{self, LinkTarget};
use crate::store::{members, people};

const OTHER_PERSON: &str = "other-person-invite";

pub(super) async fn show(request: &LinkRequest, account: Uuid, role: Role) -> PageResult {
    let Some(person) = invited(request).await? else {
        return Ok(password_page(request, account, role, FormState::default()).await);
    };
    if let Err(elsewhere) = request.for_person(person, OTHER_PERSON) {
        return Ok(*elsewhere);
    }
    let texts = request.language.texts();
    let name = account_name(&request.app, request.language, account).await;
    Ok(ok(&ConfirmLinkPage {
        frame: request.account_frame().await,
        heading: texts.say_of("join-title", &name),
        text: texts.value("invite-role", role.as_str(), "").to_owned(),
        action: request.path(),
        button: texts.say("join-button"),
    }))
}

pub(super) async fn send(
    request: &LinkRequest,
    account: Uuid,
    role: Role,
    input: &Input,
) -> PageResult {
    if let Some(person) = invited(request).await? {
        return match request.for_person(person, OTHER_PERSON) {
            Ok(own) => join(request, &own, account, role).await,
            Err(elsewhere) => Ok(*elsewhere),
        };
    }
    // Ask the gateway first, so that no permit is held while it responds.
    request.app.gateway.admit_change().await?;
    let permit = match request.admit().await? {
        Ok(permit) => permit,
        Err(refused) => return Ok(password_page(request, account, role, refused).await),
    };
    let state = new_person::check(request, input);
    if !state.is_accepted() {
        return Ok(password_page(request, account, role, state).await);
    }
    let hash = permit.hash(&input.password).await?;
    let member = NewMember { person: kit::ids::row_id(), account, role, action: Action::Joined };
    new_person::insert(request, &member, &hash).await
}

async fn join(request: &LinkRequest, own: &PersonRequest, account: Uuid, role: Role) -> PageResult {
    let (app, person) = (&request.app, own.person());
    app.gateway.admit_change().await?;
    let mut transaction = kit::pg::begin(&app.pool).await?;
    // Without the lock, the only owner could be deleted at the same time, and the account would have a new member and no owner.
    members::lock(&mut transaction, account).await?;
    own.lock(&mut transaction).await?;
    request.consume(&mut transaction).await?;
    request.record_use(&mut transaction, person.id, Some(account)).await?;
    let memberships = members::of_person(&mut *transaction, person.id).await?;
    let is_member = memberships.iter().any(|it| it.account == account);
    if !is_member && memberships.len() >= members::MAX_ACCOUNTS {
        return Err(PageError::too_many_accounts(members::MAX_ACCOUNTS));
    }
    let now = app.clock.now();
    members::insert(&mut *transaction, account, person.id, role, now).await?;
    own.record_in_account(&mut *transaction, account, Action::Joined, role.as_str()).await?;
    transaction.commit().await?;
    Ok(see_other(&format!("/accounts/{account}")))
}

/// The person whom the invitation is for; `None`: a new one.
async fn invited(request: &LinkRequest) -> Result<Option<Uuid>, sqlx::Error> {
    if request.link.invited.is_some() {
        return Ok(request.link.invited);
    }
    let found = people::by_email(&request.app.pool, &request.link.email).await?;
    Ok(found.map(|person| person.id))
}

async fn password_page(
    request: &LinkRequest,
    account: Uuid,
    role: Role,
    state: FormState,
) -> Response {
    let texts = request.language.texts();
    let name = account_name(&request.app, request.language, account).await;
    let role = texts.value("invite-role", role.as_str(), "");
    let form = PasswordForm {
        frame: request.account_frame().await,
        heading: texts.say_of("join-title", &name),
        text: texts.say_of("join-text", role),
        button: texts.say("join-button"),
        account_name: None,
        person: None,
    };
    request.password_page(form, state)
}

/// What the sign-in page says about the invitation that it leads to.
#[derive(Debug, Default)]
pub(in crate::people) struct Invitation {
    /// The address to sign in with; empty if the invited person has another one now.
    pub(in crate::people) email: String,
    pub(in crate::people) text: String,
}

/// The invitation at a path of this site, if there is one.
pub(in crate::people) async fn invitation(
    app: &Web,
    language: PageLanguage,
    path: &str,
) -> Result<Option<Invitation>, sqlx::Error> {
    let (_, path) = Language::split(path);
    let Some(token) = path.strip_prefix("/link/").and_then(Token::parse) else {
        return Ok(None);
    };
    let Some(link) = links::find(&app.pool, token.hash(), app.clock.now()).await? else {
        return Ok(None);
    };
    let LinkTarget::Invite { account, .. } = link.target else {
        return Ok(None);
    };
    let name = account_name(app, language, account).await;
    let (key, email) = if link.invited.is_none() {
        ("invitation-reason", link.email.clone())
    } else {
        ("invitation-reason-moved", String::new())
    };
    let text = language.texts().say_of_two(key, &name, &link.email);
    Ok(Some(Invitation { email, text }))
}

async fn account_name(app: &Web, language: PageLanguage, account: Uuid) -> String {
    let name = app.gateway.account_name(account).await;
    name.unwrap_or_else(|| language.say("the-account").to_owned())
}
