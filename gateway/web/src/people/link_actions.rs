//! The actions of links. Each uses its link up in the transaction of the change.

use axum::response::Response;
use http::StatusCode;
use kit::{Code, Fault, ids};
use pages::Fields;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sqlx::PgConnection;
use uuid::Uuid;

use super::link::Input;
use super::link_mail::inform;
use super::{record, renew_session, sign_in_again};
use crate::app::Web;
use crate::contact_address;
use crate::domain::role::Role;
use crate::domain::{account_name, password};
use crate::page_error::{PageError, PageResult};
use crate::render::{form_errors, see_other};
use crate::session::limits;
use crate::session::sessions::Stage;
use crate::store::links::{self, Link, LinkTarget};
use crate::store::people::{self, NewPerson, Person};
use crate::store::{activity, closed_accounts, is_taken, members};
use crate::upstream::gateway::Actor;
use crate::viewer::{ClientInfo, Viewer, begin_session};

/// A form that was refused, with the status of its page.
type Refused = (StatusCode, Fields);

/// Counts a form with a new password: of this link, and of the network. Anybody can get a link, so without limits a few clients could use up
/// the pool of hashes, and nobody could sign in.
async fn count(
    web: &Web,
    client: &ClientInfo,
    link: &Link,
) -> Result<Result<(), Refused>, PageError> {
    let now = web.clock.now();
    for (limit, subject) in [
        (limits::LINK, link.id.to_string()),
        (limits::LINKS_FROM, client.network()),
    ] {
        if let Err(reached) = web.limits.count(limit, &subject, now).await? {
            let errors = Fields::general(reached.too_many("tries"));
            return Ok(Err((StatusCode::TOO_MANY_REQUESTS, errors)));
        }
    }
    Ok(Ok(()))
}

/// Hashes a new password, which was checked before.
async fn new_hash(web: &Web, password: &str) -> Result<Result<String, Refused>, PageError> {
    match web.passwords.hash(password).await {
        Ok(hash) => Ok(Ok(hash)),
        Err(fault) if fault.code == Code::Unavailable => Ok(Err(form_errors(&fault, &[], &[]))),
        Err(fault) => Err(fault.into()),
    }
}

/// Makes a person: with an account, or as a member of the one that the link names.
pub(super) async fn create_person(
    web: &Web,
    client: &ClientInfo,
    (link, next): (&Link, Option<&str>),
    form: &Input,
) -> Result<Result<Response, Refused>, PageError> {
    if let Err(refused) = count(web, client, link).await? {
        return Ok(Err(refused));
    }
    // Check everything else before the password is hashed, since a hash costs a core for a while.
    let errors = errors_of_new_person(link, form);
    if !errors.is_empty() {
        return Ok(Err((StatusCode::UNPROCESSABLE_ENTITY, errors)));
    }
    if let Err(closed) = web.gateway.admit_change().await {
        return Ok(Err(form_errors(&closed, &[], &[])));
    }
    let hash = match new_hash(web, &form.password).await? {
        Ok(hash) => hash,
        Err(refused) => return Ok(Err(refused)),
    };
    let id = ids::row_id();
    // Make the account first. If the gateway is away, the link is still valid, and makes the same account when it is used again.
    let membership = match &link.target {
        LinkTarget::Invite { account, role, .. } => Some((*account, *role)),
        _ => match account_for(web, client, id, link, &form.account_name).await {
            Ok(account) => account.map(|account| (account, Role::Owner)),
            Err(fault) => {
                let renamed = [("name", "account_name")];
                return Ok(Err(form_errors(&fault, &["account_name"], &renamed)));
            }
        },
    };
    let now = web.clock.now();
    let mut transaction = web.pool.begin().await?;
    // Lock the account before the link's row, in the same order as a deletion, which removes the invitations of the person.
    if let Some((account, _)) = membership {
        members::lock(&mut transaction, account).await?;
    }
    use_link(&mut transaction, web, link).await?;
    let person = NewPerson {
        id,
        email: &link.email,
        password_hash: &hash,
    };
    if let Err(error) = people::insert(&mut *transaction, person, now).await {
        // Another link has created the person meanwhile.
        return if is_taken(&error) {
            Err(PageError::link_gone())
        } else {
            Err(error.into())
        };
    }
    if let Some((account, role)) = membership {
        let is_invited = matches!(link.target, LinkTarget::Invite { .. });
        // If another person has taken over the account meanwhile, the new person does not become a member.
        if is_invited || is_free(&mut transaction, account).await? {
            members::insert(&mut *transaction, account, id, role, now).await?;
            let action = if is_invited {
                "joined"
            } else {
                "account_created"
            };
            let entry = activity::NewEntry {
                account: Some(account),
                person: id,
                email: &link.email,
                action,
                subject: role.as_str(),
                address: &client.address(),
                agent: &client.agent,
            };
            activity::insert(&mut *transaction, entry, now).await?;
        }
    }
    transaction.commit().await?;
    let path = match (next, membership) {
        (Some(next), _) => next.to_owned(),
        (None, Some((account, _))) => format!("/accounts/{account}"),
        (None, None) => "/accounts".to_owned(),
    };
    // 1 is the version of a new person's credentials.
    Ok(Ok(
        signed_in(web, client, (id, 1, Stage::SignedIn), &path).await
    ))
}

