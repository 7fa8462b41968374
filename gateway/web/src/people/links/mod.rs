//! The pages of links in mails: a file for each purpose. Scanners of mails open links too, so only the button of a page changes something.

mod email;
mod invite;
mod new_person;
mod reset;
mod sign_up;
mod used;

pub(super) use invite::{Invitation, invitation};

use axum::extract::{FromRequestParts, Path};
use axum::response::Response;
use http::StatusCode;
use http::header::SET_COOKIE;
use http::request::Parts;
use pages::people::{ConfirmLinkPage, PasswordLinkPage};
use pages::{Field, Frame};
use serde::Deserialize;
use sqlx::PgConnection;
use uuid::Uuid;

use self::used::{LinkCookies, UsedLinkRequest, session_token};
use super::link_mail::link_path;
use crate::admission::Admission;
use crate::app::App;
use crate::client_info::ClientInfo;
use crate::domain::next_page::{self, NextPage};
use crate::domain::percent::encoded;
use crate::domain::session_token::Token;
use crate::form_body::FormBody;
use crate::hashing::Permit;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::render::{FormState, html, see_other};
use crate::request::{PersonRequest, Viewer, added, begin_session_with};
use crate::store::links::{self, Link, LinkTarget};
use crate::store::sessions::{self, Stage};
use crate::store::used_links::{self, UsedLink};
use crate::url_query::UrlQuery;

/// What a visitor types.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    account_name: String,
    password: String,
}

pub async fn show(opened: OpenedLink) -> PageResult {
    let request = match opened {
        OpenedLink::Works(request) => request,
        OpenedLink::Used(request) => return request.answer().await,
    };
    let mut page = match request.link.target {
        LinkTarget::SignUp => sign_up::show(&request).await?,
        LinkTarget::Reset { person } => reset::show(&request, person).await?,
        LinkTarget::Email { person } => email::show(&request, person),
        LinkTarget::Invite { account, role, .. } => invite::show(&request, account, role).await?,
    };
    request.mark_browser(&mut page);
    Ok(page)
}

pub async fn send(opened: OpenedLink, FormBody(input): FormBody<Input>) -> PageResult {
    let request = match opened {
        OpenedLink::Works(request) => request,
        OpenedLink::Used(request) => return request.answer().await,
    };
    let answer = match request.link.target {
        LinkTarget::SignUp => sign_up::send(&request, &input).await,
        LinkTarget::Reset { person } => reset::send(&request, person, &input).await,
        LinkTarget::Email { person } => email::send(&request, person).await,
        LinkTarget::Invite { account, role, .. } => {
            invite::send(&request, account, role, &input).await
        }
    };
    match answer {
        // The same form may have used the link meanwhile, and ended the session of this request.
        Err(error) if [StatusCode::GONE, StatusCode::UNAUTHORIZED].contains(&error.status) => {
            request.answer_if_used(error).await
        }
        answer => answer,
    }
}

/// A request of the page of a link that works, or of one that was used.
pub enum OpenedLink {
    Works(Box<LinkRequest>),
    Used(Box<UsedLinkRequest>),
}

/// A request of the page of a link that works.
pub struct LinkRequest {
    app: App,
    client: ClientInfo,
    language: PageLanguage,
    /// The person who is signed in in this browser.
    viewer: Option<Viewer>,
    token: Token,
    cookies: LinkCookies,
    link: Link,
    next: String,
}

impl FromRequestParts<App> for OpenedLink {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        let token = Path::<String>::from_request_parts(parts, app).await;
        let Path(token) = token.map_err(|_no_text| PageError::link_gone())?;
        let next = UrlQuery::<NextPage>::from_request_parts(parts, app).await?;
        let token = Token::parse(&token).ok_or_else(PageError::link_gone)?;
        let (now, next, app) = (app.clock.now(), next.0.next, App::clone(app));
        let (client, viewer) = (added(&parts.extensions)?, added(&parts.extensions)?);
        let browser = app.cookie.value(&parts.headers, used::COOKIE);
        let cookies = LinkCookies {
            session: app.cookie.token(&parts.headers),
            browser: browser.and_then(Token::parse),
        };
        if let Some(link) = links::find(&app.pool, token.hash(), now).await? {
            let language = added(&parts.extensions)?;
            let request = LinkRequest { app, client, language, viewer, token, cookies, link, next };
            return Ok(Self::Works(Box::new(request)));
        }
        let used = used_links::find(&app.pool, token.hash(), now).await?;
        let used = used.ok_or_else(PageError::link_gone)?;
        let request = UsedLinkRequest { app, client, viewer, token, cookies, next, used };
        Ok(Self::Used(Box::new(request)))
    }
}

/// The form of a link that asks for a password.
struct PasswordForm {
    frame: Frame,
    heading: String,
    text: String,
    button: &'static str,
    /// The name of the account that is made; absent when no account is.
    account_name: Option<Field>,
    /// The person who gets the password; `None`: a new one.
    person: Option<Uuid>,
}

impl LinkRequest {
    /// The page to redirect to afterwards, if any.
    fn next(&self) -> Option<&str> {
        next_page::after_sign_up(&self.next)
    }

