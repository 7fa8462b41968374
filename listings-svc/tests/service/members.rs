//! Members of the staff, what their roles allow, and the audit.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_audit_service_client::StaffAuditServiceClient;
use contracts::listings::v1::staff_listing_service_client::StaffListingServiceClient;
use contracts::listings::v1::staff_member_service_client::StaffMemberServiceClient;
use kit::rpc::client::{self, Client, Transport};
use kit::{Code, Fault};
use sqlx::PgPool;
use tonic::Status;

use crate::support::{File, Service, counts, creator, decide, start};

/// The client of one member.
pub(crate) struct MemberClient {
    pub(crate) channel: Client,
    members: StaffMemberServiceClient<Client>,
    audit: StaffAuditServiceClient<Client>,
    listings: StaffListingServiceClient<Client>,
}

impl Service {
    /// The client with this token.
    pub(crate) async fn client(&self, token: &str) -> MemberClient {
        let channel = client::dial(&self.address, Transport::plain(), &token.to_owned().into())
            .await
            .unwrap();
        MemberClient {
            members: StaffMemberServiceClient::new(channel.clone()),
            audit: StaffAuditServiceClient::new(channel.clone()),
            listings: StaffListingServiceClient::new(channel.clone()),
            channel,
        }
    }

    /// The client with the fleet's own staff token.
    pub(crate) async fn operator(&self) -> MemberClient {
        let token = testing::staff_token();
        self.client(token.expose()).await
    }

    pub(crate) async fn member(&self, name: &str, role: proto::Role) -> MemberClient {
        let (_, token) = self.operator().await.create(name, role).await.unwrap();
        self.client(&token).await
    }
}

impl MemberClient {
    pub(crate) async fn create(
        &self,
        name: &str,
        role: proto::Role,
    ) -> Result<(proto::Member, String), Status> {
        let request = proto::CreateMemberRequest {
            name: name.to_owned(),
            role: role.into(),
        };
        let answer = self.members.clone().create_member(request).await?;
        let answer = answer.into_inner();
        Ok((answer.member.unwrap(), answer.token))
    }

    async fn set_role(&self, name: &str, role: proto::Role) -> Result<proto::Member, Status> {
        let request = proto::SetRoleRequest {
            name: name.to_owned(),
            role: role.into(),
        };
        let answer = self.members.clone().set_role(request).await?;
        Ok(answer.into_inner().member.unwrap())
    }

    async fn revoke(&self, name: &str) -> Result<proto::Member, Status> {
        let name = name.to_owned();
        let request = proto::RevokeMemberRequest { name };
        let answer = self.members.clone().revoke_member(request).await?;
        Ok(answer.into_inner().member.unwrap())
    }

    async fn list(&self) -> Result<Vec<proto::Member>, Status> {
        let request = proto::ListMembersRequest {};
        let answer = self.members.clone().list_members(request).await?;
        Ok(answer.into_inner().members)
    }

    pub(crate) async fn audit(
        &self,
        request: common::ListAuditRequest,
    ) -> Result<common::ListAuditResponse, Status> {
        Ok(self.audit.clone().list_audit(request).await?.into_inner())
    }

    /// The audit entries: member, action, subject, and whether the action was refused; oldest first.
    pub(crate) async fn audit_entries(&self) -> Vec<(String, String, String, bool)> {
        let request = common::ListAuditRequest {
            limit: 100,
            ..common::ListAuditRequest::default()
        };
        let audit_entries = self.audit(request).await.unwrap().entries;
        let short = |audit_entry: common::AuditEntry| {
            (
                audit_entry.member,
                audit_entry.action,
                audit_entry.name,
                audit_entry.refused,
            )
        };
        audit_entries.into_iter().rev().map(short).collect()
    }

    async fn take_down(&self, handle: &str) -> Result<(), Status> {
        let down = proto::Decision::TakeDown;
        let done = decide(&self.channel, down, (page(handle), None), "Its maker asked");
        done.await.map(|_| ())
    }

