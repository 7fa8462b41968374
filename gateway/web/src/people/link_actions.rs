//! The actions of links. Each uses its link up in the transaction of the change.

use axum::response::Response;
use http::StatusCode;
use kit::ids;
use pages::Fields;
use pages::mails::MailText;
use serde::Deserialize;
use sqlx::PgConnection;
use uuid::Uuid;

use super::password_problem;
use crate::app::Web;
use crate::client_info::ClientInfo;
use crate::domain::action::Action;
use crate::domain::percent::encoded;
use crate::domain::role::Role;
use crate::domain::{account_name, password};
use crate::hashing::Permit;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::person_mail::{self, Reader};
use crate::render::{FormState, see_other};
use crate::request::{NewSession, PersonRequest, Viewer, begin_session};
use crate::session::limits;
use crate::store::activity::{self, NewEntry};
use crate::store::links::{self, Link, LinkTarget};
use crate::store::people::{self, NewPerson, Person};
use crate::store::sessions::{self, Stage};
use crate::store::{is_taken, members};
use crate::upstream::gateway::Actor;

/// What a visitor types.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    pub account_name: String,
    pub password: String,
}

/// A form of a link that was sent.
pub(super) struct LinkForm<'a> {
    pub(super) app: &'a Web,
    pub(super) client: &'a ClientInfo,
    pub(super) language: PageLanguage,
    /// The person who is signed in in this browser.
    pub(super) viewer: Option<&'a Viewer>,
    pub(super) link: &'a Link,
    /// The page to redirect to afterwards, if any.
    pub(super) next: Option<&'a str>,
    pub(super) input: &'a Input,
}

/// The reason why a form has no effect.
pub(super) enum LinkError {
    /// The form is shown again.
    Refused(FormState),
    /// This page is shown.
    Page(PageError),
}

impl<E: Into<PageError>> From<E> for LinkError {
    fn from(error: E) -> Self {
        Self::Page(error.into())
    }
}