    fn password_page(&self, form: PasswordForm, state: FormState) -> Response {
        let (texts, FormState { status, errors }) = (self.language.texts(), state);
        let errors = errors.in_language(self.language.language);
        let viewer = self.viewer.as_ref().map(|viewer| &viewer.person);
        let other = viewer.filter(|viewer| Some(viewer.id) != form.person);
        let password = Field::new_password("password", texts.say("password-new"));
        let page = PasswordLinkPage {
            frame: form.frame,
            heading: form.heading,
            text: form.text,
            email: self.link.email.clone(),
            signed_in: other.map(|other| other.email.clone()),
            action: self.language.path(&link_path(&self.token.text(), self.next())),
            account_name: form.account_name.map(|field| field.error_in(&errors)),
            password: password.hint(texts.say("password-hint")).error_in(&errors),
            button: form.button,
            errors,
        };
        html(status, &page)
    }

    /// The frame of a page whose form changes an account: it says whether the site is read-only.
    async fn account_frame(&self) -> Frame {
        let closed = self.app.gateway.read_only().await;
        Frame { closed: closed.map(|_| self.language.say("fault-closed")), ..self.language.frame() }
    }

    fn path(&self) -> String {
        self.language.path(&format!("/link/{}", self.token.text()))
    }

    /// The request of the person whom the link is for, who must be signed in. `other_person` is the key of the text for anybody else.
    fn for_person(&self, person: Uuid, other_person: &str) -> Result<PersonRequest, Box<Response>> {
        let (language, path) = (self.language, self.path());
        let next = encoded(&path);
        match &self.viewer {
            Some(viewer) if viewer.person.id == person => Ok(PersonRequest {
                app: App::clone(&self.app),
                viewer: viewer.clone(),
                client: self.client.clone(),
            }),
            Some(Viewer { person, .. }) => {
                let texts = language.texts();
                let page = ConfirmLinkPage {
                    frame: language.frame(),
                    heading: texts.say("other-person-title").to_owned(),
                    text: texts.say_of_two(other_person, &self.link.email, &person.email),
                    action: format!("/sign-out?next={next}"),
                    button: texts.say("other-person-button"),
                };
                Err(Box::new(html(StatusCode::FORBIDDEN, &page)))
            }
            None => {
                let path = language.path(&format!("/sign-in?next={next}"));
                Err(Box::new(see_other(&path)))
            }
        }
    }

    /// Admits a form with a new password.
    async fn admit(&self) -> Result<Result<Permit, FormState>, PageError> {
        let now = self.app.clock.now();
        let admitted = self.app.admission.link_form(&self.client, &self.link, now).await?;
        Ok(admitted.map_err(|reached| {
            let fault = reached.too_many_in(self.language.language, "limit-attempts");
            FormState::refused_here(&fault)
        }))
    }

    /// Stores in a browser a token by which it gets the answer again if that is lost. One that it
    /// has leads to other sessions as well.
    fn mark_browser(&self, page: &mut Response) {
        if self.cookies.browser.is_some() {
            return;
        }
        let token = Token::generate().text();
        let cookie = self.app.cookie.set_value(used::COOKIE, &token, used::COOKIE_LIFETIME);
        if let Some(cookie) = cookie {
            page.headers_mut().append(SET_COOKIE, cookie);
        }
    }

    /// The answer to the use that another request has made of the link meanwhile; otherwise this
    /// error.
    async fn answer_if_used(self, error: PageError) -> PageResult {
        let now = self.app.clock.now();
        let Some(used) = used_links::find(&self.app.pool, self.token.hash(), now).await? else {
            return Err(error);
        };
        let Self { app, client, viewer, token, cookies, next, .. } = self;
        let request = UsedLinkRequest { app, client, viewer, token, cookies, next, used };
        request.answer().await
    }

    /// Uses the link up. Of two concurrent requests, one fails here. Every transaction locks the person before the person's links, so that
    /// no two wait for each other.
    async fn consume(&self, connection: &mut PgConnection) -> Result<(), PageError> {
        if !links::consume(&mut *connection, self.link.id, self.app.clock.now()).await? {
            return Err(PageError::link_gone());
        }
        Ok(Admission::give_back_mail(connection, &self.link).await?)
    }

    /// Stores what the link, which was used up, has become.
    async fn record_use(
        &self,
        connection: &mut PgConnection,
        person: Uuid,
        account: Option<Uuid>,
    ) -> Result<(), sqlx::Error> {
        let used = UsedLink {
            purpose: self.link.target.purpose(),
            email: self.link.email.clone(),
            person,
            account,
            expires_at: self.link.expires_at,
        };
        used_links::insert(connection, self.token.hash(), &used).await
    }

    /// Begins a session, ends the one of this browser, commits both, and redirects to `path`.
    async fn sign_in(
        &self,
        mut transaction: sqlx::Transaction<'static, sqlx::Postgres>,
        (person, stage): (Uuid, Stage),
        path: &str,
    ) -> PageResult {
        if let Some(viewer) = &self.viewer {
            sessions::end(&mut *transaction, viewer.token.hash()).await?;
        }
        let (app, client) = (&self.app, &self.client);
        let browser = self.cookies.browser.as_ref();
        let token = browser.map_or_else(Token::generate, |it| session_token(&self.token, it));
        let begun = (person, stage);
        let session = begin_session_with(app, &mut transaction, token, begun, client).await?;
        transaction.commit().await?;
        let mut response = see_other(path);
        session.add_cookies(app, &mut response);
        Ok(response)
    }
}
