//! Pictures that accounts have uploaded, before a listing has them.

use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::pictures::{FileName, PictureKind, StoredPicture};

#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::module_name_repetitions,
    reason = "`Prepared` alone does not say what"
)]
pub struct PreparedPicture {
    pub kind: PictureKind,
    /// The slug of the game or the handle of the page.
    pub name: String,
    pub picture: StoredPicture,
}

pub async fn insert(
    pool: &PgPool,
    id: Uuid,
    account: Uuid,
    prepared: &PreparedPicture,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let PreparedPicture {
        kind,
        name,
        picture,
    } = prepared;
    sqlx::query!(
        "insert into listings.prepared_picture (id, account_id, kind, name, large, small, width, height, made_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        id,
        account,
        kind.as_str(),
        name,
        picture.large.hash(),
        picture.small.hash(),
        i32::try_from(picture.width).unwrap_or(i32::MAX),
        i32::try_from(picture.height).unwrap_or(i32::MAX),
        now
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// The picture of an account with this id.
pub async fn find(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    id: Uuid,
) -> Result<Option<PreparedPicture>, sqlx::Error> {
    let row = sqlx::query!(
        "select kind, name, large, small, width, height from listings.prepared_picture where account_id = $1 and id = $2",
        account,
        id
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.and_then(|row| {
        Some(PreparedPicture {
            kind: row.kind.parse().ok()?,
            name: row.name,
            picture: StoredPicture {
                large: FileName::from_hash(&row.large)?,
                small: FileName::from_hash(&row.small)?,
                width: row.width.unsigned_abs(),
                height: row.height.unsigned_abs(),
            },
        })
    }))
}

/// Whether an account has prepared a picture with one of these files.
pub async fn exists(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    names: &[FileName],
) -> Result<bool, sqlx::Error> {
    let hashes: Vec<String> = names.iter().map(|name| name.hash().to_owned()).collect();
    sqlx::query_scalar!(
        r#"select exists (
               select from listings.prepared_picture where account_id = $1 and (large = any($2) or small = any($2))
           ) as "exists!""#,
        account,
        &hashes
    )
    .fetch_one(executor)
    .await
}

/// Deletes what was prepared before a time. The files stay as long as a listing has them.
pub async fn delete_before(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let deleted = sqlx::query!(
        "delete from listings.prepared_picture where made_at < $1",
        before
    );
    Ok(deleted.execute(pool).await?.rows_affected())
}
