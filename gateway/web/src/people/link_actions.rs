//! The actions of links. Each uses its link up in the transaction of the change.

use axum::response::Response;
use http::StatusCode;
use kit::{Fault, ids};
use pages::Fields;
use pages::mails::MailText;
use serde::Deserialize;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{password_problem, sign_in_again};
use crate::app::Web;
use crate::client_info::ClientInfo;
use crate::contact_address;
use crate::domain::action::Action;
use crate::domain::percent::encoded;
use crate::domain::role::Role;
use crate::domain::{account_name, password};
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::person_mail::{self, Reader};
use crate::person_request::PersonRequest;
use crate::render::{FormState, see_other};
use crate::session::limits;
use crate::session::sessions::Stage;
use crate::store::activity::{self, NewEntry};
use crate::store::links::{self, Link, LinkTarget};
use crate::store::people::{self, NewPerson, Person};
use crate::store::{closed_accounts, is_taken, members};
use crate::upstream::gateway::Actor;
use crate::viewer::{NewSession, Viewer, begin_session};

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
    /// Counts a form with a new password: of this link, and of the network. Anybody can get a link, so without limits a few clients could
    /// use up the pool of hashes, and nobody could sign in.
    async fn count(&self) -> Result<(), LinkError> {
        let now = self.app.clock.now();
        for (limit, subject) in [
            (limits::LINK, self.link.id.to_string()),
            (limits::LINKS_FROM, self.client.network()),
        ] {
            if let Err(reached) = self.app.limits.count(limit, &subject, now).await? {
                let fault = reached.too_many_in(self.language.language, "limit-tries");
                return Err(LinkError::Refused(FormState::refused_here(&fault)));
            }
        }
        Ok(())
    }

    /// Hashes a new password, which was checked before.
    async fn new_hash(&self) -> Result<String, LinkError> {
        Ok(self.app.passwords.hash(&self.input.password).await?)
    }

    /// Makes a person: with an account, or as a member of the one that the link names.
    pub(super) async fn create_person(&self) -> Result<Response, LinkError> {
        let (app, link) = (self.app, self.link);
        self.count().await?;
        // Check everything else before the password is hashed, since a hash costs a core for a while.
        let errors = self.errors_of_new_person();
        if !errors.is_empty() {
            return Err(LinkError::Refused(FormState::invalid(errors)));
        }
        app.gateway.admit_change().await?;
        let hash = self.new_hash().await?;
        let id = ids::row_id();
        // Make the account first. If the gateway is away, the link is still valid, and makes the same account when it is used again.
        let membership = match &link.target {
            LinkTarget::Invite { account, role, .. } => Some((*account, *role)),
            _ => self.account_for(id).await?,
        };
        let mut transaction = app.pool.begin().await?;
        // Lock the account before the link's row, in the same order as a deletion, which removes the invitations of the person.
        if let Some((account, _)) = membership {
            members::lock(&mut transaction, account).await?;
        }
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
        if let Some((account, role)) = membership {
            self.join(&mut transaction, id, account, role).await?;
        }
        transaction.commit().await?;
        let path = match (self.next, membership) {
            (Some(next), _) => next.to_owned(),
            (None, Some((account, _))) => format!("/accounts/{account}"),
            (None, None) => "/accounts".to_owned(),
        };
        let session = NewSession {
            person: id,
            // That of a new person's credentials.
            version: 1,
            stage: Stage::SignedIn,
        };
        Ok(self.signed_in(session, &path).await)
    }

    /// Makes a new person a member, unless another person has taken over the account meanwhile.
    async fn join(
        &self,
        connection: &mut PgConnection,
        person: Uuid,
        account: Uuid,
        role: Role,
    ) -> Result<(), sqlx::Error> {
        let is_invited = matches!(self.link.target, LinkTarget::Invite { .. });
        if !is_invited && !is_free(&mut *connection, account).await? {
            return Ok(());
        }
        let now = self.app.clock.now();
        members::insert(&mut *connection, account, person, role, now).await?;
        let action = if is_invited {
            Action::Joined
        } else {
            Action::AccountCreated
        };
        let entry = NewEntry::new(person, &self.link.email, self.client, action);
        activity::insert(connection, entry.in_account(account, role.as_str()), now).await
    }

    /// The account for a new person, who owns it: the one that staff have created with this address, if it never had members, or else a
    /// new one.
    async fn account_for(&self, person: Uuid) -> Result<Option<(Uuid, Role)>, LinkError> {
        let account = self.find_or_create_account(person).await;
        let account = account.map_err(|fault| {
            let renamed = [("name", "account_name")];
            let refused = self.language.refused(fault, &["account_name"], &renamed);
            refused.map_or_else(LinkError::Page, LinkError::Refused)
        });
        Ok(Some((account?, Role::Owner)))
    }

    async fn find_or_create_account(&self, person: Uuid) -> Result<Uuid, Fault> {
        let (app, link) = (self.app, self.link);
        if let Some(account) = app.gateway.account_by_email(&link.email).await? {
            let is_taken = account != link.id && members::exist(&app.pool, account).await?;
            if !is_taken && !closed_accounts::contains(&app.pool, account).await? {
                return Ok(account);
            }
        }
        let actor = Actor {
            person,
            address: self.client.address(),
        };
        let name = &self.input.account_name;
        let created = app
            .gateway
            .create_account(&actor, link.id, name, &link.email);
        created.await?;
        Ok(link.id)
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
        self.count().await?;
        if let Err(problem) = password::check(&self.input.password, &[&person.email]) {
            let errors = Fields::one("password", password_problem(problem, self.language));
            return Err(LinkError::Refused(FormState::invalid(errors)));
        }
        let hash = self.new_hash().await?;
        let now = app.clock.now();
        let mut transaction = app.pool.begin().await?;
        use_link_of(&mut transaction, app, self.link, person).await?;
        // Other people may have other links of the same kind.
        links::remove_of_person(&mut *transaction, person.id).await?;
        let set = people::set_password(&mut *transaction, person, &hash).await?;
        let version = set.ok_or_else(sign_in_again)?;
        let text = MailText::new("password-reset");
        person_mail::queue(&mut transaction, Reader::of(person), &text, now).await?;
        let action = Action::PasswordReset;
        let entry = NewEntry::new(person.id, &person.email, self.client, action);
        activity::insert(&mut *transaction, entry, now).await?;
        transaction.commit().await?;
        // The link replaces the password, not the second factor.
        let (stage, path) = if person.totp_secret.is_some() {
            let next = self.next.map(|next| format!("?next={}", encoded(next)));
            let path = format!("/sign-in/code{}", next.unwrap_or_default());
            (Stage::SecondFactor, path)
        } else {
            let path = self.next.unwrap_or("/accounts");
            (Stage::SignedIn, path.to_owned())
        };
        let session = NewSession {
            person: person.id,
            version,
            stage,
        };
        Ok(self.signed_in(session, &path).await)
    }

    /// Signs a person in whose new password is stored, and redirects to `path`. The link is used up, so if Redis fails, the person signs
    /// in with the password.
    async fn signed_in(&self, session: NewSession, path: &str) -> Response {
        let mut response = see_other(path);
        let begun = async {
            if let Some(old) = self.viewer {
                let hash = old.token.hash();
                self.app.sessions.end_of(old.person.id, hash).await?;
            }
            begin_session(self.app, session, self.client, &mut response).await
        };
        if let Err(fault) = begun.await {
            tracing::warn!(%fault, "a person must sign in after a new password");
            return see_other(&self.language.path("/sign-in"));
        }
        response
    }
}

