//! The table `gateway.switch`.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::domain::switch::{Setting, Switch};

struct Row {
    name: String,
    is_on: bool,
    changed_at: Option<OffsetDateTime>,
    reason: String,
    revision: i64,
}

impl Row {
    /// `None` for a switch of a newer version.
    fn setting(self) -> Option<Setting> {
        Some(Setting {
            switch: self.name.parse().ok()?,
            is_on: self.is_on,
            changed_at: self.changed_at,
            reason: self.reason,
            revision: self.revision,
        })
    }
}

/// All switches that this version knows.
pub async fn all(connection: &mut PgConnection) -> Result<Vec<Setting>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Row,
        "select name, is_on, changed_at, reason, revision from gateway.switch"
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().filter_map(Row::setting).collect())
}

pub async fn lock(
    connection: &mut PgConnection,
    switch: Switch,
) -> Result<Option<Setting>, sqlx::Error> {
    let row = sqlx::query_as!(
        Row,
        "select name, is_on, changed_at, reason, revision from gateway.switch
         where name = $1 for update",
        switch.as_str(),
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.and_then(Row::setting))
}

pub async fn update(connection: &mut PgConnection, setting: &Setting) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update gateway.switch set is_on = $2, changed_at = $3, reason = $4, revision = $5 where name = $1",
        setting.switch.as_str(),
        setting.is_on,
        setting.changed_at,
        setting.reason,
        setting.revision,
    )
    .execute(connection)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;
    use crate::domain::switch::Switches;

    #[testing::database_test(crate::MIGRATOR)]
    async fn the_migration_and_the_domain_have_the_same_defaults(pool: sqlx::PgPool) {
        let mut connection = pool.acquire().await.unwrap();
        let settings = all(&mut connection).await.unwrap();
        assert_eq!(settings.len(), Switch::VARIANTS.len());
        for setting in settings {
            assert_eq!(setting.is_on, Switches::default().is_on(setting.switch));
            assert_eq!((setting.changed_at, setting.revision), (None, 1));
        }
    }
}
