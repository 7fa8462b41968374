//! The page of a link in a mail. Scanners of mails open links too, so only the button of the page changes something.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use pages::people::{ConfirmLinkPage, PasswordLinkPage};
use pages::{Field, Fields, Frame, Language};
use uuid::Uuid;

use super::link_actions::{self, Input, LinkError, LinkForm};
use super::link_mail::link_path;
use crate::app::{App, Web};
use crate::client_info::ClientInfo;
use crate::domain::next_page::{self, NextPage};
use crate::domain::percent::encoded;
use crate::domain::session_token::Token;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::render::{FormState, html, ok, see_other};
use crate::request::{PersonRequest, Viewer};
use crate::store::links::{self, Link, LinkTarget};
use crate::store::people::{self, Person};
use crate::url_query::UrlQuery;

/// The input that a link needs from its visitor.
pub enum Requirement {
    /// A password, for a new person who becomes a member of an account, or else also gives the name of a new account.
    NewPerson(Link),
    /// A new password for this person.
    NewPassword(Link, Person),
    /// A click on the button by this person, who is signed in.
    Confirmation(Link, Box<Viewer>),
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Option<Viewer>>,
    Extension(language): Extension<PageLanguage>,
    Path(token): Path<String>,
    UrlQuery(next): UrlQuery<NextPage>,
) -> PageResult {
    let next = next_page::after_sign_up(&next.next);
    match find(&app, language, &token, viewer.as_ref()).await? {
        Ok(Requirement::Confirmation(link, _)) => {
            let (heading, text, button) = confirmation(&app, language, &link).await;
            Ok(ok(&ConfirmLinkPage {
                frame: frame(&app, language, &link).await,
                heading,
                text,
                action: language.path(&format!("/link/{token}")),
                button,
            }))
        }
        Ok(link) => {
            let form = PasswordForm {
                app: &app,
                language,
                link: &link,
                viewer: viewer.as_ref(),
                action: &language.path(&link_path(&token, next)),
            };
            Ok(ok(&form.page("", Fields::default()).await))
        }
        Err(elsewhere) => Ok(*elsewhere),
    }
}

#[expect(clippy::too_many_arguments, reason = "each is a part of the request")]
pub async fn send(
    State(app): State<App>,
    Extension(viewer): Extension<Option<Viewer>>,
    Extension(client): Extension<ClientInfo>,
    Extension(language): Extension<PageLanguage>,
    Path(token): Path<String>,
    UrlQuery(next): UrlQuery<NextPage>,
    FormBody(input): FormBody<Input>,
) -> PageResult {
    let next = next_page::after_sign_up(&next.next);
    let needed = match find(&app, language, &token, viewer.as_ref()).await? {
        Ok(needed) => needed,
        Err(elsewhere) => return Ok(*elsewhere),
    };
    let form = |link| LinkForm {
        app: &app,
        client: &client,
        language,
        viewer: viewer.as_ref(),
        link,
        next,
        input: &input,
    };
    let done = match &needed {
        Requirement::NewPerson(link) => form(link).create_person().await,
        Requirement::NewPassword(link, person) => form(link).reset_password(person).await,
        Requirement::Confirmation(link, viewer) => {
            let request = PersonRequest {
                viewer: Viewer::clone(viewer),
                client: client.clone(),
                app: App::clone(&app),
            };
            link_actions::confirm(&request, link)
                .await
                .map_err(LinkError::Page)
        }
    };
    match done {
        Ok(response) => Ok(response),
        Err(LinkError::Refused(FormState { status, errors })) => {
            let form = PasswordForm {
                app: &app,
                language,
                link: &needed,
                viewer: viewer.as_ref(),
                action: &language.path(&link_path(&token, next)),
            };
            let page = form.page(&input.account_name, errors);
            Ok(html(status, &page.await))
        }
        Err(LinkError::Page(error)) => Err(error),
    }
}