    async fn show(&self, handle: &str) -> Result<proto::Listing, Status> {
        let name = Some(page(handle));
        let request = proto::GetListingRequest { name };
        let answer = self.listings.clone().get_listing(request).await?;
        Ok(answer.into_inner().listing.unwrap())
    }
}

fn page(handle: &str) -> proto::ListingName {
    proto::ListingName {
        kind: "page".to_owned(),
        mode: common::Mode::Live.into(),
        name: handle.to_owned(),
    }
}

fn audit_entry(
    member: &str,
    action: &str,
    name: &str,
    refused: bool,
) -> (String, String, String, bool) {
    let [member, action, name] = [member, action, name].map(ToOwned::to_owned);
    (member, action, name, refused)
}

fn is_unknown(outcome: Result<impl std::fmt::Debug, Status>) -> bool {
    outcome.unwrap_err().code() == tonic::Code::Unauthenticated
}

/// A service with a page `studio`.
async fn start_with_page(pool: PgPool) -> Service {
    let service = start(pool).await.with_gazetteer().await;
    let file = File::rows("page", &[creator("studio")]);
    assert_eq!(counts(&service.import(&file).await), (1, 0, 0, 0));
    sqlx::query!("delete from listings.audit")
        .execute(&service.pool)
        .await
        .unwrap();
    service
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_member_acts_under_their_own_name(pool: PgPool) {
    let service = start_with_page(pool).await;
    let ada = service.member("ada", proto::Role::Admin).await;
    ada.take_down("studio").await.unwrap();
    // Taking down again changes nothing, and leaves no audit entry.
    ada.take_down("studio").await.unwrap();
    let listing = ada.show("studio").await.unwrap();
    assert_eq!(
        (listing.actor_kind.as_str(), listing.actor.as_str()),
        ("staff", "ada")
    );
    assert_eq!(
        ada.audit_entries().await,
        [
            audit_entry("operator", "create_member", "ada", false),
            audit_entry("ada", "take_down", "studio", false)
        ]
    );
    let all = ada
        .audit(common::ListAuditRequest::default())
        .await
        .unwrap();
    let details: serde_json::Value = serde_json::from_str(&all.entries[0].details).unwrap();
    assert_eq!(
        (&details["reason"], &details["title"], &details["revision"]),
        (&"Its maker asked".into(), &"A Studio".into(), &2.into())
    );
    assert_eq!(all.entries[0].entity, "page");
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_refusal_names_the_role_and_is_recorded(pool: PgPool) {
    let service = start_with_page(pool).await;
    let eve = service.member("eve", proto::Role::Reviewer).await;
    assert_eq!(eve.show("studio").await.unwrap().revision, 1);
    let refused = [
        eve.take_down("studio").await.unwrap_err(),
        eve.list().await.unwrap_err(),
        eve.create("mallory", proto::Role::Admin).await.unwrap_err(),
        eve.set_role("eve", proto::Role::Admin).await.unwrap_err(),
        eve.revoke("eve").await.unwrap_err(),
        eve.audit(common::ListAuditRequest {
            member: "operator".to_owned(),
            ..common::ListAuditRequest::default()
        })
        .await
        .unwrap_err(),
    ];
    for status in refused {
        assert_eq!(status.code(), tonic::Code::PermissionDenied);
        assert!(status.message().contains("the role admin"), "{status}");
    }
    assert_eq!(eve.show("studio").await.unwrap().revision, 1);
    let tried = [
        ("take_down", "studio"),
        ("list_members", ""),
        ("create_member", "mallory"),
        ("set_role", "eve"),
        ("revoke_member", "eve"),
        ("read_audit", "operator"),
    ];
    let tried = tried.map(|(action, name)| audit_entry("eve", action, name, true));
    // Without a name, reviewers see their own entries.
    assert_eq!(eve.audit_entries().await, tried);
    let mut all = vec![audit_entry("operator", "create_member", "eve", false)];
    all.extend(tried);
    assert_eq!(service.operator().await.audit_entries().await, all);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_token_is_revoked_and_its_name_is_not_reused(pool: PgPool) {
    let service = start_with_page(pool).await;
    let (admin, eve) = (
        service.operator().await,
        service.member("eve", proto::Role::Reviewer).await,
    );
    eve.show("studio").await.unwrap();
    let revoked = admin.revoke("eve").await.unwrap();
    assert!(revoked.revoked_at.is_some());
    assert!(is_unknown(eve.show("studio").await));
    assert_eq!(admin.revoke("eve").await.unwrap(), revoked);
    let again = admin.create("eve", proto::Role::Reviewer).await;
    assert!(Fault::from(again.unwrap_err()).fields["name"].contains("before"));
    let role = admin.set_role("eve", proto::Role::Admin).await;
    assert!(Fault::from(role.unwrap_err()).fields["name"].contains("revoked"));
    assert_eq!(
        admin.audit_entries().await,
        [
            audit_entry("operator", "create_member", "eve", false),
            audit_entry("operator", "revoke_member", "eve", false)
        ]
    );
    let nobody = service.client("staff_nobody").await;
    assert!(is_unknown(nobody.show("studio").await));
    let empty = service.client("x").await;
    assert!(is_unknown(empty.show("studio").await));
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_change_by_another_replica_is_seen_within_a_second(pool: PgPool) {
    let (one, other) = (start_with_page(pool.clone()).await, start(pool).await);
    let (_, token) = one
        .operator()
        .await
        .create("eve", proto::Role::Reviewer)
        .await
        .unwrap();
    let eve = other.client(&token).await;
    eve.show("studio").await.unwrap();
    one.operator().await.revoke("eve").await.unwrap();
    other.clock.advance(time::Duration::SECOND);
    assert!(is_unknown(eve.show("studio").await));
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_last_admin_stays(pool: PgPool) {
    let service = start_with_page(pool).await;
    let ada = service.member("ada", proto::Role::Admin).await;
    for outcome in [
        ada.revoke("ada").await,
        ada.set_role("ada", proto::Role::Reviewer).await,
    ] {
        let fault = Fault::from(outcome.unwrap_err());
        assert!(fault.fields["name"].contains("last admin"), "{fault:?}");
    }
    let bea = service.member("bea", proto::Role::Admin).await;
    // Of two admins who leave at once, one stays.
    let (one, two) = tokio::join!(ada.revoke("ada"), bea.revoke("bea"));
    assert_ne!(one.is_ok(), two.is_ok());
    let working = service.operator().await.list().await.unwrap();
    let working = working.iter().filter(|m| m.revoked_at.is_none());
    assert_eq!(working.count(), 1);
}

#[testing::database_test(listings::MIGRATOR)]
async fn of_two_admins_who_revoke_each_other_at_once_one_stays(pool: PgPool) {
    let (one, other) = (start_with_page(pool.clone()).await, start(pool).await);
    let ada = one.member("ada", proto::Role::Admin).await;
    let (_, token) = one
        .operator()
        .await
        .create("bea", proto::Role::Admin)
        .await
        .unwrap();
    let bea = other.client(&token).await;
    // The other replica admits a token that it knows until its clock goes on.
    bea.show("studio").await.unwrap();
    ada.revoke("bea").await.unwrap();
    let late = Fault::from(bea.revoke("ada").await.unwrap_err());
    assert_eq!(late.code, Code::InvalidKey, "{late:?}");
    assert!(late.message.contains("Another admin"), "{late:?}");
    let working = one.operator().await.list().await.unwrap();
    let working = working.iter().filter(|m| m.revoked_at.is_none());
    assert!(working.map(|m| m.name.as_str()).eq(["ada"]));
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_invalid_name_or_role_is_refused(pool: PgPool) {
    let service = start_with_page(pool).await;
    let admin = service.operator().await;
    let long = "a".repeat(61);
    for name in ["", "Ada", "a b", "operator", "-", &long, "a\0"] {
        let outcome = admin.create(name, proto::Role::Unspecified).await;
        let fault = Fault::from(outcome.unwrap_err());
        let fields: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
        assert_eq!(fields, ["name", "role"], "{name}");
    }
    let nobody = admin.revoke("nobody").await.unwrap_err();
    assert_eq!(Fault::from(nobody).code, Code::NotFound);
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_audit_is_read_by_pages_and_filters(pool: PgPool) {
    let service = start_with_page(pool).await;
    let admin = service.operator().await;
    for name in ["a", "b", "c"] {
        admin.create(name, proto::Role::Reviewer).await.unwrap();
        service.clock.advance(time::Duration::MINUTE);
    }
    admin.set_role("b", proto::Role::Admin).await.unwrap();
    let page = |cursor: String| common::ListAuditRequest {
        limit: 3,
        cursor,
        ..common::ListAuditRequest::default()
    };
    let first = admin.audit(page(String::new())).await.unwrap();
    let names = |answer: &common::ListAuditResponse| -> Vec<String> {
        answer
            .entries
            .iter()
            .map(|audit_entry| audit_entry.name.clone())
            .collect()
    };
    assert_eq!(names(&first), ["b", "c", "b"]);
    let last = admin.audit(page(first.next_cursor.clone())).await.unwrap();
    assert_eq!(
        (names(&last), last.next_cursor.as_str()),
        (vec!["a".to_owned()], "")
    );

    let since = first.entries[2].at;
    for (filter, expected) in [
        (
            common::ListAuditRequest {
                action: "set_role".to_owned(),
                ..Default::default()
            },
            &["b"][..],
        ),
        (
            common::ListAuditRequest {
                name: "b".to_owned(),
                entity: "member".to_owned(),
                ..Default::default()
            },
            &["b", "b"],
        ),
        (
            common::ListAuditRequest {
                since,
                ..Default::default()
            },
            &["b", "c", "b"],
        ),
        (
            common::ListAuditRequest {
                member: "a".to_owned(),
                ..Default::default()
            },
            &[],
        ),
    ] {
        assert_eq!(names(&admin.audit(filter).await.unwrap()), expected);
    }
    for member in ["nobody", "nobody\0"] {
        let filter = common::ListAuditRequest {
            member: member.to_owned(),
            ..Default::default()
        };
        let fault = Fault::from(admin.audit(filter).await.unwrap_err());
        assert!(fault.fields.keys().eq(["member"]), "{fault:?}");
    }
    let bad = common::ListAuditRequest {
        action: "dance".to_owned(),
        entity: "nonsense".to_owned(),
        limit: 101,
        cursor: first.next_cursor,
        ..Default::default()
    };
    let fault = Fault::from(admin.audit(bad).await.unwrap_err());
    let fields: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
    assert_eq!(fields, ["action", "cursor", "entity", "limit"]);
    assert!(fault.fields["entity"].contains("game, event"), "{fault:?}");
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_import_is_one_audit_entry_with_its_counts(pool: PgPool) {
    let service = start_with_page(pool).await;
    let rows: Vec<_> = (0..250).map(|n| creator(&format!("page-{n}"))).collect();
    let file = File::rows("page", &rows);
    assert_eq!(counts(&service.import(&file).await), (250, 0, 0, 0));
    // Nothing changed, so there is no audit entry.
    assert_eq!(counts(&service.import(&file).await), (0, 0, 250, 0));
    let operator = service.operator().await;
    assert_eq!(
        operator.audit_entries().await,
        [audit_entry("operator", "import", "page.ndjson", false)]
    );
    let answer = operator.audit(common::ListAuditRequest::default()).await;
    let audit_entries = answer.unwrap().entries;
    let details: serde_json::Value = serde_json::from_str(&audit_entries[0].details).unwrap();
    assert_eq!(
        (&details["created"], &details["updated"]),
        (&250.into(), &0.into())
    );
    assert_eq!(audit_entries[0].entity, "page");

    let eve = service.member("eve", proto::Role::Reviewer).await;
    let mut staff =
        proto::staff_import_service_client::StaffImportServiceClient::new(eve.channel.clone());
    let stream = tokio_stream::iter(file.messages());
    let status = staff.import(stream).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::PermissionDenied);
}
