//! `web.person` and `web.recovery_code`.

use pages::Language;
use sqlx::{PgConnection, PgExecutor, PgPool};
use uuid::Uuid;

#[derive(Debug, Clone)]
pub struct Person {
    pub id: Uuid,
    pub email: String,
    pub password_hash: String,
    /// Encrypted; `None`: no second factor.
    pub totp_secret: Option<Vec<u8>>,
    /// The code of the language of pages and mails.
    pub language: String,
    /// Whether the person gets mails that can be switched off.
    pub wants_notices: bool,
}

impl Person {
    pub fn language(&self) -> Language {
        Language::from_code(&self.language)
    }
}

pub struct NewPerson<'a> {
    pub id: Uuid,
    pub email: &'a str,
    pub password_hash: &'a str,
    pub language: Language,
}

/// Inserts a person; the error is a unique violation if the address is taken.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    person: NewPerson<'_>,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "insert into web.person (id, email, password_hash, language) values ($1, $2, $3, $4)",
        person.id,
        person.email,
        person.password_hash,
        person.language.code()
    );
    query.execute(executor).await?;
    Ok(())
}

pub async fn by_email(
    executor: impl PgExecutor<'_>,
    email: &str,
) -> Result<Option<Person>, sqlx::Error> {
    let query = sqlx::query_as!(
        Person,
        "select id, email, password_hash, totp_secret, language, wants_notices
         from web.person where email = $1",
        email
    );
    query.fetch_optional(executor).await
}

pub async fn by_id(executor: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Person>, sqlx::Error> {
    let query = sqlx::query_as!(
        Person,
        "select id, email, password_hash, totp_secret, language, wants_notices
         from web.person where id = $1",
        id
    );
    query.fetch_optional(executor).await
}

/// Sets the password. The caller holds the lock of [`lock`], as for the other changes below, and ends the sessions.
pub async fn set_password(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    password_hash: &str,
) -> Result<(), sqlx::Error> {
    let query =
        sqlx::query!("update web.person set password_hash = $2 where id = $1", id, password_hash);
    query.execute(executor).await?;
    Ok(())
}

/// Sets the address. The error is a unique violation if it is taken.
pub async fn set_email(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    email: &str,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!("update web.person set email = $2 where id = $1", id, email);
    query.execute(executor).await?;
    Ok(())
}

/// The secret of an authenticator app.
#[derive(Debug, Clone, Copy)]
pub struct NewSecret<'a> {
    pub sealed: &'a [u8],
    /// The step whose code has confirmed the secret.
    pub step: i64,
}

/// Sets or removes the second factor with its recovery codes.
pub async fn set_totp(
    connection: &mut PgConnection,
    id: Uuid,
    secret: Option<NewSecret<'_>>,
    code_hashes: &[Vec<u8>],
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "update web.person set totp_secret = $2, totp_step = coalesce($3::bigint, 0) where id = $1",
        id,
        secret.map(|secret| secret.sealed),
        secret.map(|secret| secret.step)
    );
    query.execute(&mut *connection).await?;
    replace_recovery_codes(connection, id, code_hashes).await
}

/// Replaces the recovery codes of a person.
pub async fn replace_recovery_codes(
    connection: &mut PgConnection,
    id: Uuid,
    code_hashes: &[Vec<u8>],
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!("delete from web.recovery_code where person_id = $1", id);
    query.execute(&mut *connection).await?;
    let query = sqlx::query!(
        "insert into web.recovery_code (person_id, code_sha256) select $1, unnest($2::bytea[])",
        id,
        code_hashes
    );
    query.execute(connection).await?;
    Ok(())
}

/// Sets the language of a person's pages and mails, and whether the person gets notices.
pub async fn set_preferences(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    language: Language,
    wants_notices: bool,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "update web.person set language = $2, wants_notices = $3 where id = $1",
        id,
        language.code(),
        wants_notices
    );
    query.execute(executor).await?;
    Ok(())
}

/// Uses the code of a step; false if it, or a later one, was used before.
pub async fn use_totp_step(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    step: i64,
) -> Result<bool, sqlx::Error> {
    let used = sqlx::query!(
        "update web.person set totp_step = $2
         where id = $1 and totp_step < $2 and totp_secret is not null",
        id,
        step,
    );
    Ok(used.execute(executor).await?.rows_affected() == 1)
}

/// A second factor as it is stored.
pub struct SealedTotp {
    pub person: Uuid,
    pub sealed: Vec<u8>,
}

/// Up to 100 second factors that do not begin with `prefix`, that of the first key; of people after `after`.
pub async fn totps_of_old_keys(
    pool: &PgPool,
    after: Uuid,
    prefix: &[u8],
) -> Result<Vec<SealedTotp>, sqlx::Error> {
    let query = sqlx::query_as!(
        SealedTotp,
        r#"select id as person, totp_secret as "sealed!" from web.person
         where id > $1 and substr(totp_secret, 1, length($2::bytea)) <> $2::bytea
         order by id limit 100"#,
        after,
        prefix
    );
    query.fetch_all(pool).await
}

/// Stores the same secret under another key, unless the person has changed it; returns the number of rows.
pub async fn reseal_totp(
    pool: &PgPool,
    factor: &SealedTotp,
    sealed: &[u8],
) -> Result<u64, sqlx::Error> {
    let resealed = sqlx::query!(
        "update web.person set totp_secret = $3 where id = $1 and totp_secret = $2",
        factor.person,
        factor.sealed,
        sealed,
    );
    Ok(resealed.execute(pool).await?.rows_affected())
}

/// Uses a recovery code; false if there is none with this hash.
pub async fn use_recovery_code(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    hash: &[u8],
) -> Result<bool, sqlx::Error> {
    let used = sqlx::query!(
        "delete from web.recovery_code where person_id = $1 and code_sha256 = $2",
        id,
        hash,
    );
    Ok(used.execute(executor).await?.rows_affected() == 1)
}

/// Whether a person has one of these recovery codes.
pub async fn have_recovery_codes(
    executor: impl PgExecutor<'_>,
    person: Uuid,
    hashes: &[Vec<u8>],
) -> Result<bool, sqlx::Error> {
    let query = sqlx::query_scalar!(
        r#"select exists (select from web.recovery_code where person_id = $1 and code_sha256 = any ($2)) as "exists!""#,
        person,
        hashes
    );
    query.fetch_one(executor).await
}

pub async fn count_recovery_codes(
    executor: impl PgExecutor<'_>,
    id: Uuid,
) -> Result<i64, sqlx::Error> {
    let query = sqlx::query_scalar!(
        r#"select count(*) as "count!" from web.recovery_code where person_id = $1"#,
        id
    );
    query.fetch_one(executor).await
}

/// Reads a person, and locks the person until the transaction ends: no other transaction changes the person, begins a session or adds a
/// membership.
pub async fn lock(executor: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Person>, sqlx::Error> {
    let query = sqlx::query_as!(
        Person,
        "select id, email, password_hash, totp_secret, language, wants_notices
         from web.person where id = $1 for update",
        id
    );
    query.fetch_optional(executor).await
}

/// Removes a person with sessions, memberships, links and recovery codes. The caller holds the lock of [`lock`].
pub async fn remove(executor: impl PgExecutor<'_>, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from web.person where id = $1", id).execute(executor).await?;
    Ok(())
}
