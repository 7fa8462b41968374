//! The migrations of a schema: whether it has them, and how they run.

use std::time::Duration;

use anyhow::Context as _;
use sqlx::migrate::{AppliedMigration, Migrate as _, MigrateError, Migration, Migrator};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Executor as _};

use super::connection::{milliseconds, set};
use super::statement;

/// Pause before a migration that could not lock its tables is tried again.
const MIGRATION_PAUSE: Duration = Duration::from_secs(1);
/// SQLSTATE of a statement that has waited for a lock for longer than its timeout.
const LOCK_NOT_AVAILABLE: &str = "55P03";

/// Fails unless the database has the migrations of this release. It may have newer ones, which the release before them ignores: during an
/// upgrade, and after a rollback.
pub(super) async fn require_migrations(
    connection: &mut PgConnection,
    service: &'static str,
    migrator: &Migrator,
) -> anyhow::Result<()> {
    let table = &migrator.table_name;
    let existing = existing_migrations(connection, table)
        .await
        .with_context(|| format!("cannot read {table}; deploy/sql/roles.sql gives the rights"))?;
    for migration in migrator.iter() {
        let name = format!("migration {} ({})", migration.version, migration.description);
        let found =
            existing.iter().find(|it| it.version == migration.version).with_context(|| {
                format!("{table} lacks {name} of this release: run `{service} migrate`")
            })?;
        anyhow::ensure!(
            found.checksum == migration.checksum,
            "{name} in {table} is another one than that of this release: a released file was edited, or the database belongs to other code"
        );
    }
    let newer = existing.len() - migrator.iter().len();
    if newer > 0 {
        tracing::info!(service, newer, "the schema is of a newer release");
    }
    Ok(())
}

/// Runs the migrations that the database lacks; returns how many it lacked at first.
///
/// Several processes migrate one at a time, under an advisory lock of their schema. One that finds nothing to do takes no lock. (The lock of
/// sqlx's migrator belongs to the database, and is taken in any case.)
///
/// While a migration waits for the lock of a table, all later statements on that table wait behind it. It therefore gives up after
/// `lock_timeout`, lets them pass and tries again.
pub(super) async fn run_migrations(
    connection: &mut PgConnection,
    migrator: &Migrator,
    lock_timeout: Duration,
) -> Result<usize, MigrateError> {
    let migrator = Migrator {
        migrations: migrator.migrations.clone(),
        ignore_missing: true,
        locking: false,
        no_tx: migrator.no_tx,
        table_name: migrator.table_name.clone(),
        create_schemas: migrator.create_schemas.clone(),
    };
    let missing = missing_migrations(connection, &migrator).await?.len();
    while let Some(next) = missing_migrations(connection, &migrator).await?.first() {
        if lock_migrations(connection, &migrator.table_name).await? {
            match run_migration(connection, &migrator, next, lock_timeout).await {
                Ok(()) => {
                    unlock_migrations(connection, &migrator.table_name).await?;
                    continue;
                }
                Err(
                    MigrateError::Execute(sqlx::Error::Database(error))
                    | MigrateError::ExecuteMigration(sqlx::Error::Database(error), _),
                ) if error.code().as_deref() == Some(LOCK_NOT_AVAILABLE) => {
                    tracing::warn!("a migration waits for a lock; trying again");
                    unlock_migrations(connection, &migrator.table_name).await?;
                }
                Err(error) => return Err(error),
            }
        } else {
            tracing::info!("another process migrates the database; waiting for it");
        }
        tokio::time::sleep(MIGRATION_PAUSE).await;
    }
    Ok(missing)
}

/// Runs the next migration.
///
/// A migration without a transaction builds an index concurrently. No statement waits behind it, and if it gave up, an invalid index would stay. It
/// therefore waits for other transactions without a timeout.
async fn run_migration(
    connection: &mut PgConnection,
    migrator: &Migrator,
    next: &Migration,
    lock_timeout: Duration,
) -> Result<(), MigrateError> {
    let lock_timeout = if next.no_tx { Duration::ZERO } else { lock_timeout };
    let statement = format!("set lock_timeout = {}", milliseconds(lock_timeout));
    set(connection, statement).await?;
    migrator.run_to(next.version, &mut *connection).await
}

/// Takes from the role of the service the rights to write the table of migrations, which the default privileges of `deploy/sql/roles.sql`
/// give. The role has the name of the schema.
pub(super) async fn protect_migrations(
    connection: &mut PgConnection,
    table: &str,
) -> Result<(), sqlx::Error> {
    let Some((role, _)) = table.split_once('.') else {
        return Ok(());
    };
    // Two processes that change the rights of a table at once would fail.
    let statement = format!(
        "do $$ begin
            perform pg_advisory_xact_lock(hashtextextended('{table}', 1));
            if exists (
                select from pg_roles
                where rolname = '{role}' and rolname <> current_user
                    and has_table_privilege(oid, '{table}', 'insert, update, delete, truncate')
            ) then
                revoke insert, update, delete, truncate on {table} from {role};
            end if;
        end $$"
    );
    connection.execute(statement::raw_sql(AssertSqlSafe(statement))).await?;
    Ok(())
}

/// The migrations that the database lacks, or has in another form.
async fn missing_migrations<'a>(
    connection: &mut PgConnection,
    migrator: &'a Migrator,
) -> Result<Vec<&'a Migration>, MigrateError> {
    let existing = existing_migrations(connection, &migrator.table_name).await?;
    let is_missing = |migration: &&Migration| {
        !existing
            .iter()
            .any(|it| it.version == migration.version && it.checksum == migration.checksum)
    };
    Ok(migrator.iter().filter(is_missing).collect())
}

/// The migrations that the database has. A new database has no table of them, and a statement about it would be an error in the log of
/// PostgreSQL.
async fn existing_migrations(
    connection: &mut PgConnection,
    table: &str,
) -> Result<Vec<AppliedMigration>, MigrateError> {
    let exists: bool = statement::query_scalar("select to_regclass($1) is not null")
        .bind(table)
        .fetch_one(&mut *connection)
        .await?;
    if exists { connection.list_applied_migrations(table).await } else { Ok(Vec::new()) }
}

/// Locks the migrations of a schema until the connection is closed; `false` while another connection has the lock.
async fn lock_migrations(connection: &mut PgConnection, table: &str) -> Result<bool, sqlx::Error> {
    statement::query_scalar("select pg_try_advisory_lock(hashtextextended($1, 0))")
        .bind(table)
        .fetch_one(connection)
        .await
}

/// Releases the lock of [`lock_migrations`].
async fn unlock_migrations(connection: &mut PgConnection, table: &str) -> Result<(), sqlx::Error> {
    statement::query("select pg_advisory_unlock(hashtextextended($1, 0))")
        .bind(table)
        .execute(connection)
        .await?;
    Ok(())
}
