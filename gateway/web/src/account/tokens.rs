//! Tokens for the account API: the list, a new one, and revocation.

use axum::extract::Path;
use contracts::gateway::v1 as proto;
use http::StatusCode;
use kit::Code;
use pages::keys::KeyState;
use pages::site::Texts;
use pages::tokens::{ListPage, ScopeChoice, TokenRow, TokenSecretPage};
use pages::{Field, Fields, when};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

use super::keys::create::last_day;
use super::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::once_form::{OnceError, OnceForm};
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, ok, see_other};
use crate::session::once;
use crate::store::members::{self, Member};
use crate::upstream::time_of;
use crate::viewer::Section;

/// The environment variable of commands that need a token.
pub(super) const VARIABLE: &str = "SERVICE_ACCOUNT_TOKEN";

/// The scopes (§10.18), each with the key of the text that says what a token may do with it, and a path that it may read.
const SCOPES: [(&str, &str, &str); 7] = [
    ("keys:read", "token-can-read-keys", "/account/keys"),
    ("keys:write", "token-can-write-keys", "/account/keys"),
    (
        "endpoints:read",
        "token-can-read-endpoints",
        "/account/endpoints",
    ),
    (
        "endpoints:write",
        "token-can-write-endpoints",
        "/account/endpoints",
    ),
    (
        "deliveries:read",
        "token-can-read-deliveries",
        "/account/endpoints",
    ),
    (
        "deliveries:write",
        "token-can-write-deliveries",
        "/account/endpoints",
    ),
    ("usage:read", "token-can-read-usage", "/account/usage"),
];

#[derive(Debug, Default)]
struct TokenForm {
    name: String,
    scopes: Vec<String>,
    expires: String,
}

/// A secret to show, as it is stored for a form that is sent twice.
#[derive(Debug, Serialize, Deserialize)]
struct ShownToken {
    name: String,
    secret: String,
    scopes: Vec<String>,
}

impl From<Vec<(String, String)>> for TokenForm {
    fn from(pairs: Vec<(String, String)>) -> Self {
        let mut form = Self::default();
        for (name, value) in pairs {
            match name.as_str() {
                "name" => form.name = value,
                "scopes" => form.scopes.push(value),
                "expires" => form.expires = value,
                _ => {}
            }
        }
        form
    }
}

impl ShownToken {
    async fn page(self, request: &MemberRequest) -> TokenSecretPage {
        let is_granted = |name: &str| self.scopes.iter().any(|granted| granted == name);
        let first = SCOPES.iter().find(|(name, ..)| is_granted(name));
        TokenSecretPage {
            shell: request.shell(Section::Keys).await,
            account: request.scope.id.to_string(),
            first_path: first.map_or("/account/keys", |(.., path)| path),
            secret: self.secret,
            name: self.name,
            api_url: request.app.api_url.clone(),
        }
    }
}

pub async fn show(request: MemberRequest) -> PageResult {
    page(&request, &TokenForm::default(), FormState::default()).await
}

pub async fn send(
    request: MemberRequest,
    OnceForm(pairs, sent): OnceForm<Vec<(String, String)>>,
) -> PageResult {
    let form = TokenForm::from(pairs);
    let token = match new_token(&request, &form) {
        Ok(token) => token,
        Err(errors) => return page(&request, &form, FormState::invalid(errors)).await,
    };
    let work = async {
        let secret = create(&request, token).await?;
        request.record(Action::TokenCreated, &form.name).await;
        Ok(ShownToken {
            name: form.name.clone(),
            secret,
            scopes: form.scopes.clone(),
        })
    };
    match Box::pin(request.once(&sent, &request.path("/tokens"), work)).await? {
        Ok(shown) => Ok(ok(&shown.page(&request).await)),
        Err(fault) => {
            let fields = ["name", "scopes", "expires"];
            let renamed = [("expires_at", "expires")];
            let refused = request.language().refused(&fault, &fields, &renamed);
            page(&request, &form, refused).await
        }
    }
}

/// Makes a token; returns its secret.
async fn create(
    request: &MemberRequest,
    token: proto::AccountsServiceCreateTokenRequest,
) -> Result<String, OnceError> {
    let (gateway, account, actor) = (&request.app.gateway, request.scope.id, request.actor());
    gateway.admit_change().await?;
    let (made, secret) = gateway.create_token(token).await?;
    // After the access layer has checked the role, another owner may have removed it, and the person's tokens may have been revoked before
    // this one existed. Therefore read the role again.
    let role = members::role(&request.app.pool, account, actor.person).await;
    if matches!(role, Ok(Some(role)) if role.may(Permission::Develop)) {
        return Ok(secret);
    }
    gateway.revoke_token(&actor, account, &made.id).await?;
    role?;
    Err(PageError::not_found().into())
}

