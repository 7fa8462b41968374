//! Each service owns its schema: its role can reach no other.
#![expect(clippy::disallowed_methods, reason = "tables are named at run time")]

use e2e::Fleet;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

const SCHEMAS: [&str; 6] = [
    "gateway",
    "catalogue",
    "listings",
    "economy",
    "webhook",
    "web",
];

#[tokio::test]
async fn one_role_cannot_read_anothers_schema() {
    let fleet = Fleet::shared();
    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    for role in SCHEMAS {
        sqlx::query(AssertSqlSafe(format!("set role \"{role}\"")))
            .execute(&mut connection)
            .await
            .unwrap();
        for schema in SCHEMAS {
            let sql = format!("select count(*) from {schema}.lease");
            let read: Result<i64, sqlx::Error> = sqlx::query_scalar(AssertSqlSafe(sql))
                .fetch_one(&mut connection)
                .await;
            match read {
                Ok(_) => assert_eq!(role, schema, "{role} reads {schema}"),
                Err(error) => {
                    assert_ne!(role, schema, "{error}");
                    let code = error
                        .as_database_error()
                        .and_then(|e| e.code().map(std::borrow::Cow::into_owned));
                    assert_eq!(
                        code.as_deref(),
                        Some("42501"),
                        "insufficient privilege is wanted: {error}"
                    );
                }
            }
        }
        sqlx::query("reset role")
            .execute(&mut connection)
            .await
            .unwrap();
    }
}
