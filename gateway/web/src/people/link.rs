//! The page of a link in a mail. Scanners of mails open links too, so only the button of the page changes something.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use http::StatusCode;
use pages::people::{ConfirmLinkPage, PasswordLinkPage};
use pages::{Field, Fields, Shell};
use serde::Deserialize;
use uuid::Uuid;

use super::link_actions::{self, LinkError, LinkForm};
use crate::app::{App, Web};
use crate::client_info::ClientInfo;
use crate::domain::next_page::{self, NextPage};
use crate::domain::percent::encoded;
use crate::domain::session_token::Token;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::person_request::PersonRequest;
use crate::render::{FormState, html, ok, see_other};
use crate::store::links::{self, Link, LinkTarget};
use crate::store::people::{self, Person};
use crate::viewer::Viewer;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    pub account_name: String,
    pub password: String,
}

/// The path of a link, with the page to redirect to afterwards, if any.
pub(super) fn path(token: &str, next: Option<&str>) -> String {
    match next {
        Some(next) => {
            let next = encoded(next);
            format!("/link/{token}?next={next}")
        }
        None => format!("/link/{token}"),
    }
}

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
    Path(token): Path<String>,
    Query(next): Query<NextPage>,
) -> PageResult {
    let next = next_page::after_sign_up(&next.next);
    match find(&app, &token, viewer.as_ref()).await? {
        Ok(Requirement::Confirmation(link, _)) => {
            let (heading, text, button) = confirmation(&app, &link).await;
            Ok(ok(&ConfirmLinkPage {
                shell: shell(&app, &link).await,
                heading,
                text,
                action: format!("/link/{token}"),
                button,
            }))
        }
        Ok(link) => {
            let form = PasswordForm {
                web: &app,
                link: &link,
                viewer: viewer.as_ref(),
                action: &path(&token, next),
            };
            Ok(ok(&form.page("", Fields::default()).await))
        }
        Err(elsewhere) => Ok(*elsewhere),
    }
}

pub async fn send(
    State(app): State<App>,
    Extension(viewer): Extension<Option<Viewer>>,
    Extension(client): Extension<ClientInfo>,
    Path(token): Path<String>,
    Query(next): Query<NextPage>,
    FormBody(input): FormBody<Input>,
) -> PageResult {
    let next = next_page::after_sign_up(&next.next);
    let needed = match find(&app, &token, viewer.as_ref()).await? {
        Ok(needed) => needed,
        Err(elsewhere) => return Ok(*elsewhere),
    };
    let form = |link| LinkForm {
        web: &app,
        client: &client,
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
                web: &app,
                link: &needed,
                viewer: viewer.as_ref(),
                action: &path(&token, next),
            };
            let page = form.page(&input.account_name, errors);
            Ok(html(status, &page.await))
        }
        Err(LinkError::Page(error)) => Err(error),
    }
}

/// The link with this token and the input that it needs, or a redirect to another page first.
async fn find(
    web: &Web,
    token: &str,
    viewer: Option<&Viewer>,
) -> Result<Result<Requirement, Box<Response>>, PageError> {
    let parsed = Token::parse(token).ok_or_else(PageError::link_gone)?;
    let now = web.clock.now();
    let link = links::find(&web.pool, parsed.hash(), now).await?;
    let link = link.ok_or_else(PageError::link_gone)?;
    let of = |person: Uuid| people::by_id(&web.pool, person);
    match link.target {
        LinkTarget::SignUp => match people::by_email(&web.pool, &link.email).await? {
            None => Ok(Ok(Requirement::NewPerson(link))),
            Some(_) => Err(PageError::link_gone()),
        },
        LinkTarget::Reset { person } => {
            // Who holds the mailbox of an earlier address of the person sets no password.
            let person = of(person)
                .await?
                .filter(|person| person.email == link.email);
            let person = person.ok_or_else(PageError::link_gone)?;
            Ok(Ok(Requirement::NewPassword(link, person)))
        }
        LinkTarget::Email { person } => Ok(for_viewer(link, person, viewer, token)),
        LinkTarget::Invite { .. } => match invited(web, &link).await? {
            None => Ok(Ok(Requirement::NewPerson(link))),
            Some(invited) => Ok(for_viewer(link, invited, viewer, token)),
        },
    }
}

/// The person whom an invitation is for; `None`: a new one.
async fn invited(web: &Web, link: &Link) -> Result<Option<Uuid>, sqlx::Error> {
    if link.invited.is_some() {
        return Ok(link.invited);
    }
    let found = people::by_email(&web.pool, &link.email).await?;
    Ok(found.map(|person| person.id))
}

/// A link that only `person` may use, signed in.
fn for_viewer(
    link: Link,
    person: Uuid,
    viewer: Option<&Viewer>,
    token: &str,
) -> Result<Requirement, Box<Response>> {
    let path = format!("/link/{token}");
    let next = encoded(&path);
    match viewer {
        Some(viewer) if viewer.person.id == person => {
            Ok(Requirement::Confirmation(link, Box::new(viewer.clone())))
        }
        Some(viewer) => {
            let page = ConfirmLinkPage {
                shell: Shell::default(),
                heading: "For another person".to_owned(),
                text: for_another(&link, &viewer.person.email),
                action: format!("/sign-out?next={next}"),
                button: "Sign out and go on",
            };
            Err(Box::new(html(StatusCode::FORBIDDEN, &page)))
        }
        None => Err(Box::new(see_other(&format!("/sign-in?next={next}")))),
    }
}

