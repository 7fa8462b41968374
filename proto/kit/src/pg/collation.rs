//! The order of text in a database.

use sqlx::Row as _;
use sqlx::postgres::PgConnection;

use super::statement;

/// Says what is wrong with the collation of a database, if anything is.
///
/// A collation of the system may order text in another way after an upgrade of that system. The indexes then have the old order: a search
/// misses rows, and a unique index accepts duplicates. The order of `C.UTF-8` is that of the bytes, which never changes.
pub(super) async fn problem(connection: &mut PgConnection) -> Result<Option<String>, sqlx::Error> {
    let row = statement::query(
        "select datcollate as name, datlocprovider::text as provider,
            datcollversion <> pg_database_collation_actual_version(oid) as has_changed
         from pg_database where datname = current_database()",
    )
    .fetch_one(connection)
    .await?;
    let name: String = row.try_get("name")?;
    let provider: String = row.try_get("provider")?;
    if row.try_get("has_changed").unwrap_or(false) {
        return Ok(Some(format!(
            "the system orders text of the collation {name} in another way than when the indexes were built, so that they miss rows and \
             accept duplicates: run `reindex database`, then `alter database … refresh collation version`"
        )));
    }
    let is_fixed = match provider.as_str() {
        // The system's.
        "c" => matches!(name.as_str(), "C" | "POSIX") || name.starts_with("C."),
        // PostgreSQL's own, since version 17.
        provider => provider == "b",
    };
    Ok((!is_fixed).then(|| {
        format!(
            "the collation of the database, {name}, is one of the system, which may change with its upgrade: afterwards run `reindex \
             database`; a database with the locale C.UTF-8 never needs that"
        )
    }))
}

#[cfg(test)]
mod tests {
    use sqlx::PgPool;

    use super::*;

    #[testing::database_test]
    async fn only_a_collation_that_may_change_is_a_problem(pool: PgPool) {
        let mut connection = pool.acquire().await.unwrap();
        assert_eq!(problem(&mut connection).await.unwrap(), None);

        let other = format!("collation_{}", std::process::id());
        for sql in [
            format!("drop database if exists {other}"),
            format!(
                "create database {other} template template0 locale_provider icu icu_locale 'en-US' locale 'C.UTF-8'"
            ),
        ] {
            let sql = statement::raw_sql(sqlx::AssertSqlSafe(sql));
            sqlx::Executor::execute(&mut *connection, sql).await.unwrap();
        }
        let options = (*pool.connect_options()).clone().database(&other);
        let mut icu = sqlx::ConnectOptions::connect(&options).await.unwrap();
        let found = problem(&mut icu).await.unwrap().unwrap();
        assert!(found.contains("is one of the system"), "{found}");

        // As after an upgrade of the system.
        let old = "update pg_database set datcollversion = '0' where datname = current_database()";
        sqlx::Executor::execute(&mut icu, statement::raw_sql(old)).await.unwrap();
        let found = problem(&mut icu).await.unwrap().unwrap();
        assert!(found.contains("`reindex database`, then"), "{found}");

        sqlx::Connection::close(icu).await.unwrap();
        let sql = statement::raw_sql(sqlx::AssertSqlSafe(format!("drop database {other}")));
        sqlx::Executor::execute(&mut *connection, sql).await.unwrap();
    }
}
