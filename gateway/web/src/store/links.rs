//! `web.link`: links in mails. Only the hash of a link is stored.

use kit::network::Network;
use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::link::Purpose;
use crate::domain::role::Role;
use crate::domain::session_token::{Token, TokenHash};

/// The action of a link, and its person or account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    SignUp,
    Reset {
        person: Uuid,
    },
    Email {
        person: Uuid,
    },
    /// `by` is the person who invites; `None`: staff.
    Invite {
        by: Option<Uuid>,
        account: Uuid,
        role: Role,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub id: Uuid,
    /// Where the link was mailed to.
    pub email: String,
    pub target: LinkTarget,
    /// The person whom an invitation is for, if that person no longer has the address `email`.
    pub invited: Option<Uuid>,
    pub expires_at: OffsetDateTime,
    /// The network of the visitor who requested the mail, and when, if the limit of the network counts the mail.
    pub requested: Option<(Network, OffsetDateTime)>,
}

struct Row {
    id: Uuid,
    purpose: String,
    email: String,
    person_id: Option<Uuid>,
    account_id: Option<Uuid>,
    role: Option<String>,
    invited_id: Option<Uuid>,
    expires_at: OffsetDateTime,
    requested_from: Option<String>,
    requested_at: Option<OffsetDateTime>,
}

impl LinkTarget {
    pub fn purpose(&self) -> Purpose {
        match self {
            Self::SignUp => Purpose::SignUp,
            Self::Reset { .. } => Purpose::Reset,
            Self::Email { .. } => Purpose::Email,
            Self::Invite { .. } => Purpose::Invite,
        }
    }
}

impl Row {
    /// `None` for a row that a newer version wrote.
    fn into_link(self) -> Option<Link> {
        let target = match self.purpose.parse::<Purpose>().ok()? {
            Purpose::SignUp => LinkTarget::SignUp,
            Purpose::Reset => LinkTarget::Reset { person: self.person_id? },
            Purpose::Email => LinkTarget::Email { person: self.person_id? },
            Purpose::Invite => LinkTarget::Invite {
                by: self.person_id,
                account: self.account_id?,
                role: self.role?.parse().ok()?,
            },
        };
        let requested_from = self.requested_from.and_then(|network| network.parse().ok());
        Some(Link {
            requested: requested_from.zip(self.requested_at),
            id: self.id,
            email: self.email,
            target,
            invited: self.invited_id,
            expires_at: self.expires_at,
        })
    }
}

/// A link that was inserted.
#[derive(Debug)]
pub struct NewLink {
    pub id: Uuid,
    /// Stored nowhere.
    pub token: Token,
    pub expires_at: OffsetDateTime,
}

/// Inserts a link with this id to this address.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    email: &str,
    target: &LinkTarget,
    requested_from: Option<Network>,
    now: OffsetDateTime,
) -> Result<NewLink, sqlx::Error> {
    let purpose = target.purpose();
    let link = NewLink { id, token: Token::generate(), expires_at: now + purpose.lifetime() };
    let (person, account, role) = match *target {
        LinkTarget::SignUp => (None, None, None),
        LinkTarget::Reset { person } | LinkTarget::Email { person } => (Some(person), None, None),
        LinkTarget::Invite { by, account, role } => (by, Some(account), Some(role.as_str())),
    };
    let query = sqlx::query!(
        "insert into web.link (id, token_sha256, purpose, email, person_id, account_id, role, expires_at, requested_from, requested_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        link.id,
        &link.token.hash().0[..],
        purpose.as_str(),
        email,
        person,
        account,
        role,
        link.expires_at,
        requested_from.map(|network| network.to_string()),
        requested_from.map(|_| now)
    );
    query.execute(executor).await?;
    Ok(link)
}

/// The link with this token, if it has not expired. Reading it changes nothing.
pub async fn find(
    executor: impl PgExecutor<'_>,
    token: TokenHash,
    now: OffsetDateTime,
) -> Result<Option<Link>, sqlx::Error> {
    let row = sqlx::query_as!(
        Row,
        "select id, purpose, email, person_id, account_id, role, invited_id, expires_at, requested_from, requested_at from web.link
         where token_sha256 = $1 and expires_at > $2",
        &token.0[..],
        now,
    );
    Ok(row.fetch_optional(executor).await?.and_then(Row::into_link))
}

/// Uses a link; false if it has been used or has expired. Of two concurrent uses one succeeds.
pub async fn consume(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let used = sqlx::query!("delete from web.link where id = $1 and expires_at > $2", id, now);
    Ok(used.execute(executor).await?.rows_affected() == 1)
}

/// Removes all links that reset the password or change the address of a person.
pub async fn remove_of_person(
    executor: impl PgExecutor<'_>,
    person: Uuid,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "delete from web.link where person_id = $1 and purpose in ('reset', 'email')",
        person
    );
    query.execute(executor).await?;
    Ok(())
}

/// Binds the invitations that were sent to the address of a person to the person, whose address is about to change.
pub async fn bind_invitations(
    executor: impl PgExecutor<'_>,
    email: &str,
    person: Uuid,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "update web.link set invited_id = $2 where email = $1 and purpose = 'invite' and invited_id is null",
        email,
        person
    );
    query.execute(executor).await?;
    Ok(())
}

/// The open invitations of an account, newest first.
pub async fn invitations(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    now: OffsetDateTime,
) -> Result<Vec<Link>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Row,
        "select id, purpose, email, person_id, account_id, role, invited_id, expires_at, requested_from, requested_at from web.link
         where account_id = $1 and expires_at > $2 order by id desc limit 200",
        account,
        now,
    ).fetch_all(executor).await?;
    Ok(rows.into_iter().filter_map(Row::into_link).collect())
}

/// Removes an invitation of an account; returns its address.
pub async fn withdraw(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    id: Uuid,
) -> Result<Option<String>, sqlx::Error> {
    let query = sqlx::query_scalar!(
        "delete from web.link where account_id = $1 and id = $2 returning email",
        account,
        id
    );
    query.fetch_optional(executor).await
}

/// Removes the invitations to an account that a person has sent.
pub async fn remove_invitations_by(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    person: Uuid,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "delete from web.link where account_id = $1 and person_id = $2",
        account,
        person
    );
    query.execute(executor).await?;
    Ok(())
}

/// Removes the invitations to an account that has no people any more.
pub async fn remove_invitations(
    executor: impl PgExecutor<'_>,
    account: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from web.link where account_id = $1", account).execute(executor).await?;
    Ok(())
}

/// Removes the invitations to an account that are for a person.
pub async fn remove_invitations_for(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    person: Uuid,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "delete from web.link
         where account_id = $1
         and (invited_id = $2 or invited_id is null and email = (select email from web.person where id = $2))",
        account,
        person
    );
    query.execute(executor).await?;
    Ok(())
}

/// Removes links that have expired, except those whose mail is still to be sent; returns their
/// number.
pub async fn remove_expired(pool: &PgPool, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!(
        "delete from web.link
         where expires_at <= $1 and not exists (select from web.mail where link_id = link.id)",
        now
    );
    Ok(removed.execute(pool).await?.rows_affected())
}