/// Whom a link is for, which the person `signed_in` has opened. The mail of an invitation names its address; the mail to a new address does not
/// name the address that the person has.
fn for_another(link: &Link, signed_in: &str) -> String {
    let whose = match link.target {
        LinkTarget::Invite { .. } => format!("This invitation is for {}", link.email),
        _ => format!("Another person asked for the address {}", link.email),
    };
    format!("{whose}. You are signed in as {signed_in}.")
}

/// What the sign-in page says that leads to an invitation.
#[derive(Debug, Default)]
pub(super) struct Invitation {
    /// The address to sign in with; empty if the invited person has another one now.
    pub(super) email: String,
    pub(super) text: String,
}

/// The invitation at a path of this site, if there is one.
pub(super) async fn invitation(web: &Web, path: &str) -> Result<Option<Invitation>, sqlx::Error> {
    let Some(token) = path.strip_prefix("/link/").and_then(Token::parse) else {
        return Ok(None);
    };
    let link = links::find(&web.pool, token.hash(), web.clock.now()).await?;
    let Some((link, account)) = link.and_then(|link| match link.target {
        LinkTarget::Invite { account, .. } => Some((link, account)),
        _ => None,
    }) else {
        return Ok(None);
    };
    let (name, email) = (account_name(web, account).await, link.email);
    Ok(Some(if link.invited.is_none() {
        Invitation {
            text: format!("Sign in as {email} to join {name}."),
            email,
        }
    } else {
        Invitation {
            text: format!(
                "Sign in to join {name}. The invitation was sent to {email}, which was your address."
            ),
            email: String::new(),
        }
    }))
}

/// Heading, text and button of a link that needs only its button.
async fn confirmation(web: &Web, link: &Link) -> (String, String, &'static str) {
    if let LinkTarget::Invite { account, role, .. } = &link.target {
        let name = account_name(web, *account).await;
        let text = format!("You become {} of the account.", with_article(role.as_str()));
        return (format!("Join {name}"), text, "Join");
    }
    let text = format!(
        "You sign in with {} from then on. Your other sessions end.",
        link.email
    );
    ("Change your address".to_owned(), text, "Change the address")
}

/// The form of a link that asks for a password.
struct PasswordForm<'a> {
    web: &'a Web,
    link: &'a Requirement,
    viewer: Option<&'a Viewer>,
    action: &'a str,
}

impl PasswordForm<'_> {
    async fn page(&self, typed_name: &str, errors: Fields) -> PasswordLinkPage {
        let web = self.web;
        let (target, person) = match self.link {
            Requirement::NewPerson(target) => (target, None),
            Requirement::NewPassword(target, person) => (target, Some(person.id)),
            Requirement::Confirmation(target, viewer) => (target, Some(viewer.person.id)),
        };
        let (heading, text, button) = match &target.target {
            LinkTarget::SignUp => (
                "Choose a password".to_owned(),
                "One step left: then you make your first key.".to_owned(),
                "Create the account",
            ),
            LinkTarget::Invite { account, role, .. } => {
                let name = account_name(web, *account).await;
                let role = with_article(role.as_str());
                let text =
                    format!("You become {role} of the account. Choose a password to sign in with.");
                (format!("Join {name}"), text, "Join")
            }
            LinkTarget::Reset { .. } | LinkTarget::Email { .. } => (
                "Set a new password".to_owned(),
                "All your sessions end.".to_owned(),
                "Set the password",
            ),
        };
        let account_name = (target.target == LinkTarget::SignUp).then(|| {
            Field::text("account_name", "Name of your studio or project")
                .hint("Your team and our staff see it.")
                .autocomplete("organization")
                .value(typed_name)
                .error_in(&errors)
        });
        let signed_in = self.viewer.map(|viewer| &viewer.person);
        let signed_in = signed_in.filter(|it| Some(it.id) != person);
        PasswordLinkPage {
            shell: shell(web, target).await,
            heading,
            text,
            email: target.email.clone(),
            signed_in: signed_in.map(|other| other.email.clone()),
            action: self.action.to_owned(),
            account_name,
            password: Field::new_password("password", "New password").error_in(&errors),
            button,
            errors,
        }
    }
}

/// The frame of the page of a link. If the link changes an account, the frame shows whether the site is read-only.
async fn shell(web: &Web, link: &Link) -> Shell {
    let closed = match link.target {
        LinkTarget::SignUp | LinkTarget::Invite { .. } => web.gateway.read_only().await,
        LinkTarget::Reset { .. } | LinkTarget::Email { .. } => None,
    };
    Shell {
        closed,
        ..Shell::default()
    }
}

async fn account_name(web: &Web, account: Uuid) -> String {
    let found = web.gateway.account(account).await;
    let account = found.ok().and_then(|found| found.account);
    account.map_or_else(|| "the account".to_owned(), |account| account.name)
}

fn with_article(role: &str) -> String {
    let article = if role.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {role}")
}
