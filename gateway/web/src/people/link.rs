//! The page of a link in a mail. Scanners of mails open links too, so only the button of the page changes something.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse as _, Response};
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
    match find(&app, &token, viewer).await? {
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
        Ok(link) => Ok(ok(&password_page(
            &app,
            &link,
            &path(&token, next),
            "",
            Fields::default(),
        )
        .await)),
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
    let needed = match find(&app, &token, viewer).await? {
        Ok(needed) => needed,
        Err(elsewhere) => return Ok(*elsewhere),
    };
    let form = |link| LinkForm {
        web: &app,
        client: &client,
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
            let action = path(&token, next);
            let page = password_page(&app, &needed, &action, &input.account_name, errors);
            Ok(html(status, &page.await))
        }
        Err(LinkError::Page(error)) => Err(error),
    }
}

/// The link with this token and the input that it needs, or a redirect to another page first.
async fn find(
    web: &Web,
    token: &str,
    viewer: Option<Viewer>,
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
            let person = of(person).await?.ok_or_else(PageError::link_gone)?;
            Ok(Ok(Requirement::NewPassword(link, person)))
        }
        LinkTarget::Email { person } => Ok(for_viewer(link, person, viewer, token)),
        LinkTarget::Invite { .. } => match people::by_email(&web.pool, &link.email).await? {
            None => Ok(Ok(Requirement::NewPerson(link))),
            Some(invited) => Ok(for_viewer(link, invited.id, viewer, token)),
        },
    }
}

/// A link that only `person` may use, signed in.
fn for_viewer(
    link: Link,
    person: Uuid,
    viewer: Option<Viewer>,
    token: &str,
) -> Result<Requirement, Box<Response>> {
    match viewer {
        Some(viewer) if viewer.person.id == person => {
            Ok(Requirement::Confirmation(link, Box::new(viewer)))
        }
        Some(_) => {
            let text = "This link is for another person than the one who is signed in here. Sign out, then open it again.";
            let error = PageError::new(StatusCode::FORBIDDEN, "For another person", text);
            Err(Box::new(error.into_response()))
        }
        None => {
            let next = format!("/link/{token}");
            let next = encoded(&next);
            Err(Box::new(see_other(&format!("/sign-in?next={next}"))))
        }
    }
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

async fn password_page(
    web: &Web,
    link: &Requirement,
    action: &str,
    typed_name: &str,
    errors: Fields,
) -> PasswordLinkPage {
    let (Requirement::NewPerson(target)
    | Requirement::NewPassword(target, _)
    | Requirement::Confirmation(target, _)) = link;
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
    PasswordLinkPage {
        shell: shell(web, target).await,
        heading,
        text,
        email: target.email.clone(),
        action: action.to_owned(),
        account_name,
        password: Field::new_password("password", "New password").error_in(&errors),
        button,
        errors,
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
