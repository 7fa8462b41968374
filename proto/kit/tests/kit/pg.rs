//! Migrations of several versions, and a PostgreSQL that vanishes without closing its connections, as behind a proxy that drops packets.

use std::time::Duration;

use futures::FutureExt as _;
use kit::config::{Database, Migration as Settings};
use kit::pg::{begin_with, is_unavailable, migrate, open, pool, within};
use kit::{Code, Fault, Lifecycle, wakeup::Wakeup};
use sqlx::migrate::{Migrate as _, Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, ConnectOptions as _, PgPool, SqlSafeStr as _};
use testing::silent_proxy::SilentProxy;
use testing::wait_until;

fn settings() -> Database {
    Database {
        database_url: String::new().into(),
        database_connections: 2,
        database_deadline: Duration::from_secs(5),
        database_statement_timeout: Duration::from_secs(30),
        database_lock_timeout: Duration::from_secs(5),
        database_idle_in_transaction_timeout: Duration::from_secs(10),
    }
}

/// A pool through a proxy, with two open connections.
async fn proxied(direct: &PgPool) -> (SilentProxy, PgPool) {
    let proxy = SilentProxy::start(direct).await.unwrap();
    let through = pool(proxy.options(direct), &settings(), &[]);
    // Retry: the deadline of the pool may pass on a busy machine.
    wait_until("both connections are open", async || {
        tokio::try_join!(through.acquire(), through.acquire()).is_ok()
    })
    .await;
    wait_until("both connections are idle", async || through.num_idle() == 2).await;
    (proxy, through)
}

#[testing::database_test]
async fn the_default_isolation_of_a_role_changes_no_transaction(direct: PgPool) {
    let serializable = [("default_transaction_isolation", "serializable")];
    let options = (*direct.connect_options()).clone().options(serializable);
    let pool = pool(options, &settings(), &[]);
    let mut transaction = kit::pg::begin(&pool).await.unwrap();
    let isolation: String = sqlx::query_scalar("show transaction_isolation")
        .fetch_one(&mut *transaction)
        .await
        .unwrap();
    assert_eq!(isolation, "read committed");
}

#[testing::database_test]
async fn silent_connections_are_replaced_when_callers_give_up(direct: PgPool) {
    let (mut proxy, through) = proxied(&direct).await;
    proxy.fall_silent();
    for _ in 0..2 {
        proxy.dropped.mark_unchanged();
        let asked = proxy.dropped.changed();
        tokio::select! {
            answer = sqlx::query("select 1").execute(&through) => panic!("{answer:?}"),
            // The caller gives up after the proxy has dropped the query.
            asked = asked => asked.unwrap(),
        }
    }
    proxy.recover();
    wait_until("the pool works again", async || {
        sqlx::query("select 1").execute(&through).await.is_ok()
    })
    .await;
}

/// Otherwise the next users of the connection would write into a transaction that nobody commits.
#[testing::database_test]
async fn a_begin_whose_caller_gives_up_leaves_no_transaction(direct: PgPool) {
    let run = async |sql, pool: &PgPool| sqlx::raw_sql(sql).execute(pool).await.unwrap();
    run("create table kept (n int)", &direct).await;
    for begin in ["begin", "begin read only"] {
        let one = Database { database_connections: 1, ..settings() };
        let pool = pool((*direct.connect_options()).clone(), &one, &[]);
        run("select 1", &pool).await;
        wait_until("the connection is idle", async || pool.num_idle() == 1).await;
        // The first poll sends the statement.
        drop(begin_with(&pool, begin).now_or_never());
        run("insert into kept values (1)", &pool).await;
        let kept = "with kept as (delete from kept returning n) select count(*) from kept";
        let kept: i64 = sqlx::query_scalar(kept).fetch_one(&direct).await.unwrap();
        assert_eq!(kept, 1, "{begin}");
    }
}

#[testing::database_test]
async fn a_listener_replaces_its_silent_connection(direct: PgPool) {
    let (proxy, through) = proxied(&direct).await;
    let (lifecycle, _supervisor) = Lifecycle::new();
    let here = Wakeup::start(through, "a_channel", &lifecycle);
    let there = Wakeup::start(direct.clone(), "a_channel", &lifecycle);
    let wakes = async || {
        let mut wakeups = here.subscribe();
        there.wake();
        let woken = tokio::time::timeout(Duration::from_secs(1), wakeups.changed());
        woken.await.is_ok()
    };
    wait_until("it listens", wakes).await;
    proxy.fall_silent();
    wait_until("its connection is silent", async || !wakes().await).await;
    proxy.recover();
    wait_until("it listens again", wakes).await;
    lifecycle.stopping().cancel();
}

#[testing::database_test]
async fn every_connection_of_a_pool_has_timeouts_and_settings(direct: PgPool) {
    let through =
        pool((*direct.connect_options()).clone(), &settings(), &[("enable_seqscan", "off")]);
    let read = async |connection: &mut sqlx::PgConnection| {
        let mut found = Vec::new();
        for name in [
            "statement_timeout",
            "lock_timeout",
            "idle_in_transaction_session_timeout",
            "jit",
            "enable_seqscan",
        ] {
            let value: String = sqlx::query_scalar("select current_setting($1)")
                .bind(name)
                .fetch_one(&mut *connection)
                .await?;
            found.push(value);
        }
        Ok(found)
    };
    let found = within(&through, Duration::from_secs(30), read).await.unwrap();
    assert_eq!(found, ["30s", "5s", "10s", "off", "off"]);
}

