//! The audit log of staff, profiles, and `whoami`.

use super::*;

#[testing::database_test(listings::MIGRATOR)]
async fn the_actions_of_a_member_are_logged(pool: PgPool) {
    let (service, _) = reviewed(pool).await;
    let accounts = service.accounts().await;
    let token = service.add_member("bea", Role::Admin);
    accounts.game("a-game").await;
    for args in [
        &["game", "approve", "a-game", "--revision", "1"][..],
        &["game", "edit", "a-game", "--changes", r#"{"featured": true}"#],
        &["game", "edit", "a-game", "--changes", r#"{"title": "B"}"#],
        &["game", "revert", "a-game", "--to-revision", "1"],
    ] {
        let ran = staff_with(&service, &token, args, "").await;
        assert_eq!(ran.status(), 0, "{args:?}: {ran:?}");
    }
    let args = ["--json", "audit", "list", "--member", "bea"];
    let audit = staff_with(&service, &token, &args, "").await.document();
    let entries = audit["entries"].as_array().unwrap();
    let actions: Vec<&Value> = entries.iter().map(|entry| &entry["action"]).collect();
    assert_eq!(actions, ["revert", "edit", "edit_as_admin", "approve"]);
    assert!(entries[0]["details"].is_object(), "{audit}");
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_member_of_whom_the_audit_has_no_entry_is_refused(pool: PgPool) {
    let (service, _) = reviewed(pool).await;
    let operator = testing::staff_token();
    let list = async |more: &[&str]| {
        let args = [&["audit", "list"], more].concat();
        staff_with(&service, operator.expose(), &args, "").await
    };
    let ran = list(&["--member", "nobody"]).await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    assert!(ran.complaint().contains("staff audit list"), "{ran:?}");
    // The operator has imported the page, and decided on no claim.
    let ran = list(&["--member", "operator", "--action", "grant_claim"]).await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    let ran = list(&["--member", "nobody", "--action", "grant_claim"]).await;
    assert_eq!(ran.status(), 1, "{ran:?}");
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
        Ran(tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap())
    };
    let list = ["review", "list"];
    let open = run(&["--profile", &path, "review", "list"]).await;
    assert_eq!(open.status(), 2);
    assert!(open.complaint().contains("chmod 600"), "{open:?}");
    for path in [path.clone(), home.join("staff.toml").display().to_string()] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(path, mode).unwrap();
    }
    assert_eq!(run(&["--profile", &path, "review", "list"]).await.status(), 0);
    assert_eq!(run(&list).await.status(), 0);
    let missing = run(&["--profile", "/nowhere/staff.toml", "review", "list"]).await;
    assert_eq!(missing.status(), 2);
    let script = run(&["completion", "bash"]).await;
    assert!(script.text().contains("_staff()"), "{script:?}");
}

#[testing::database_test(listings::MIGRATOR)]
async fn whoami_names_the_member_and_the_role(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let ran = staff_with(&service, &token, &["whoami"], "").await;
    for words in ["ada", "reviewer", "2026-08-30"] {
        assert!(ran.text().contains(words), "{words}: {ran:?}");
    }
    let operator = testing::staff_token();
    let args = ["--json", "whoami"];
    let ran = staff_with(&service, operator.expose(), &args, "").await;
    assert_eq!(ran.document()["name"], "operator");
    assert_eq!(ran.document()["role"], "admin");
    let ran = staff_with(&service, "nobody", &["whoami"], "").await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    assert!(ran.complaint().contains("staff token"), "{ran:?}");
}
