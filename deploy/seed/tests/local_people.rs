//! The people of a local fleet, whom the program `local-people` creates.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::io::Write as _;
use std::process::{Command, Stdio};

use sqlx::{ConnectOptions as _, PgPool};
use web::store::{members, people};

/// Runs the program with the owner of an account on its standard input.
#[expect(clippy::disallowed_methods, reason = "cargo sets it, and it is no setting")]
fn create(pool: &PgPool, email: &str, password: &str) {
    let account = kit::ids::row_id();
    let owners = serde_json::json!([{ "email": email, "password": password, "account": account }]);
    // Read at run time: the shell wrapper of the compiler drops variables with a hyphen.
    let program = std::env::var("CARGO_BIN_EXE_local-people").unwrap();
    let mut program = Command::new(program)
        .env("WEB_DATABASE_URL", pool.connect_options().to_url_lossy().to_string())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = program.stdin.take().unwrap();
    stdin.write_all(owners.to_string().as_bytes()).unwrap();
    drop(stdin);
    assert!(program.wait().unwrap().success());
}

#[testing::database_test(web::MIGRATOR)]
async fn a_person_who_exists_keeps_the_password(pool: PgPool) {
    let mut hashes = Vec::new();
    for password in ["baobab lorry teapot nine", "another password of twenty"] {
        create(&pool, "ada@studio.example", password);
        let person = people::by_email(&pool, "ada@studio.example").await.unwrap().unwrap();
        let accounts = members::of_person(&pool, person.id).await.unwrap();
        hashes.push((person.password_hash, accounts.len()));
    }
    let [(first, 1), (second, 2)] = &hashes[..] else {
        unreachable!("{hashes:?}");
    };
    assert_eq!(first, second);
}