impl LinkForm<'_> {
    /// Admits a form with a new password, which counts for this link and for the network. Anybody can get a link, so without limits a few
    /// clients could use up the pool of hashes, and nobody could sign in.
    async fn admit(&self) -> Result<Permit, LinkError> {
        let (app, now) = (self.app, self.app.clock.now());
        let (link, network) = (self.link.id.to_string(), self.client.network());
        let tries = [
            (limits::LINK, link.as_str()),
            (limits::LINKS_FROM, network.as_str()),
        ];
        let admitted = app.limits.admit_hash(&app.passwords, &tries, now).await?;
        admitted.map_err(|reached| {
            let fault = reached.too_many_in(self.language.language, "limit-tries");
            LinkError::Refused(FormState::refused_here(&fault))
        })
    }

    /// Makes a person: with an account, or as a member of the one that the link names.
    pub(super) async fn create_person(&self) -> Result<Response, LinkError> {
        let (app, link) = (self.app, self.link);
        // Ask the gateway first, so that no permit is held while it responds.
        app.gateway.admit_change().await?;
        let permit = self.admit().await?;
        // Check the form before the password is hashed, since a hash costs a core for a while.
        let errors = self.errors_of_new_person();
        if !errors.is_empty() {
            return Err(LinkError::Refused(FormState::invalid(errors)));
        }
        let hash = permit.hash(&self.input.password).await?;
        let id = ids::row_id();
        // Make the account first. If the gateway is away, the link is still valid, and makes the same account when it is used again.
        let (account, role) = match &link.target {
            LinkTarget::Invite { account, role, .. } => (*account, *role),
            _ => self.create_account(id).await?,
        };
        let mut transaction = kit::pg::begin(&app.pool).await?;
        // Lock the account before the link's row, in the same order as a deletion, which removes the invitations of the person.
        members::lock(&mut transaction, account).await?;
        use_link(&mut transaction, app, link).await?;
        let person = NewPerson {
            id,
            email: &link.email,
            password_hash: &hash,
            language: self.language.language,
        };
        if let Err(error) = people::insert(&mut *transaction, person, app.clock.now()).await {
            // Another link has created the person meanwhile.
            return Err(if is_taken(&error) {
                PageError::link_gone().into()
            } else {
                error.into()
            });
        }
        self.join(&mut transaction, id, account, role).await?;
        let session = self
            .begin_session(&mut transaction, id, Stage::SignedIn)
            .await?;
        transaction.commit().await?;
        let path = match self.next {
            Some(next) => next.to_owned(),
            None => format!("/accounts/{account}"),
        };
        Ok(self.signed_in(&session, &path))
    }

    /// Makes a new person a member, who either was invited or has made the account.
    async fn join(
        &self,
        connection: &mut PgConnection,
        person: Uuid,
        account: Uuid,
        role: Role,
    ) -> Result<(), sqlx::Error> {
        let now = self.app.clock.now();
        members::insert(&mut *connection, account, person, role, now).await?;
        let action = match self.link.target {
            LinkTarget::Invite { .. } => Action::Joined,
            _ => Action::AccountCreated,
        };
        let entry = NewEntry::new(person, &self.link.email, self.client, action);
        activity::insert(connection, entry.in_account(account, role.as_str()), now).await
    }

    /// Makes the account of a new person, which has the id of the link.
    async fn create_account(&self, person: Uuid) -> Result<(Uuid, Role), LinkError> {
        let (id, name) = (self.link.id, &self.input.account_name);
        let actor = Actor {
            person,
            address: self.client.address(),
        };
        // The form was checked by the gateway's rules before.
        self.app.gateway.create_account(&actor, id, name).await?;
        Ok((id, Role::Owner))
    }

    fn errors_of_new_person(&self) -> Fields {
        let (link, form) = (self.link, self.input);
        let mut errors = Fields::default();
        if link.target == LinkTarget::SignUp
            && let Err(problem) = account_name::check(&form.account_name)
        {
            errors.add("account_name", self.language.say(problem));
        }
        let inputs = [link.email.as_str(), form.account_name.as_str()];
        if let Err(problem) = password::check(&form.password, &inputs) {
            errors.add("password", password_problem(problem, self.language));
        }
        errors
    }

    /// Sets a new password, which ends all sessions, and signs the person in.
    pub(super) async fn reset_password(&self, person: &Person) -> Result<Response, LinkError> {
        let app = self.app;
        let permit = self.admit().await?;
        if let Err(problem) = password::check(&self.input.password, &[&person.email]) {
            let errors = Fields::one("password", password_problem(problem, self.language));
            return Err(LinkError::Refused(FormState::invalid(errors)));
        }
        let hash = permit.hash(&self.input.password).await?;
        let now = app.clock.now();
        let mut transaction = kit::pg::begin(&app.pool).await?;
        // The second factor may have changed meanwhile. A change of the address removes the link.
        let person = people::lock(&mut *transaction, person.id).await?;
        let person = &person.ok_or_else(PageError::link_gone)?;
        use_link(&mut transaction, app, self.link).await?;
        // Other people may have other links of the same kind.
        links::remove_of_person(&mut *transaction, person.id).await?;
        people::set_password(&mut *transaction, person.id, &hash).await?;
        sessions::end_all(&mut *transaction, person.id).await?;
        let text = MailText::new("password-reset");
        person_mail::queue(&mut transaction, Reader::of(person), &text, now).await?;
        let action = Action::PasswordReset;
        let entry = NewEntry::new(person.id, &person.email, self.client, action);
        activity::insert(&mut *transaction, entry, now).await?;
        // The link replaces the password, not the second factor.
        let (stage, path) = if person.totp_secret.is_some() {
            let next = self.next.map(|next| format!("?next={}", encoded(next)));
            let path = format!("/sign-in/code{}", next.unwrap_or_default());
            (Stage::SecondFactor, path)
        } else {
            let path = self.next.unwrap_or("/accounts");
            (Stage::SignedIn, path.to_owned())
        };
        let session = self
            .begin_session(&mut transaction, person.id, stage)
            .await?;
        transaction.commit().await?;
        Ok(self.signed_in(&session, &path))
    }

    /// Begins a session of the person of the link, and ends the one of this browser.
    async fn begin_session(
        &self,
        connection: &mut PgConnection,
        person: Uuid,
        stage: Stage,
    ) -> Result<NewSession, sqlx::Error> {
        if let Some(viewer) = self.viewer {
            sessions::end(&mut *connection, viewer.token.hash()).await?;
        }
        begin_session(self.app, connection, person, stage, self.client).await
    }

    /// Redirects a person to `path` whose session is committed.
    fn signed_in(&self, session: &NewSession, path: &str) -> Response {
        let mut response = see_other(path);
        session.add_cookies(self.app, &mut response);
        response
    }
}

