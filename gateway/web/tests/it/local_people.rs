//! The people of a local fleet, whom the program `local-people` creates.

use std::io::Write as _;
use std::process::{Command, Stdio};

use sqlx::{ConnectOptions as _, PgPool};

use crate::support::{PASSWORD, Site};

/// Runs the program with the owner of an account on its standard input.
#[expect(
    clippy::disallowed_methods,
    reason = "cargo sets it, and it is no setting"
)]
fn create(pool: &PgPool, email: &str, password: &str) {
    let account = kit::ids::row_id();
    let owners = serde_json::json!([{ "email": email, "password": password, "account": account }]);
    // Read at run time: the shell wrapper of the compiler drops variables with a hyphen.
    let program = std::env::var("CARGO_BIN_EXE_local-people").unwrap();
    let mut program = Command::new(program)
        .env(
            "WEB_DATABASE_URL",
            pool.connect_options().to_url_lossy().to_string(),
        )
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
    let site = Site::new(pool.clone()).await;
    for password in [PASSWORD, "another password of twenty"] {
        create(&pool, "ada@studio.example", password);
        site.signed_in("ada@studio.example").await;
    }
    let owned = sqlx::query_scalar!(r#"select count(*) as "count!" from web.member"#);
    assert_eq!(owned.fetch_one(&pool).await.unwrap(), 2);
}