/// Whether an account has no members and was not closed by the deletion of its people, so that a new person may get it. The caller holds
/// the lock of [`members::lock`].
async fn is_free(connection: &mut PgConnection, account: Uuid) -> Result<bool, sqlx::Error> {
    Ok(!members::exist(&mut *connection, account).await?
        && !closed_accounts::contains(connection, account).await?)
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
    let mut transaction = app.pool.begin().await?;
    // Without the lock, the only owner could be deleted at the same time, and the account would have a new member and no owner.
    members::lock(&mut transaction, account).await?;
    use_link_of(&mut transaction, app, link, person).await?;
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
    let mut transaction = app.pool.begin().await?;
    use_link_of(&mut transaction, app, link, person).await?;
    links::remove_of_person(&mut *transaction, person.id).await?;
    links::bind_invitations(&mut *transaction, &person.email, person.id).await?;
    let version = match people::set_email(&mut *transaction, person, &link.email).await {
        Ok(version) => version.ok_or_else(sign_in_again)?,
        Err(error) if is_taken(&error) => {
            let keys = &("error-address-taken-title", "error-address-taken");
            return Err(PageError::translated(StatusCode::CONFLICT, keys));
        }
        Err(error) => return Err(error.into()),
    };
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
    transaction.commit().await?;
    let actor = request.actor();
    contact_address::replace_in_all(app, &actor, &person.email, &link.email).await;
    let response = see_other("/you?done=email");
    Ok(request.renew_session(version, response).await)
}

/// Uses a link up. Of two concurrent requests, one fails here.
async fn use_link(connection: &mut PgConnection, app: &Web, link: &Link) -> Result<(), PageError> {
    if links::consume(connection, link.id, app.clock.now()).await? {
        Ok(())
    } else {
        Err(PageError::link_gone())
    }
}

/// Uses up the link of a person whom the caller has read. Every transaction locks the person before the person's links, so that no two wait
/// for each other.
async fn use_link_of(
    connection: &mut PgConnection,
    app: &Web,
    link: &Link,
    person: &Person,
) -> Result<(), PageError> {
    let is_current = people::lock(&mut *connection, person).await?;
    use_link(connection, app, link).await?;
    if is_current {
        Ok(())
    } else {
        Err(sign_in_again())
    }
}