/// Runs the action of a link of a signed-in person.
pub(super) async fn confirm(request: &PersonRequest, link: &Link) -> PageResult {
    match link.target {
        LinkTarget::Invite { account, role, .. } => join(request, link, account, role).await,
        _ => change_email(request, link).await,
    }
}

async fn join(request: &PersonRequest, link: &Link, account: Uuid, role: Role) -> PageResult {
    let (app, person) = (&request.app, request.person());
    app.gateway.admit_change().await?;
    let mut transaction = kit::pg::begin(&app.pool).await?;
    // Without the lock, the only owner could be deleted at the same time, and the account would have a new member and no owner.
    members::lock(&mut transaction, account).await?;
    request.lock(&mut transaction).await?;
    use_link(&mut transaction, app, link).await?;
    let memberships = members::of_person(&mut *transaction, person.id).await?;
    let is_member = memberships.iter().any(|it| it.account == account);
    if !is_member && memberships.len() >= members::MAX_ACCOUNTS {
        return Err(PageError::too_many_accounts(members::MAX_ACCOUNTS));
    }
    let now = app.clock.now();
    members::insert(&mut *transaction, account, person.id, role, now).await?;
    request
        .record_in_account(&mut *transaction, account, Action::Joined, role.as_str())
        .await?;
    transaction.commit().await?;
    Ok(see_other(&format!("/accounts/{account}")))
}

async fn change_email(request: &PersonRequest, link: &Link) -> PageResult {
    let (app, person) = (&request.app, request.person());
    let mut transaction = kit::pg::begin(&app.pool).await?;
    request.lock(&mut transaction).await?;
    use_link(&mut transaction, app, link).await?;
    links::remove_of_person(&mut *transaction, person.id).await?;
    links::bind_invitations(&mut *transaction, &person.email, person.id).await?;
    if let Err(error) = people::set_email(&mut *transaction, person.id, &link.email).await {
        if is_taken(&error) {
            let keys = &("error-address-taken-title", "error-address-taken");
            return Err(PageError::translated(StatusCode::CONFLICT, keys));
        }
        return Err(error.into());
    }
    let text = MailText::new("email-changed")
        .with("old", person.email.as_str())
        .with("new", link.email.as_str())
        .with(
            "contact",
            app.staff_mail.as_ref().unwrap_or(&app.public_url).as_str(),
        );
    for address in [&person.email, &link.email] {
        let reader = Reader {
            address,
            language: person.language(),
        };
        person_mail::queue(&mut transaction, reader, &text, app.clock.now()).await?;
    }
    request
        .record_own(&mut *transaction, Action::EmailChanged)
        .await?;
    let session = request.renew_session(&mut transaction).await?;
    transaction.commit().await?;
    let mut response = see_other("/you?done=email");
    session.add_cookies(app, &mut response);
    Ok(response)
}

/// Uses a link up. Of two concurrent requests, one fails here. Every transaction locks the person before the person's links, so that no two
/// wait for each other.
async fn use_link(connection: &mut PgConnection, app: &Web, link: &Link) -> Result<(), PageError> {
    if links::consume(connection, link.id, app.clock.now()).await? {
        Ok(())
    } else {
        Err(PageError::link_gone())
    }
}