fn errors_of_new_person(link: &Link, form: &Input) -> Fields {
    let mut errors = Fields::default();
    if link.target == LinkTarget::SignUp
        && let Err(problem) = account_name::check(&form.account_name)
    {
        errors.add("account_name", problem);
    }
    let inputs = [link.email.as_str(), form.account_name.as_str()];
    if let Err(problem) = password::check(&form.password, &inputs) {
        errors.add("password", problem);
    }
    errors
}

/// Whether an account has no members and was not closed by the deletion of its people, so that a new person may get it. The caller holds
/// the lock of [`members::lock`].
async fn is_free(connection: &mut PgConnection, account: Uuid) -> Result<bool, sqlx::Error> {
    Ok(!members::exist(&mut *connection, account).await?
        && !closed_accounts::contains(connection, account).await?)
}

/// The account for a new person: the one that staff have created with this address, if it never had members, or else a new one.
async fn account_for(
    web: &Web,
    client: &ClientInfo,
    person: Uuid,
    link: &Link,
    name: &str,
) -> Result<Option<Uuid>, Fault> {
    if let Some(account) = web.gateway.account_by_email(&link.email).await? {
        let is_taken = account != link.id && members::exist(&web.pool, account).await?;
        if !is_taken && !closed_accounts::contains(&web.pool, account).await? {
            return Ok(Some(account));
        }
    }
    let actor = Actor {
        person,
        address: client.address(),
    };
    let created = web
        .gateway
        .create_account(&actor, link.id, name, &link.email);
    created.await?;
    Ok(Some(link.id))
}

/// Sets a new password, which ends all sessions, and signs the person in.
pub(super) async fn reset_password(
    web: &Web,
    client: &ClientInfo,
    (link, next): (&Link, Option<&str>),
    person: &Person,
    form: &Input,
) -> Result<Result<Response, Refused>, PageError> {
    if let Err(refused) = count(web, client, link).await? {
        return Ok(Err(refused));
    }
    if let Err(problem) = password::check(&form.password, &[&person.email]) {
        let errors = Fields::one("password", problem);
        return Ok(Err((StatusCode::UNPROCESSABLE_ENTITY, errors)));
    }
    let hash = match new_hash(web, &form.password).await? {
        Ok(hash) => hash,
        Err(refused) => return Ok(Err(refused)),
    };
    let now = web.clock.now();
    let mut transaction = web.pool.begin().await?;
    use_link(&mut transaction, web, link).await?;
    // Other people may have other links of the same kind.
    links::remove_of_person(&mut *transaction, person.id).await?;
    let set = people::set_password(&mut *transaction, person, &hash).await?;
    let version = set.ok_or_else(sign_in_again)?;
    let text = "The password of your account was set anew, and all sessions have ended.\n\nIf this was not you, set another password at once.\n";
    inform(
        &mut transaction,
        &person.email,
        "Your password was changed",
        text,
        now,
    )
    .await?;
    record(&mut *transaction, person, client, "password_reset", now).await?;
    transaction.commit().await?;
    // The link replaces the password, not the second factor.
    let (stage, path) = if person.totp_secret.is_some() {
        let next = next.map(|next| utf8_percent_encode(next, NON_ALPHANUMERIC));
        let next = next.map_or_else(String::new, |next| format!("?next={next}"));
        (Stage::SecondFactor, format!("/sign-in/code{next}"))
    } else {
        (Stage::SignedIn, next.unwrap_or("/accounts").to_owned())
    };
    Ok(Ok(signed_in(
        web,
        client,
        (person.id, version, stage),
        &path,
    )
    .await))
}

