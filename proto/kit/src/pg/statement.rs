//! Statements that no macro can check: they read no table that sqlx knows, or their text is made here. Tests run all of them against
//! PostgreSQL.
#![expect(
    clippy::disallowed_methods,
    reason = "these functions are for the statements that the macros of sqlx cannot check"
)]

use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::{Query, QueryAs, QueryScalar};
use sqlx::{FromRow, Postgres, RawSql, SqlSafeStr};

pub(crate) fn query(text: impl SqlSafeStr) -> Query<'static, Postgres, PgArguments> {
    sqlx::query(text)
}

pub(crate) fn query_as<O>(text: impl SqlSafeStr) -> QueryAs<'static, Postgres, O, PgArguments>
where
    O: for<'row> FromRow<'row, PgRow>,
{
    sqlx::query_as(text)
}

pub(crate) fn query_scalar<O>(
    text: impl SqlSafeStr,
) -> QueryScalar<'static, Postgres, O, PgArguments>
where
    (O,): for<'row> FromRow<'row, PgRow>,
{
    sqlx::query_scalar(text)
}

/// Statements without parameters, sent by the simple protocol.
pub(crate) fn raw_sql(text: impl SqlSafeStr) -> RawSql {
    sqlx::raw_sql(text)
}
