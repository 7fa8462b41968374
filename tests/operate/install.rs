//! Roles, migrations, and the check of the configuration.

use std::process::{Output, Stdio};
use std::time::Duration;

use e2e::binaries;
use kit::rpc::permissions::SERVICES;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};
use testing::postgres::Server;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

const ROLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/sql/roles.sql");

/// SQLSTATE of a statement for which the role lacks a privilege.
const INSUFFICIENT_PRIVILEGE: &str = "42501";

/// Timeout for a process to start or end.
const LIMIT: Duration = Duration::from_mins(3);

/// The name of the schema of a service, which is also that of its role.
pub(crate) fn schema(service: &str) -> &str {
    service.trim_end_matches("-svc")
}

/// The URL of the server's database, for a role.
pub(crate) fn url(server: &Server, role: &str) -> String {
    url_of(server, role, "postgres")
}

fn url_of(server: &Server, role: &str, database: &str) -> String {
    let port = server.pool.connect_options().get_port();
    format!("postgres://{role}@127.0.0.1:{port}/{database}")
}

/// Creates the roles and the schema of a service.
pub(crate) async fn create_roles(server: &Server, service: &str) {
    create_roles_with(server, service, &[]).await;
}

/// Like [`create_roles`], with more variables of psql.
async fn create_roles_with(server: &Server, service: &str, variables: &[&str]) {
    let mut psql = Command::new("psql");
    let variable = format!("service={}", schema(service));
    psql.args(["-X", "-q", "-f", ROLES, "-v", &variable]);
    psql.args(variables.iter().flat_map(|variable| ["-v", *variable]));
    let psql = psql.arg("-d").arg(url(server, "postgres"));
    let output = psql.output().await.unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// A service, or one of its commands, whose only setting is a long deadline.
pub(crate) fn command(service: &str) -> Command {
    let mut command = Command::new(binaries().join(service));
    let prefix = schema(service).to_uppercase();
    command
        .env_clear()
        .env(format!("{prefix}_DATABASE_DEADLINE"), "120")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

/// Runs `SERVICE migrate` with the URL of the owner.
pub(crate) async fn migrate(service: &str, owner_url: &str) -> Output {
    let prefix = schema(service).to_uppercase();
    let mut migrate = command(service);
    migrate.arg("migrate").env(format!("{prefix}_DATABASE_OWNER_URL"), owner_url);
    output(&mut migrate).await
}

/// economy-svc with its required settings.
pub(crate) fn economy(database_url: &str) -> Command {
    let mut economy = command("economy-svc");
    economy
        .env("ECONOMY_DATABASE_URL", database_url)
        .env("ECONOMY_PROFILE", "local")
        .env("ECONOMY_FLEET_TOKEN", token("fleet"))
        .env("ECONOMY_STAFF_TOKEN", token("staff"))
        // Nobody listens on port 1.
        .env("ECONOMY_LISTINGS_ADDRESSES", "http://127.0.0.1:1")
        .env("ECONOMY_GRPC_LISTEN", "127.0.0.1:0")
        .env("ECONOMY_ADMIN_LISTEN", "127.0.0.1:0");
    economy
}

pub(crate) async fn output(command: &mut Command) -> Output {
    timeout(LIMIT, command.output()).await.unwrap().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn token(name: &str) -> String {
    format!("{name}-hush-0123456789-0123456789-0123456789")
}

/// The number of applied migrations, from the log of `migrate`.
fn applied(output: &Output) -> u64 {
    let log = text(&output.stdout);
    assert!(output.status.success(), "{log}{}", text(&output.stderr));
    let mut lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let line = lines.find(|line| line["message"] == "the schema is up to date");
    line.unwrap()["applied"].as_u64().unwrap()
}

async fn assert_refused(connection: &mut PgConnection, sql: String) {
    let executed = connection.execute(AssertSqlSafe(sql.clone())).await;
    assert_insufficient(&executed.unwrap_err(), &sql);
}

fn assert_insufficient(error: &sqlx::Error, what: &str) {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    assert_eq!(code.as_deref(), Some(INSUFFICIENT_PRIVILEGE), "{what}: {error}");
}

/// Asserts that the role of a service may read the migrations, but not change them.
async fn assert_migrations_are_protected(server: &Server, service: &str) {
    let schema = schema(service);
    let mut connection = PgConnection::connect(&url(server, schema)).await.unwrap();
    let table = format!("{schema}._sqlx_migrations");
    let read = format!("select from {table}");
    connection.execute(AssertSqlSafe(read)).await.unwrap();
    for sql in [
        format!("insert into {table} select * from {table}"),
        format!("update {table} set checksum = ''"),
        format!("delete from {table}"),
        format!("truncate {table}"),
    ] {
        assert_refused(&mut connection, sql).await;
    }
}

#[tokio::test]
async fn owners_migrate_and_services_change_no_table() {
    let server = Server::new().await.unwrap();
    for service in SERVICES {
        create_roles(&server, service).await;
        let owner = url(&server, &format!("{}_owner", schema(service)));
        assert!(applied(&migrate(service, &owner).await) > 0, "{service}");
        assert_migrations_are_protected(&server, service).await;
        assert_eq!(applied(&migrate(service, &owner).await), 0, "{service}");
        // Creating the roles again changes nothing for a service that has migrated.
        create_roles(&server, service).await;
        assert_migrations_are_protected(&server, service).await;
    }
    for service in SERVICES {
        let schema = schema(service);
        let mut connection = PgConnection::connect(&url(&server, schema)).await.unwrap();
        let write = format!("delete from {schema}.lease");
        connection.execute(AssertSqlSafe(write)).await.unwrap();
        for sql in [
            format!("create table {schema}.new ()"),
            format!("drop table {schema}.lease"),
            format!("alter table {schema}.lease add column new int"),
            format!("truncate {schema}.lease"),
            "create schema new".to_owned(),
        ] {
            assert_refused(&mut connection, sql).await;
        }
        for other in SERVICES.into_iter().filter(|other| *other != service) {
            let read = format!("select from {}.lease", self::schema(other));
            assert_refused(&mut connection, read).await;
        }
    }
    // What a service changes through a function of its owner.
    let mut connection = PgConnection::connect(&url(&server, "listings")).await.unwrap();
    connection.execute("select listings.analyze_table('listing')").await.unwrap();
    // The first run has loaded the samples, each with a row of the feed, and the second one none.
    let samples = "select (select count(*) from listings.listing where mode = 'test'), seq from listings.feed_head";
    let row = connection.fetch_one(samples).await.unwrap();
    let (samples, rows): (i64, i64) = (row.get(0), row.get(1));
    assert!(samples > 0);
    assert_eq!(rows, samples);
}

#[tokio::test]
async fn a_service_has_a_database_of_its_own() {
    let server = Server::new().await.unwrap();
    // psql must quote this name.
    let (database, variable) = ("Economy-1", ["database=Economy-1"]);
    create_roles(&server, "gateway").await;
    create_roles_with(&server, "economy-svc", &variable).await;
    let owner = url_of(&server, "economy_owner", database);
    assert!(applied(&migrate("economy-svc", &owner).await) > 0);
    // The database exists now.
    create_roles_with(&server, "economy-svc", &variable).await;
    assert_eq!(applied(&migrate("economy-svc", &owner).await), 0);

    let runtime = url_of(&server, "economy", database);
    let mut connection = PgConnection::connect(&runtime).await.unwrap();
    connection.execute("delete from economy.lease").await.unwrap();
    assert_refused(&mut connection, "create table economy.new ()".to_owned()).await;
    // Only this database has the schema, and no other role may connect to it.
    let mut connection = PgConnection::connect(&url(&server, "postgres")).await.unwrap();
    let schema = "select from pg_namespace where nspname = 'economy'";
    let found = connection.fetch_optional(schema).await.unwrap();
    assert!(found.is_none(), "the schema is in the database of psql");
    for role in ["gateway", "gateway_owner"] {
        let connected = PgConnection::connect(&url_of(&server, role, database)).await;
        assert_insufficient(&connected.unwrap_err(), role);
    }
}

#[tokio::test]
async fn a_service_starts_on_its_own_migrations_and_on_later_ones() {
    let server = Server::new().await.unwrap();
    create_roles(&server, "economy-svc").await;
    let (runtime, owner) = (url(&server, "economy"), url(&server, "economy_owner"));
    let refused = output(&mut economy(&runtime)).await;
    let said = text(&refused.stderr);
    assert!(!refused.status.success(), "{said}");
    assert!(said.contains("run `economy-svc migrate`"), "{said}");

    migrate("economy-svc", &owner).await;
    let mut connection = PgConnection::connect(&owner).await.unwrap();
    let later = "insert into economy._sqlx_migrations (version, description, success, checksum, execution_time)
                 values (9999, 'of a later release', true, '\\x00', 0)";
    connection.execute(later).await.unwrap();
    let mut child = economy(&runtime).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let starting = async {
        let mut log = String::new();
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains(r#""message":"started""#) {
                return;
            }
            log += &line;
        }
        panic!("it ended: {log}");
    };
    timeout(LIMIT, starting).await.unwrap();
}