/// If the server is lost, a commit may have happened. After the other errors nothing has changed, and a blocked statement may succeed later.
#[testing::database_test]
async fn a_lost_server_is_told_from_a_blocked_and_a_rejected_statement(direct: PgPool) {
    for (code, is_lost, fault) in [
        ("57P01", true, Code::Unavailable),
        ("53300", true, Code::Unavailable),
        ("25006", true, Code::Unavailable),
        // PgBouncer reports a lost server with this code.
        ("08P01", true, Code::Unavailable),
        ("57014", false, Code::Unavailable),
        ("55P03", false, Code::Unavailable),
        ("40P01", false, Code::Unavailable),
        ("23505", false, Code::Internal),
    ] {
        let raise = format!("do $$ begin raise exception using errcode = '{code}'; end $$");
        let raised = sqlx::raw_sql(AssertSqlSafe(raise)).execute(&direct).await;
        let error = raised.unwrap_err();
        assert_eq!(is_unavailable(&error), is_lost, "{code}: {error}");
        assert_eq!(Fault::from(error).code, fault, "{code}");
    }
}

/// The first migrations of a service, up to this number.
fn migrations(newest: usize) -> Migrator {
    migrations_of("kit", newest)
}

fn migrations_of(schema: &str, newest: usize) -> Migrator {
    let all = [
        format!("create table {schema}.one (id int)"),
        format!("alter table {schema}.one add column name text"),
        format!("create index concurrently one_by_id on {schema}.one (id)"),
    ];
    let migrations = (1..).zip(all).take(newest).map(|(number, sql)| {
        let has_no_transaction = sql.contains("concurrently");
        let (simple, sql) = (MigrationType::Simple, AssertSqlSafe(sql).into_sql_str());
        Migration::new(number, "".into(), simple, sql, has_no_transaction)
    });
    let mut migrator = Migrator::with_migrations(migrations.collect());
    migrator.create_schema(schema.to_owned());
    migrator.dangerous_set_table_name(format!("{schema}._sqlx_migrations"));
    migrator
}

/// Runs migrations that must not wait for the lock of another migration.
async fn migrate_in_time(settings: &Settings, migrator: &Migrator) {
    let migrating = migrate(settings, "test", migrator);
    let migrated = tokio::time::timeout(testing::LONG, migrating).await;
    migrated.expect("it does not wait").unwrap();
}

/// Settings for migrations of the database of a test.
fn owner(direct: &PgPool) -> Settings {
    Settings {
        url: direct.connect_options().to_url_lossy().to_string().into(),
        // Longer than a connection takes on a busy machine.
        deadline: testing::LONG,
        lock_timeout: Duration::from_millis(100),
    }
}

/// Starts a service that knows the migrations up to this number.
async fn start(direct: &PgPool, newest: usize) -> anyhow::Result<PgPool> {
    let settings = Database {
        database_url: owner(direct).url,
        database_deadline: testing::LONG,
        ..settings()
    };
    open(&settings, "test-svc", &migrations(newest), &[]).await
}

async fn applied(direct: &PgPool) -> i64 {
    sqlx::query_scalar("select max(version) from kit._sqlx_migrations")
        .fetch_one(direct)
        .await
        .unwrap()
}

/// Whether a migration waits for the table lock.
async fn waits(direct: &PgPool) -> bool {
    let waits =
        "select exists (select from pg_locks where not granted and relation = 'kit.one'::regclass)";
    sqlx::query_scalar(waits).fetch_one(direct).await.unwrap()
}

#[testing::database_test]
async fn the_previous_version_starts_after_a_rollback(direct: PgPool) {
    let owner = owner(&direct);
    for newest in [1, 2, 1, 2] {
        migrate(&owner, "test", &migrations(newest)).await.unwrap();
        let pool = start(&direct, newest).await.unwrap();
        let insert = sqlx::query("insert into kit.one (id) values (1)");
        insert.execute(&pool).await.unwrap();
    }
    assert_eq!(applied(&direct).await, 2);
}

#[testing::database_test]
async fn a_service_starts_only_with_the_migrations_that_it_knows(direct: PgPool) {
    let owner = owner(&direct);
    let refusal = async |newest| {
        let error = start(&direct, newest).await.unwrap_err();
        format!("{error:#}")
    };
    let nothing = refusal(1).await;
    assert!(nothing.contains("lacks migration 1"), "{nothing}");
    migrate(&owner, "test", &migrations(1)).await.unwrap();
    let missing = refusal(2).await;
    assert!(missing.contains("lacks migration 2"), "{missing}");
    assert!(missing.contains("run `test-svc migrate`"), "{missing}");
    migrate(&owner, "test", &migrations(2)).await.unwrap();
    sqlx::query("update kit._sqlx_migrations set checksum = '\\x00' where version = 2")
        .execute(&direct)
        .await
        .unwrap();
    // The version before this one does not know the migration.
    start(&direct, 1).await.unwrap();
    let edited = refusal(2).await;
    assert!(edited.contains("migration 2 () in kit._sqlx_migrations is another one"), "{edited}");
    let error = migrate(&owner, "test", &migrations(2)).await.unwrap_err();
    assert!(format!("{error:#}").contains("a migration failed"), "{error:#}");
}

