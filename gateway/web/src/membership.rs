//! Ends memberships, for a person who leaves or is removed, and closes accounts without people.

use kit::Fault;
use pages::mails::MailText;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::member_mail::{self, MemberMail};
use crate::request::PersonRequest;
use crate::store::links;
use crate::store::people::Person;

/// A member whom a transaction has removed.
#[derive(Debug)]
pub struct RemovedMember<'a> {
    pub account: Uuid,
    pub person: &'a Person,
    /// How it ended, for the activity of the account.
    pub action: Action,
    /// The mail to the owners about the secrets that the person has seen.
    pub seen: Option<MailText<'static>>,
}

/// Ends with a membership the invitations by and for the person, which would lead back into the team; records its end, and tells the owners
/// which secrets the person has seen.
pub async fn end(
    connection: &mut PgConnection,
    request: &PersonRequest,
    ended: RemovedMember<'_>,
) -> Result<(), sqlx::Error> {
    let RemovedMember { account, person, .. } = ended;
    links::remove_invitations_by(&mut *connection, account, person.id).await?;
    links::remove_invitations_for(&mut *connection, account, person.id).await?;
    request.record_in_account(&mut *connection, account, ended.action, &person.email).await?;
    tell_owners(connection, request, account, ended.seen).await
}

/// Queues a mail to the owners of an account, if there is one.
pub async fn tell_owners(
    connection: &mut PgConnection,
    request: &PersonRequest,
    account: Uuid,
    text: Option<MailText<'static>>,
) -> Result<(), sqlx::Error> {
    let Some(text) = text else { return Ok(()) };
    let mail = MemberMail { account, permission: Permission::Manage, text };
    member_mail::queue(connection, mail, request.app.clock.now()).await?;
    Ok(())
}

/// Ends what an account without people may not keep: its claims, keys, requests for keys and webhooks. After a failure, a repeated call
/// continues.
pub async fn close_account(request: &PersonRequest, account: Uuid) -> Result<(), Fault> {
    let app = &request.app;
    app.listings.withdraw_claims(account).await?;
    app.gateway.close_account(&request.actor(), account).await?;
    app.webhooks.remove_all(account).await
}
