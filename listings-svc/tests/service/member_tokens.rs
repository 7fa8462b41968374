//! The tokens of members: they expire, and are renewed.

use std::os::unix::fs::PermissionsExt as _;

use contracts::listings::v1 as proto;
use contracts::listings::v1::member_service_client::MemberServiceClient;
use contracts::listings::v1::staff_member_service_client::StaffMemberServiceClient;
use sqlx::PgPool;
use tempfile::TempDir;
use tonic::{Code, Status};

use crate::staff::tool;
use crate::support::{NOW, Service, start};

async fn who_am_i(service: &Service, token: &str) -> Result<proto::WhoAmIResponse, Status> {
    let mut members = StaffMemberServiceClient::new(service.client(token).await.channel);
    let answer = members.who_am_i(proto::WhoAmIRequest {}).await?;
    Ok(answer.into_inner())
}

async fn renew(service: &Service, token: &str, name: &str) -> Result<String, Status> {
    let mut members = StaffMemberServiceClient::new(service.client(token).await.channel);
    let name = name.to_owned();
    let answer = members.renew_token(proto::RenewTokenRequest { name });
    Ok(answer.await?.into_inner().token)
}

async fn create(service: &Service, name: &str, role: proto::Role) -> String {
    let operator = service.operator().await;
    operator.create(name, role).await.unwrap().1
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_token_expires_unless_it_is_renewed(pool: PgPool) {
    let service = start(pool).await;
    let token = create(&service, "ada", proto::Role::Reviewer).await;
    let days = time::Duration::days(90);
    let expires_at = who_am_i(&service, &token).await.unwrap().expires_at;
    assert_eq!(expires_at, Some(kit::timestamp::encode(NOW + days)));
    service.clock.advance(days - time::Duration::SECOND);
    assert!(who_am_i(&service, &token).await.is_ok());
    service.clock.advance(time::Duration::SECOND);
    let expired = who_am_i(&service, &token).await.unwrap_err();
    assert_eq!(expired.code(), Code::Unauthenticated);
    let sentence = kit::Fault::from(expired).message;
    for advice in ["expired on 2026-08-30", "member renew ada", "staff login"] {
        assert!(sentence.contains(advice), "{sentence}");
    }
    // The other services say the same.
    let request = proto::FindMemberRequest {
        token_sha256: kit::rpc::directory::token_hash(&token).to_vec().into(),
    };
    let mut fleet = MemberServiceClient::new(service.fleet.clone());
    let found = fleet.find_member(request).await.unwrap_err();
    assert!(kit::Fault::from(found).message.contains("staff login"));
    // An expired token renews nothing.
    assert!(renew(&service, &token, "").await.is_err());

    let operator = testing::staff_token();
    let renewed = renew(&service, operator.expose(), "ada").await.unwrap();
    assert_eq!(who_am_i(&service, &renewed).await.unwrap().name, "ada");
    assert!(who_am_i(&service, &token).await.is_err());
}

#[testing::database_test(listings::MIGRATOR)]
async fn members_renew_their_own_token_and_admins_an_expired_one(pool: PgPool) {
    let service = start(pool).await;
    let ada = create(&service, "ada", proto::Role::Reviewer).await;
    let bea = create(&service, "bea", proto::Role::Admin).await;
    let code = |refused: Result<String, Status>| refused.unwrap_err().code();
    assert_eq!(
        code(renew(&service, &ada, "bea").await),
        Code::PermissionDenied
    );
    let own = renew(&service, &ada, "").await.unwrap();
    assert!(who_am_i(&service, &ada).await.is_err());
    // An admin does not get a token of somebody who works with theirs.
    assert_eq!(
        code(renew(&service, &bea, "ada").await),
        Code::InvalidArgument
    );
    assert!(who_am_i(&service, &own).await.is_ok());
    service.clock.advance(time::Duration::days(60));
    let bea = renew(&service, &bea, "").await.unwrap();
    service.clock.advance(time::Duration::days(30));
    let given = renew(&service, &bea, "ada").await.unwrap();
    assert!(who_am_i(&service, &own).await.is_err());
    assert!(who_am_i(&service, &given).await.is_ok());
    let operator = testing::staff_token();
    for name in ["", "operator", "nobody"] {
        assert!(
            renew(&service, operator.expose(), name).await.is_err(),
            "{name}"
        );
    }
    let entries = service.operator().await.audit_entries().await;
    let renewals = entries.iter().filter(|entry| entry.1 == "renew_token");
    let renewals: Vec<(&str, bool)> = renewals.map(|it| (it.0.as_str(), it.3)).collect();
    assert_eq!(
        renewals,
        [
            ("ada", true),
            ("ada", false),
            ("bea", false),
            ("bea", false)
        ]
    );
}

#[testing::database_test(listings::MIGRATOR)]
async fn login_keeps_the_new_token_in_the_profile(pool: PgPool) {
    let service = start(pool).await;
    let token = create(&service, "ada", proto::Role::Reviewer).await;
    let home = TempDir::new().unwrap();
    let profile = home.path().join(".config/mchezo/staff.toml");
    let run = async |variables: &[(&str, &str)], args: &[&str]| {
        let mut command = tool();
        command
            .env_clear()
            .current_dir(home.path())
            .env("HOME", home.path())
            .envs(variables.iter().copied())
            .args(args);
        let output = tokio::task::spawn_blocking(move || command.output().unwrap());
        let output = output.await.unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), text, complaint)
    };
    let stored = || {
        let text = std::fs::read_to_string(&profile).unwrap();
        let line = text.lines().find(|line| line.starts_with("token")).unwrap();
        line.split('"').nth(1).unwrap().to_owned()
    };
    // Nobody can keep a token in the environment of a shell.
    let variables = [
        ("STAFF_TOKEN", token.as_str()),
        ("STAFF_LISTINGS", service.address.as_str()),
    ];
    let (status, _, complaint) = run(&variables, &["login"]).await;
    assert_eq!(status, 2, "{complaint}");
    assert!(complaint.contains("--profile"), "{complaint}");
    assert!(who_am_i(&service, &token).await.is_ok());

    std::fs::create_dir_all(profile.parent().unwrap()).unwrap();
    let text = format!("token = \"{token}\"\nlistings = \"{}\"\n", service.address);
    std::fs::write(&profile, text).unwrap();
    std::fs::set_permissions(
        &profile,
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    let (status, text, complaint) = run(&[], &["login"]).await;
    assert_eq!(status, 0, "{complaint}");
    assert!(text.contains("expires on 2026-08-30"), "{text}");
    let one = stored();
    assert!(one != token && !text.contains(&one), "{text}");
    let mode = std::fs::metadata(&profile).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(who_am_i(&service, &token).await.is_err());

    let (status, _, complaint) = run(&[], &["login"]).await;
    assert_eq!(status, 0, "{complaint}");
    assert_ne!(stored(), one);
    let (status, text, _) = run(&[], &["whoami"]).await;
    assert_eq!(status, 0);
    assert!(
        text.contains("ada (reviewer), the token expires on"),
        "{text}"
    );
}