/// The link with this token and the input that it needs, or a redirect to another page first.
async fn find(
    app: &Web,
    language: PageLanguage,
    token: &str,
    viewer: Option<&Viewer>,
) -> Result<Result<Requirement, Box<Response>>, PageError> {
    let parsed = Token::parse(token).ok_or_else(PageError::link_gone)?;
    let now = app.clock.now();
    let link = links::find(&app.pool, parsed.hash(), now).await?;
    let link = link.ok_or_else(PageError::link_gone)?;
    match link.target {
        LinkTarget::SignUp => match people::by_email(&app.pool, &link.email).await? {
            None => Ok(Ok(Requirement::NewPerson(link))),
            Some(_) => Err(PageError::link_gone()),
        },
        LinkTarget::Reset { person } => {
            // The holder of an earlier address of the person must not set the password.
            let person = people::by_id(&app.pool, person)
                .await?
                .filter(|person| person.email == link.email);
            let person = person.ok_or_else(PageError::link_gone)?;
            Ok(Ok(Requirement::NewPassword(link, person)))
        }
        LinkTarget::Email { person } => Ok(for_viewer(language, link, person, viewer, token)),
        LinkTarget::Invite { .. } => match invited(app, &link).await? {
            None => Ok(Ok(Requirement::NewPerson(link))),
            Some(invited) => Ok(for_viewer(language, link, invited, viewer, token)),
        },
    }
}

/// The person whom an invitation is for; `None`: a new one.
async fn invited(app: &Web, link: &Link) -> Result<Option<Uuid>, sqlx::Error> {
    if link.invited.is_some() {
        return Ok(link.invited);
    }
    let found = people::by_email(&app.pool, &link.email).await?;
    Ok(found.map(|person| person.id))
}

/// A link that only `person` may use, signed in.
fn for_viewer(
    language: PageLanguage,
    link: Link,
    person: Uuid,
    viewer: Option<&Viewer>,
    token: &str,
) -> Result<Requirement, Box<Response>> {
    let path = language.path(&format!("/link/{token}"));
    let next = encoded(&path);
    match viewer {
        Some(viewer) if viewer.person.id == person => {
            Ok(Requirement::Confirmation(link, Box::new(viewer.clone())))
        }
        Some(viewer) => {
            let page = ConfirmLinkPage {
                frame: language.frame(),
                heading: language.say("other-person-title").to_owned(),
                text: for_another(language, &link, &viewer.person.email),
                action: format!("/sign-out?next={next}"),
                button: language.say("other-person-button"),
            };
            Err(Box::new(html(StatusCode::FORBIDDEN, &page)))
        }
        None => {
            let path = language.path(&format!("/sign-in?next={next}"));
            Err(Box::new(see_other(&path)))
        }
    }
}

/// Says whom a link is for that another person, `signed_in`, has opened. The mail to a new address does not name the person's present address,
/// and neither does this.
fn for_another(language: PageLanguage, link: &Link, signed_in: &str) -> String {
    let key = match link.target {
        LinkTarget::Invite { .. } => "other-person-invite",
        _ => "other-person-email",
    };
    language.texts().say_of_two(key, &link.email, signed_in)
}

/// What the sign-in page says about the invitation that it leads to.
#[derive(Debug, Default)]
pub(super) struct Invitation {
    /// The address to sign in with; empty if the invited person has another one now.
    pub(super) email: String,
    pub(super) text: String,
}

/// The invitation at a path of this site, if there is one.
pub(super) async fn invitation(
    app: &Web,
    language: PageLanguage,
    path: &str,
) -> Result<Option<Invitation>, sqlx::Error> {
    let (_, path) = Language::split(path);
    let Some(token) = path.strip_prefix("/link/").and_then(Token::parse) else {
        return Ok(None);
    };
    let link = links::find(&app.pool, token.hash(), app.clock.now()).await?;
    let Some((link, account)) = link.and_then(|link| match link.target {
        LinkTarget::Invite { account, .. } => Some((link, account)),
        _ => None,
    }) else {
        return Ok(None);
    };
    let (name, email) = (account_name(app, language, account).await, link.email);
    let (key, shown) = if link.invited.is_none() {
        ("invitation-reason", email.clone())
    } else {
        ("invitation-reason-moved", String::new())
    };
    Ok(Some(Invitation {
        text: language.texts().say_of_two(key, &name, &email),
        email: shown,
    }))
}