pub async fn revoke(request: MemberRequest, Path((_, token)): Path<(Uuid, String)>) -> PageResult {
    let (gateway, actor) = (&request.app.gateway, request.actor());
    match gateway.revoke_token(&actor, request.scope.id, &token).await {
        Ok(revoked) => {
            request.record(Action::TokenRevoked, &revoked.name).await;
            Ok(see_other(&request.path("/tokens")))
        }
        Err(fault) if matches!(fault.code, Code::NotFound | Code::Invalid) => {
            Err(PageError::not_found())
        }
        Err(fault) => {
            let refused = request.language().refused(&fault, &[], &[]);
            page(&request, &TokenForm::default(), refused).await
        }
    }
}

/// The token that a form describes. The gateway checks the rules; this function refuses only a value that cannot be sent to the gateway.
fn new_token(
    request: &MemberRequest,
    form: &TokenForm,
) -> Result<proto::AccountsServiceCreateTokenRequest, Fields> {
    Ok(proto::AccountsServiceCreateTokenRequest {
        actor: (&request.actor()).into(),
        account_id: request.scope.id.to_string(),
        name: form.name.clone(),
        scopes: form.scopes.clone(),
        expires_at: last_day(request.language(), &form.expires)?,
    })
}

async fn page(request: &MemberRequest, form: &TokenForm, state: FormState) -> PageResult {
    let language = request.language();
    let FormState { status, errors } = state.in_language(language.language);
    let (app, account) = (&request.app, request.scope.id);
    let now = app.clock.now();
    let (tokens, members, shell) = futures::join!(
        app.gateway.tokens(account),
        members::of_account(&app.pool, account),
        request.shell(Section::Keys)
    );
    let members = members?;
    // The page of a refused form shows the typed text again, even if the list cannot be read.
    let tokens = match tokens {
        Err(_) if status.code != StatusCode::OK => Vec::new(),
        tokens => tokens?,
    };
    let choice = |(name, description, _): (&'static str, &'static str, &str)| ScopeChoice {
        name,
        description: language.say(description),
        is_ticked: form.scopes.iter().any(|ticked| ticked == name),
    };
    let expires = Field::date("expires", language.say("token-new-expires"))
        .optional()
        .hint(language.say("token-new-expires-hint"));
    let row = |token| row(language.texts(), token, &members, now);
    let page = ListPage {
        shell,
        account: account.to_string(),
        tokens: tokens.iter().map(row).collect(),
        may_change: request.may(Permission::Develop),
        form: once::new_id(),
        name: Field::name("name", language.say("token-new-name"))
            .hint(language.say("token-new-name-hint"))
            .value(&form.name)
            .error_in(&errors),
        scopes: SCOPES.into_iter().map(choice).collect(),
        expires: expires.value(&form.expires).error_in(&errors),
        errors,
    };
    Ok(html(status, &page))
}

fn row(
    texts: &Texts,
    token: &proto::AccountToken,
    members: &[Member],
    now: OffsetDateTime,
) -> TokenRow {
    let is_revoked = token.revoked_at.is_some();
    let (text, works) = match time_of(token.expires_at) {
        _ if is_revoked => (texts.say("token-revoked").to_owned(), false),
        Some(end) if end <= now => (texts.say("token-expired").to_owned(), false),
        Some(end) => {
            let end = when::minute(texts, end);
            (texts.say_of("token-works-until", &end), true)
        }
        None => (texts.say("token-works").to_owned(), true),
    };
    let mut members = members.iter();
    let maker = members.find(|it| it.person.to_string() == token.created_by);
    let maker = maker.map_or_else(|| texts.say("token-former-member"), |it| &it.email);
    let created = time_of(token.created_at).map(|at| when::day(texts, at));
    TokenRow {
        id: token.id.clone(),
        maker: maker.to_owned(),
        name: token.name.clone(),
        shown: format!("…{}", token.last4),
        scopes: token.scopes.join(", "),
        created: created.unwrap_or_default(),
        last_used: time_of(token.last_used_at).map(|at| when::minute(texts, at)),
        state: KeyState { text, works },
        is_revoked,
    }
}
