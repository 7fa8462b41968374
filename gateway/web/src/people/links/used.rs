//! A link of a mail that was used before.
//!
//! The first answer may have been lost, with the cookie of the session in it. The browser that used
//! the link therefore gets the answer again, as long as the session goes on. Another browser that
//! has the link reads how to sign in.

use axum::response::Response;
use time::Duration;

use crate::app::App;
use crate::client_info::ClientInfo;
use crate::domain::link::Purpose;
use crate::domain::next_page;
use crate::domain::session_token::Token;
use crate::page_error::{PageError, PageResult};
use crate::render::see_other;
use crate::request::{NewSession, Viewer};
use crate::store::members;
use crate::store::used_links::UsedLink;

/// The cookie by which a browser is known that has opened the page of a link: a random token, which
/// together with the link's leads to the session that the link begins.
pub(super) const COOKIE: &str = "link";
/// As long as the longest lifetime of a link.
pub(super) const COOKIE_LIFETIME: Duration = Purpose::Invite.lifetime();

/// The token of the session that a link begins. Neither the link nor the cookie is enough to derive
/// it.
pub(super) fn session_token(link: &Token, browser: &Token) -> Token {
    link.successor(&browser.text())
}

/// A request of the page of a link that was used.
pub struct UsedLinkRequest {
    pub(super) app: App,
    pub(super) client: ClientInfo,
    pub(super) viewer: Option<Viewer>,
    pub(super) token: Token,
    pub(super) cookies: LinkCookies,
    pub(super) next: String,
    pub(super) used: UsedLink,
}

/// What a browser has of its earlier requests.
#[derive(Clone)]
pub(super) struct LinkCookies {
    pub(super) session: Option<Token>,
    pub(super) browser: Option<Token>,
}

impl UsedLinkRequest {
    /// Answers the person who is signed in, or signs the browser in again that has used the link.
    pub(super) async fn answer(&self) -> PageResult {
        let used = &self.used;
        match &self.viewer {
            Some(viewer) if viewer.person.id != used.person => return Err(self.gone()),
            Some(viewer) if self.is_as_wanted(viewer) => return Ok(see_other(&self.path().await?)),
            _ => {}
        }
        let token = match used.purpose {
            Purpose::SignUp | Purpose::Invite => {
                self.cookies.browser.as_ref().map(|browser| session_token(&self.token, browser))
            }
            Purpose::Email => {
                let session = self.cookies.session.as_ref();
                session.map(|session| session.successor(&self.token.text()))
            }
            // The form may have another password than the first one.
            Purpose::Reset => None,
        };
        let Some(token) = token else { return Err(self.gone()) };
        let session = NewSession::reopen(&self.app, token, &self.client).await?;
        let session = session.ok_or_else(|| self.gone())?;
        let mut response: Response = see_other(&self.path().await?);
        session.add_cookies(&self.app, &mut response);
        Ok(response)
    }

    /// Whether the person who is signed in has what the link was for.
    fn is_as_wanted(&self, viewer: &Viewer) -> bool {
        match self.used.purpose {
            Purpose::SignUp | Purpose::Invite => true,
            Purpose::Email => viewer.person.email == self.used.email,
            Purpose::Reset => false,
        }
    }

    /// Where the first answer led.
    async fn path(&self) -> Result<String, sqlx::Error> {
        if self.used.purpose == Purpose::Email {
            return Ok("/you?done=email".to_owned());
        }
        if let Some(next) = next_page::after_sign_up(&self.next) {
            return Ok(next.to_owned());
        }
        let Some(account) = self.used.account else { return Ok("/accounts".to_owned()) };
        let role = members::role(&self.app.pool, account, self.used.person).await?;
        Ok(if role.is_some() { format!("/accounts/{account}") } else { "/accounts".to_owned() })
    }

    fn gone(&self) -> PageError {
        PageError::link_used(self.used.purpose)
    }
}