#[testing::database_test]
async fn a_migration_that_waits_for_a_lock_lets_others_pass(direct: PgPool) {
    let owner = owner(&direct);
    migrate(&owner, "test", &migrations(1)).await.unwrap();
    let mut reader = direct.begin().await.unwrap();
    let read = "select id from kit.one";
    sqlx::query(read).execute(&mut *reader).await.unwrap();
    let newest = migrations(2);
    let migration = migrate(&owner, "test", &newest);
    let meanwhile = async {
        wait_until("the migration waits", async || waits(&direct).await).await;
        let another = tokio::time::timeout(testing::LONG, sqlx::query(read).execute(&direct));
        another.await.unwrap().unwrap();
        assert_eq!(applied(&direct).await, 1);
        reader.commit().await.unwrap();
    };
    let (migrated, ()) = tokio::join!(migration, meanwhile);
    migrated.unwrap();
    assert_eq!(applied(&direct).await, 2);
}

/// Whether a migration has waited for longer than its lock timeout.
async fn waits_long(direct: &PgPool) -> bool {
    let waits = "select exists (select from pg_locks join pg_stat_activity using (pid)
        where not granted and datname = current_database() and clock_timestamp() - waitstart > interval '300 ms')";
    sqlx::query_scalar(waits).fetch_one(direct).await.unwrap()
}

/// If the migration gave up, it would leave an invalid index with the same name.
#[testing::database_test]
async fn an_index_is_built_concurrently_however_long_others_write(direct: PgPool) {
    let owner = owner(&direct);
    migrate(&owner, "test", &migrations(2)).await.unwrap();
    let mut writer = direct.begin().await.unwrap();
    let write = "insert into kit.one (id) values (1)";
    sqlx::query(write).execute(&mut *writer).await.unwrap();
    let newest = migrations(3);
    let migration = migrate(&owner, "test", &newest);
    let meanwhile = async {
        wait_until("it waits", async || waits_long(&direct).await).await;
        sqlx::query(write).execute(&direct).await.unwrap();
        writer.commit().await.unwrap();
    };
    let (migrated, ()) = tokio::join!(migration, meanwhile);
    migrated.unwrap();
    let is_valid = "select indisvalid from pg_index where indexrelid = 'kit.one_by_id'::regclass";
    let is_valid: bool = sqlx::query_scalar(is_valid).fetch_one(&direct).await.unwrap();
    assert!(is_valid);
}

#[testing::database_test]
async fn a_database_that_lacks_no_migration_is_not_locked(direct: PgPool) {
    let owner = owner(&direct);
    migrate(&owner, "test", &migrations(2)).await.unwrap();
    let mut holder = direct.acquire().await.unwrap();
    // The lock of sqlx's migrator, and ours.
    holder.lock().await.unwrap();
    let lock = "select pg_advisory_lock(hashtextextended('kit._sqlx_migrations', 0))";
    sqlx::query(lock).execute(&mut *holder).await.unwrap();
    for newest in [1, 2] {
        migrate_in_time(&owner, &migrations(newest)).await;
    }
}

#[testing::database_test]
async fn a_migration_does_not_keep_those_of_other_schemas_waiting(direct: PgPool) {
    let owner = owner(&direct);
    migrate(&owner, "test", &migrations(1)).await.unwrap();
    migrate(&owner, "test", &migrations_of("other", 1)).await.unwrap();
    let mut reader = direct.begin().await.unwrap();
    let read = "select id from kit.one";
    sqlx::query(read).execute(&mut *reader).await.unwrap();
    let newest = migrations(2);
    let migration = migrate(&owner, "test", &newest);
    let meanwhile = async {
        wait_until("the migration waits", async || waits(&direct).await).await;
        // Nothing to migrate, a migration, and a new schema.
        for (schema, newest) in [("other", 1), ("other", 2), ("third", 2)] {
            migrate_in_time(&owner, &migrations_of(schema, newest)).await;
        }
        assert_eq!(applied(&direct).await, 1, "it still waits");
        reader.commit().await.unwrap();
    };
    let (migrated, ()) = tokio::join!(migration, meanwhile);
    migrated.unwrap();
    assert_eq!(applied(&direct).await, 2);
}

#[testing::database_test]
async fn processes_that_migrate_at_once_migrate_once(direct: PgPool) {
    let owner = owner(&direct);
    let newest = migrations(2);
    let start = || migrate(&owner, "test", &newest);
    for process in <[_; 4]>::from(tokio::join!(start(), start(), start(), start())) {
        process.unwrap();
    }
    assert_eq!(applied(&direct).await, 2);
}
