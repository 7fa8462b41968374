//! Which bundled samples were loaded.

use sqlx::PgConnection;

/// The number of the samples that were loaded last; 0 before the first. Nobody else loads samples
/// until the transaction ends.
pub async fn lock(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
    // Waits for another process that loads them, however long it takes.
    sqlx::query!("set local lock_timeout = 0").execute(&mut *connection).await?;
    sqlx::query_scalar!("select number from listings.sample_release for update")
        .fetch_one(connection)
        .await
}

pub async fn set(connection: &mut PgConnection, number: i32) -> Result<(), sqlx::Error> {
    sqlx::query!("update listings.sample_release set number = $1", number)
        .execute(connection)
        .await?;
    Ok(())
}
