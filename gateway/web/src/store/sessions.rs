//! `web.session`: sessions. The cookie has a random token; the table has only its hash.

use sqlx::{PgConnection, PgExecutor, PgPool};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::people::Person;
use crate::domain::role::Role;
use crate::domain::session_token::TokenHash;

/// How long a session lasts without a request, and how long at most.
#[derive(Debug, Clone, Copy)]
pub struct Lifetimes {
    pub idle: Duration,
    pub most: Duration,
}

/// A session that waits for the second factor ends after this time.
const SECOND_FACTOR: Duration = Duration::minutes(10);
/// After this time a request stores again when the session was last seen.
const SEEN: Duration = Duration::minutes(5);
/// The most sessions of a person.
pub const MOST: i64 = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    SignedIn,
    /// The password was right; the code of the app is missing.
    SecondFactor,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub stage: Stage,
    pub since: OffsetDateTime,
    pub seen: OffsetDateTime,
    pub address: String,
    pub agent: String,
}

/// Cut-off times: a session is over if it was last used before `idle_since`, or created before `created_before`, or created before
/// `unfinished_before` and still without the second factor.
struct CutOff {
    idle_since: OffsetDateTime,
    created_before: OffsetDateTime,
    unfinished_before: OffsetDateTime,
}

impl Lifetimes {
    fn cut_off(self, now: OffsetDateTime) -> CutOff {
        CutOff {
            idle_since: now - self.idle,
            created_before: now - self.most,
            unfinished_before: now - SECOND_FACTOR,
        }
    }
}

impl Stage {
    const fn as_str(self) -> &'static str {
        match self {
            Self::SignedIn => "signed_in",
            Self::SecondFactor => "second_factor",
        }
    }

    /// `None` for the stage of a newer version.
    fn parse(text: &str) -> Option<Self> {
        [Self::SignedIn, Self::SecondFactor].into_iter().find(|stage| stage.as_str() == text)
    }
}

/// The session of a token, its person, and the role of the person in an account.
pub async fn find(
    executor: impl PgExecutor<'_>,
    token: TokenHash,
    account: Option<Uuid>,
    lifetimes: Lifetimes,
    now: OffsetDateTime,
) -> Result<Option<(Person, Session, Option<Role>)>, sqlx::Error> {
    let cut_off = lifetimes.cut_off(now);
    let row = sqlx::query!(
        r#"select id, email, password_hash, totp_secret, language, wants_notices, stage, session.since, seen, address, agent,
             role as "role?"
         from web.session join web.person on id = person_id
             left join web.member on member.person_id = id and account_id = $5
         where token_sha256 = $1 and seen > $2 and session.since > $3 and (stage = 'signed_in' or session.since > $4)"#,
        &token.0[..],
        cut_off.idle_since,
        cut_off.created_before,
        cut_off.unfinished_before,
        account,
    );
    let Some(row) = row.fetch_optional(executor).await? else {
        return Ok(None);
    };
    let Some(stage) = Stage::parse(&row.stage) else {
        return Ok(None);
    };
    let session =
        Session { stage, since: row.since, seen: row.seen, address: row.address, agent: row.agent };
    let person = Person {
        id: row.id,
        email: row.email,
        password_hash: row.password_hash,
        totp_secret: row.totp_secret,
        language: row.language,
        wants_notices: row.wants_notices,
    };
    let role = row.role.and_then(|role| role.parse().ok());
    Ok(Some((person, session, role)))
}

/// Prolongs a session, unless it was seen a few minutes ago.
pub async fn touch(
    executor: impl PgExecutor<'_>,
    token: TokenHash,
    session: &Session,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    if session.stage != Stage::SignedIn || now - session.seen < SEEN {
        return Ok(());
    }
    let query =
        sqlx::query!("update web.session set seen = $2 where token_sha256 = $1", &token.0[..], now);
    query.execute(executor).await?;
    Ok(())
}

/// Begins a session of a person, whom the caller has locked, so that none begins while a change ends them all.
///
/// Beyond the most sessions of a person, those end that wait for the second factor, and then those that were not seen for the longest time.
pub async fn insert(
    connection: &mut PgConnection,
    token: TokenHash,
    person: Uuid,
    session: &Session,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "delete from web.session where token_sha256 in (
            select token_sha256 from web.session where person_id = $1 order by stage = 'signed_in' desc, seen desc offset $2
         )",
        person,
        MOST - 1
    );
    query.execute(&mut *connection).await?;
    let query = sqlx::query!(
        "insert into web.session (token_sha256, person_id, stage, since, seen, address, agent) values ($1, $2, $3, $4, $5, $6, $7)",
        &token.0[..],
        person,
        session.stage.as_str(),
        session.since,
        session.seen,
        session.address,
        session.agent
    );
    query.execute(connection).await?;
    Ok(())
}

/// The signed-in sessions of a person, newest first.
pub async fn of_person(
    executor: impl PgExecutor<'_>,
    person: Uuid,
    lifetimes: Lifetimes,
    now: OffsetDateTime,
) -> Result<Vec<(TokenHash, Session)>, sqlx::Error> {
    let cut_off = lifetimes.cut_off(now);
    let rows = sqlx::query!(
        "select token_sha256, since, seen, address, agent from web.session
         where person_id = $1 and stage = 'signed_in' and seen > $2 and since > $3 order by since desc, token_sha256",
        person,
        cut_off.idle_since,
        cut_off.created_before,
    ).fetch_all(executor).await?.into_iter();
    let sessions = rows.filter_map(|row| {
        let session = Session {
            stage: Stage::SignedIn,
            since: row.since,
            seen: row.seen,
            address: row.address,
            agent: row.agent,
        };
        Some((TokenHash(row.token_sha256.try_into().ok()?), session))
    });
    Ok(sessions.collect())
}

/// Whether a session has not been ended.
pub async fn exists(executor: impl PgExecutor<'_>, token: TokenHash) -> Result<bool, sqlx::Error> {
    let query = sqlx::query_scalar!(
        r#"select exists (select from web.session where token_sha256 = $1) as "exists!""#,
        &token.0[..]
    );
    query.fetch_one(executor).await
}

/// Ends the session of a token, if there is one.
pub async fn end(executor: impl PgExecutor<'_>, token: TokenHash) -> Result<(), sqlx::Error> {
    let query = sqlx::query!("delete from web.session where token_sha256 = $1", &token.0[..]);
    query.execute(executor).await?;
    Ok(())
}

/// Ends a session, if it is one of this person.
pub async fn end_of(
    executor: impl PgExecutor<'_>,
    person: Uuid,
    token: TokenHash,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "delete from web.session where token_sha256 = $1 and person_id = $2",
        &token.0[..],
        person
    );
    query.execute(executor).await?;
    Ok(())
}

/// Ends all sessions of a person, whom the caller has locked.
pub async fn end_all(executor: impl PgExecutor<'_>, person: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from web.session where person_id = $1", person).execute(executor).await?;
    Ok(())
}

/// Removes sessions that have ended; returns their number.
pub async fn remove_ended(
    pool: &PgPool,
    lifetimes: Lifetimes,
    now: OffsetDateTime,
) -> Result<u64, sqlx::Error> {
    let cut_off = lifetimes.cut_off(now);
    let removed = sqlx::query!(
        "delete from web.session where seen <= $1 or since <= $2 or (stage <> 'signed_in' and since <= $3)",
        cut_off.idle_since,
        cut_off.created_before,
        cut_off.unfinished_before,
    );
    Ok(removed.execute(pool).await?.rows_affected())
}
