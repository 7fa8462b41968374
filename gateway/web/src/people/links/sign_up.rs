//! The link of a mail to a new address: its visitor makes an account and becomes its owner.

use axum::response::Response;
use pages::Field;

use super::new_person::{self, NewMember};
use super::{Input, LinkRequest, PasswordForm};
use crate::domain::account_name;
use crate::domain::action::Action;
use crate::domain::link::Purpose;
use crate::domain::role::Role;
use crate::page_error::{PageError, PageResult};
use crate::render::FormState;
use crate::store::{members, people};
use crate::upstream::gateway::Actor;

pub(super) async fn show(request: &LinkRequest) -> PageResult {
    check(request).await?;
    Ok(page(request, "", FormState::default()).await)
}

pub(super) async fn send(request: &LinkRequest, input: &Input) -> PageResult {
    check(request).await?;
    // Ask the gateway first, so that no permit is held while it responds.
    request.app.gateway.admit_change().await?;
    let permit = match request.admit().await? {
        Ok(permit) => permit,
        Err(refused) => return Ok(page(request, &input.account_name, refused).await),
    };
    let mut state = new_person::check(request, input);
    if let Err(problem) = account_name::check(&input.account_name) {
        state.add("account_name", request.language.say(problem));
    }
    if !state.is_accepted() {
        return Ok(page(request, &input.account_name, state).await);
    }
    let hash = permit.hash(&input.password).await?;
    let person = kit::ids::row_id();
    // Make the account first, with the id of the link. If the gateway is unavailable, the link is still valid, and makes the same account
    // when it is used again.
    let account = request.link.id;
    let actor = Actor { person, address: request.client.address() };
    let gateway = &request.app.gateway;
    gateway.create_account(&actor, account, &input.account_name).await?;
    let member = NewMember { person, account, role: Role::Owner, action: Action::AccountCreated };
    let made = new_person::insert(request, &member, &hash).await;
    // Another link has made the person since the check: nobody would ever open this account.
    if made.is_err() && check(request).await.is_err() {
        let members = members::of_account(&request.app.pool, account).await?;
        if members.is_empty() {
            gateway.close_account(&actor, account).await?;
        }
    }
    made
}

/// The link works until its address belongs to a person.
async fn check(request: &LinkRequest) -> Result<(), PageError> {
    let known = people::by_email(&request.app.pool, &request.link.email).await?;
    known.map_or(Ok(()), |_person| Err(PageError::link_used(Purpose::SignUp)))
}

async fn page(request: &LinkRequest, typed_name: &str, state: FormState) -> Response {
    let texts = request.language.texts();
    let account_name = Field::text("account_name", texts.say("account-name-label"))
        .hint(texts.say("account-name-hint"))
        .autocomplete("organization")
        .value(typed_name);
    let form = PasswordForm {
        frame: request.account_frame().await,
        heading: texts.say("choose-password-title").to_owned(),
        text: texts.say("choose-password-text").to_owned(),
        button: texts.say("choose-password-button"),
        account_name: Some(account_name),
        person: None,
    };
    request.password_page(form, state)
}
