//! `web.member`: the people of accounts, with their roles.

use pages::Language;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::role::Role;

/// The most accounts of a person: some pages list them all.
pub const MAX_ACCOUNTS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Membership {
    pub account: Uuid,
    pub role: Role,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub person: Uuid,
    pub email: String,
    pub role: Role,
    pub since: OffsetDateTime,
    pub language: Language,
    pub wants_notices: bool,
}

/// An owner of an account of somebody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherOwner {
    pub email: String,
    pub language: Language,
}

/// Why a member cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberChange {
    Changed,
    /// There is no such member.
    NotFound,
    /// The account would have no owner.
    LastOwner,
}

/// Makes a person a member; a member keeps the role.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    person: Uuid,
    role: Role,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "insert into web.member (account_id, person_id, role, since) values ($1, $2, $3, $4) on conflict do nothing",
        account,
        person,
        role.as_str(),
        now
    );
    query.execute(executor).await?;
    Ok(())
}

/// The role of a person in an account.
pub async fn role(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    person: Uuid,
) -> Result<Option<Role>, sqlx::Error> {
    let role = sqlx::query_scalar!(
        "select role from web.member where account_id = $1 and person_id = $2",
        account,
        person,
    )
    .fetch_optional(executor)
    .await?;
    Ok(role.and_then(|role| role.parse().ok()))
}

/// The accounts of a person, oldest membership first.
pub async fn of_person(
    executor: impl PgExecutor<'_>,
    person: Uuid,
) -> Result<Vec<Membership>, sqlx::Error> {
    let rows = sqlx::query!(
        "select account_id, role from web.member where person_id = $1 order by since, account_id",
        person,
    );
    let memberships = rows.fetch_all(executor).await?.into_iter().filter_map(|row| {
        Some(Membership { account: row.account_id, role: row.role.parse().ok()? })
    });
    Ok(memberships.collect())
}

/// The members of an account, longest first.
pub async fn of_account(
    executor: impl PgExecutor<'_>,
    account: Uuid,
) -> Result<Vec<Member>, sqlx::Error> {
    let rows = sqlx::query!(
        "select person_id, email, role, since, language, wants_notices from web.member join web.person on id = person_id
         where account_id = $1 order by since, person_id",
        account,
    );
    let members = rows.fetch_all(executor).await?.into_iter().filter_map(|row| {
        Some(Member {
            person: row.person_id,
            email: row.email,
            role: row.role.parse().ok()?,
            since: row.since,
            language: Language::from_code(&row.language),
            wants_notices: row.wants_notices,
        })
    });
    Ok(members.collect())
}

/// The owners of a person's accounts, without the person.
pub async fn other_owners(
    executor: impl PgExecutor<'_>,
    person: Uuid,
) -> Result<Vec<OtherOwner>, sqlx::Error> {
    let rows = sqlx::query!(
        "select email, language from web.person
         where id <> $1 and exists (
            select from web.member as own join web.member as other using (account_id)
            where own.person_id = $1 and other.person_id = id and other.role = 'owner'
         )
         order by id",
        person,
    );
    let owners = rows
        .fetch_all(executor)
        .await?
        .into_iter()
        .map(|row| OtherOwner { email: row.email, language: Language::from_code(&row.language) });
    Ok(owners.collect())
}

/// Whether an account has a member. The caller holds the lock of [`lock`].
pub async fn exist(executor: impl PgExecutor<'_>, account: Uuid) -> Result<bool, sqlx::Error> {
    let query = sqlx::query_scalar!(
        r#"select exists (select from web.member where account_id = $1) as "exists!""#,
        account
    );
    query.fetch_one(executor).await
}

/// Locks the members of an account until the transaction ends, also of an account without members. The changes of a team are serialized, so
/// that two owners cannot remove each other at once.
pub async fn lock(connection: &mut PgConnection, account: Uuid) -> Result<(), sqlx::Error> {
    kit::pg::lock_key(connection, &account.to_string()).await
}

/// Removes a member, who may be the last owner.
pub async fn remove(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    person: Uuid,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "delete from web.member where account_id = $1 and person_id = $2",
        account,
        person
    );
    query.execute(executor).await?;
    Ok(())
}

/// Sets the role of a member, or removes the member.
pub async fn set_role(
    connection: &mut PgConnection,
    account: Uuid,
    person: Uuid,
    new: Option<Role>,
) -> Result<MemberChange, sqlx::Error> {
    lock(connection, account).await?;
    let Some(old) = role(&mut *connection, account, person).await? else {
        return Ok(MemberChange::NotFound);
    };
    if old == Role::Owner && new != Some(Role::Owner) {
        let owners = sqlx::query_scalar!(
            r#"select count(*) as "count!" from web.member where account_id = $1 and role = 'owner'"#,
            account,
        );
        if owners.fetch_one(&mut *connection).await? < 2 {
            return Ok(MemberChange::LastOwner);
        }
    }
    match new {
        Some(role) => {
            sqlx::query!(
                "update web.member set role = $3 where account_id = $1 and person_id = $2",
                account,
                person,
                role.as_str(),
            )
            .execute(connection)
            .await?;
        }
        None => remove(connection, account, person).await?,
    }
    Ok(MemberChange::Changed)
}