/// Signs a person in whose new password is stored, and redirects to `path`. The link is used up, so if Redis fails, the person signs in
/// with the password.
async fn signed_in(
    web: &Web,
    client: &ClientInfo,
    (person, version, stage): (Uuid, i32, Stage),
    path: &str,
) -> Response {
    let mut response = see_other(path);
    let begun = begin_session(web, person, version, stage, client, &mut response);
    if let Err(fault) = begun.await {
        tracing::warn!(%fault, "a person must sign in after a new password");
        return see_other("/sign-in");
    }
    response
}

/// Runs the action of a link of a signed-in person.
pub(super) async fn confirm(
    web: &Web,
    client: &ClientInfo,
    link: &Link,
    viewer: &Viewer,
) -> PageResult {
    match link.target {
        LinkTarget::Invite { account, role, .. } => {
            join(web, client, link, viewer, (account, role)).await
        }
        _ => change_email(web, client, link, viewer).await,
    }
}

async fn join(
    web: &Web,
    client: &ClientInfo,
    link: &Link,
    viewer: &Viewer,
    (account, role): (Uuid, Role),
) -> PageResult {
    web.gateway.admit_change().await?;
    let (now, person) = (web.clock.now(), &viewer.person);
    let mut transaction = web.pool.begin().await?;
    // Without the lock, the only owner could be deleted at the same time, and the account would have a new member and no owner.
    members::lock(&mut transaction, account).await?;
    use_link(&mut transaction, web, link).await?;
    members::insert(&mut *transaction, account, person.id, role, now).await?;
    let entry = activity::NewEntry {
        account: Some(account),
        person: person.id,
        email: &person.email,
        action: "joined",
        subject: role.as_str(),
        address: &client.address(),
        agent: &client.agent,
    };
    activity::insert(&mut *transaction, entry, now).await?;
    transaction.commit().await?;
    Ok(see_other(&format!("/accounts/{account}")))
}

async fn change_email(web: &Web, client: &ClientInfo, link: &Link, viewer: &Viewer) -> PageResult {
    let (now, person) = (web.clock.now(), &viewer.person);
    let mut transaction = web.pool.begin().await?;
    use_link(&mut transaction, web, link).await?;
    links::remove_of_person(&mut *transaction, person.id).await?;
    let version = match people::set_email(&mut *transaction, person, &link.email).await {
        Ok(version) => version.ok_or_else(sign_in_again)?,
        Err(error) if is_taken(&error) => {
            let text = "Another person has this address. Sign in as that person, or choose another address.";
            return Err(PageError::new(StatusCode::CONFLICT, "Not free", text));
        }
        Err(error) => return Err(error.into()),
    };
    let text = format!(
        "Your address for signing in was changed from {} to {}.\n\nIf this was not you, answer this mail.\n",
        person.email, link.email
    );
    for address in [&person.email, &link.email] {
        inform(
            &mut transaction,
            address,
            "Your address was changed",
            &text,
            now,
        )
        .await?;
    }
    record(&mut *transaction, person, client, "email_changed", now).await?;
    transaction.commit().await?;
    let actor = viewer.actor(client);
    contact_address::replace_in_all(web, &actor, &person.email, &link.email).await;
    let response = see_other("/you?done=email");
    Ok(renew_session(web, viewer, version, client, response).await)
}

/// Uses a link up. Of two concurrent requests, one fails here.
async fn use_link(connection: &mut PgConnection, web: &Web, link: &Link) -> Result<(), PageError> {
    if links::consume(connection, link.id, web.clock.now()).await? {
        Ok(())
    } else {
        Err(PageError::link_gone())
    }
}