/// Heading, text and button of a link that needs only its button.
async fn confirmation(
    app: &Web,
    language: PageLanguage,
    link: &Link,
) -> (String, String, &'static str) {
    let texts = language.texts();
    if let LinkTarget::Invite { account, role, .. } = &link.target {
        let name = account_name(app, language, *account).await;
        let heading = texts.say_of("join-title", &name);
        let text = texts.value("invite-role", role.as_str(), "").to_owned();
        return (heading, text, texts.say("join-button"));
    }
    let heading = texts.say("change-address-title").to_owned();
    let text = texts.say_of("change-address-text", &link.email);
    (heading, text, texts.say("change-address-button"))
}

/// The form of a link that asks for a password.
struct PasswordForm<'a> {
    app: &'a Web,
    language: PageLanguage,
    link: &'a Requirement,
    viewer: Option<&'a Viewer>,
    action: &'a str,
}

impl PasswordForm<'_> {
    async fn page(&self, typed_name: &str, errors: Fields) -> PasswordLinkPage {
        let (app, language, texts) = (self.app, self.language, self.language.texts());
        let errors = errors.in_language(language.language);
        let (target, person) = match self.link {
            Requirement::NewPerson(target) => (target, None),
            Requirement::NewPassword(target, person) => (target, Some(person.id)),
            Requirement::Confirmation(target, viewer) => (target, Some(viewer.person.id)),
        };
        let (heading, text, button) = match &target.target {
            LinkTarget::SignUp => (
                texts.say("choose-password-title").to_owned(),
                texts.say("choose-password-text").to_owned(),
                texts.say("choose-password-button"),
            ),
            LinkTarget::Invite { account, role, .. } => {
                let name = account_name(app, language, *account).await;
                let role = texts.value("invite-role", role.as_str(), "");
                let text = texts.say_of("join-text", role);
                let heading = texts.say_of("join-title", &name);
                (heading, text, texts.say("join-button"))
            }
            _ => (
                texts.say("set-password-title").to_owned(),
                texts.say("set-password-text").to_owned(),
                texts.say("set-password-button"),
            ),
        };
        let account_name = (target.target == LinkTarget::SignUp).then(|| {
            Field::name("account_name", texts.say("account-name-label"))
                .hint(texts.say("account-name-hint"))
                .autocomplete("organization")
                .value(typed_name)
                .error_in(&errors)
        });
        let signed_in = self.viewer.map(|viewer| &viewer.person);
        let signed_in = signed_in.filter(|it| Some(it.id) != person);
        let password = Field::new_password("password", texts.say("password-new"));
        PasswordLinkPage {
            frame: frame(app, language, target).await,
            heading,
            text,
            email: target.email.clone(),
            signed_in: signed_in.map(|other| other.email.clone()),
            action: self.action.to_owned(),
            account_name,
            password: password.hint(texts.say("password-hint")).error_in(&errors),
            button,
            errors,
        }
    }
}

/// The frame of the page of a link. If the link changes an account, the frame shows whether the site is read-only.
async fn frame(app: &Web, language: PageLanguage, link: &Link) -> Frame {
    let closed = match link.target {
        LinkTarget::SignUp | LinkTarget::Invite { .. } => app.gateway.read_only().await,
        _ => None,
    };
    Frame {
        closed: closed.map(|_| language.say("fault-closed")),
        ..language.frame()
    }
}

async fn account_name(app: &Web, language: PageLanguage, account: Uuid) -> String {
    let name = app.gateway.account_name(account).await;
    name.unwrap_or_else(|| language.say("the-account").to_owned())
}
