//! Members of staff, and profiles.

use super::*;

#[testing::database_test(listings::MIGRATOR)]
async fn members_are_added_and_their_actions_are_logged(pool: PgPool) {
    let (service, _) = reviewed(pool).await;
    let accounts = service.accounts().await;
    let operator = testing::staff_token();
    let operator = operator.expose();
    let args = ["--json", "member", "add", "bea", "--role", "admin"];
    let made = staff_with(&service, operator, &args, "").await.document();
    let token = made["member"]["token"].as_str().unwrap().to_owned();
    accounts.game("a-game").await;
    for args in [
        &["game", "approve", "a-game", "--revision", "1"][..],
        &[
            "game",
            "edit",
            "a-game",
            "--changes",
            r#"{"featured": true}"#,
        ],
        &["game", "edit", "a-game", "--changes", r#"{"title": "B"}"#],
        &["game", "revert", "a-game", "--revision", "1"],
        &["member", "set-role", "ada", "admin"],
        &["member", "revoke", "ada", "--yes"],
    ] {
        let ran = staff_with(&service, &token, args, "").await;
        assert_eq!(ran.status(), 0, "{args:?}: {ran:?}");
    }
    let args = ["--json", "audit", "list", "--member", "bea"];
    let audit = staff_with(&service, &token, &args, "").await.document();
    let actions: Vec<&Value> = audit["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["action"])
        .collect();
    assert_eq!(
        actions,
        [
            "revoke_member",
            "set_role",
            "revert",
            "edit",
            "edit_as_admin",
            "approve"
        ]
    );
    let ran = staff_with(&service, &token, &["member", "list"], "").await;
    assert!(ran.text().contains("bea"), "{ran:?}");
    assert!(!ran.text().contains(&token));
    let ran = staff_with(&service, &token, &["member", "revoke", "bea", "--yes"], "").await;
    assert!(ran.complaint().contains("last admin"), "{ran:?}");
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_profile_supplies_addresses_and_token(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let text = format!("token = \"{token}\"\nlistings = \"{}\"\n", service.address);
    let (folder, path) = file("staff.toml", &text);
    let home = folder.path().join("mchezo");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("staff.toml"), &text).unwrap();
    let run = async |args: &[&str]| {
        let mut command = tool();
        command
            .args(args)
            .env_remove("STAFF_TOKEN")
            .env_remove("STAFF_LISTINGS")
            .env("XDG_CONFIG_HOME", folder.path());
        Ran(
            tokio::task::spawn_blocking(move || command.output().unwrap())
                .await
                .unwrap(),
        )
    };
    let list = ["review", "list"];
    let open = run(&["--profile", &path, "review", "list"]).await;
    assert_eq!(open.status(), 2);
    assert!(open.complaint().contains("chmod 600"), "{open:?}");
    for path in [path.clone(), home.join("staff.toml").display().to_string()] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(path, mode).unwrap();
    }
    assert_eq!(
        run(&["--profile", &path, "review", "list"]).await.status(),
        0
    );
    assert_eq!(run(&list).await.status(), 0);
    let missing = run(&["--profile", "/nowhere/staff.toml", "review", "list"]).await;
    assert_eq!(missing.status(), 2);
    let script = run(&["completion", "bash"]).await;
    assert!(
        script.text().contains("_clap_complete_staff()"),
        "{script:?}"
    );
}

#[testing::database_test(listings::MIGRATOR)]
async fn whoami_names_the_member_and_the_role(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let ran = staff_with(&service, &token, &["whoami"], "").await;
    let line = "ada (reviewer), the token expires on 2026-08-30 12:00\n";
    assert_eq!(ran.text(), line, "{ran:?}");
    let operator = testing::staff_token();
    let args = ["--json", "whoami"];
    let ran = staff_with(&service, operator.expose(), &args, "").await;
    assert_eq!(ran.document()["name"], "operator");
    assert_eq!(ran.document()["role"], "admin");
    let ran = staff_with(&service, "nobody", &["whoami"], "").await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    assert!(ran.complaint().contains("staff token"), "{ran:?}");
}
