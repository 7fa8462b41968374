//! Members of staff: what their roles allow, and the audit log.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_audit_service_client::StaffAuditServiceClient;
use contracts::listings::v1::staff_listing_service_client::StaffListingServiceClient;
use kit::Fault;
use kit::rpc::client::{self, Client, Transport};
use kit::rpc::members_file::{TOKEN_PREFIX, line};
use kit::rpc::staff::{Member, Role};
use sqlx::PgPool;
use time::macros::date;
use tonic::Status;

use crate::support::{File, Service, counts, creator, decide, start};

/// The client of one member.
pub(crate) struct MemberClient {
    pub(crate) channel: Client,
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

    /// The client of a new member.
    pub(crate) async fn member(&self, name: &str, role: Role) -> MemberClient {
        self.client(&self.add_member(name, role)).await
    }

    /// Adds a member to the file of members; returns the token.
    pub(crate) fn add_member(&self, name: &str, role: Role) -> String {
        let token = format!("{TOKEN_PREFIX}{name}");
        let member = Member { name: name.to_owned(), role, last_day: Some(date!(2026 - 08 - 30)) };
        let mut lines = self.member_lines.lock().unwrap();
        lines.push(line(&member, &token));
        self.members.replace(&lines.join("\n")).unwrap();
        token
    }
}

impl MemberClient {
    pub(crate) async fn audit(
        &self,
        request: common::ListAuditRequest,
    ) -> Result<common::ListAuditResponse, Status> {
        Ok(self.audit.clone().list_audit(request).await?.into_inner())
    }

    /// The audit entries: member, action, subject, and whether the action was refused; oldest first.
    pub(crate) async fn audit_entries(&self) -> Vec<(String, String, String, bool)> {
        let request =
            common::ListAuditRequest { limit: 100, ..common::ListAuditRequest::default() };
        let audit_entries = self.audit(request).await.unwrap().entries;
        let short = |audit_entry: common::AuditEntry| {
            (audit_entry.member, audit_entry.action, audit_entry.name, audit_entry.refused)
        };
        audit_entries.into_iter().rev().map(short).collect()
    }

    async fn take_down(&self, handle: &str) -> Result<(), Status> {
        self.decide(proto::Decision::TakeDown, handle).await
    }

    async fn restore(&self, handle: &str) -> Result<(), Status> {
        self.decide(proto::Decision::Restore, handle).await
    }

    async fn decide(&self, decision: proto::Decision, handle: &str) -> Result<(), Status> {
        let listing = (page(handle), None);
        let done = decide(&self.channel, decision, listing, "Its maker asked");
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

/// A service with a page `studio`.
async fn start_with_page(pool: PgPool) -> Service {
    let service = start(pool).await;
    let file = File::rows("page", &[creator("studio")]);
    assert_eq!(counts(&service.import(&file).await), (1, 0, 0, 0));
    sqlx::query!("delete from listings.audit").execute(&service.pool).await.unwrap();
    service
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_member_acts_under_their_own_name(pool: PgPool) {
    let service = start_with_page(pool).await;
    let ada = service.member("ada", Role::Admin).await;
    ada.take_down("studio").await.unwrap();
    // Taking down again changes nothing, and leaves no audit entry.
    ada.take_down("studio").await.unwrap();
    let listing = ada.show("studio").await.unwrap();
    assert_eq!((listing.actor_kind.as_str(), listing.actor.as_str()), ("staff", "ada"));
    assert_eq!(ada.audit_entries().await, [audit_entry("ada", "take_down", "studio", false)]);
    let all = ada.audit(common::ListAuditRequest::default()).await.unwrap();
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
    let eve = service.member("eve", Role::Reviewer).await;
    assert_eq!(eve.show("studio").await.unwrap().revision, 1);
    let refused = [
        eve.take_down("studio").await.unwrap_err(),
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
    let tried = [("take_down", "studio"), ("read_audit", "operator")];
    let tried = tried.map(|(action, name)| audit_entry("eve", action, name, true));
    // A request without a member's name returns the reviewer's own entries.
    assert_eq!(eve.audit_entries().await, tried);
    assert_eq!(service.operator().await.audit_entries().await, tried);
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_audit_is_read_by_pages_and_filters(pool: PgPool) {
    let service = start_with_page(pool).await;
    let admin = service.operator().await;
    let pages = ["a", "b", "c"];
    let file = File::rows("page", &pages.map(creator));
    service.import(&file).await;
    sqlx::query!("delete from listings.audit").execute(&service.pool).await.unwrap();
    for page in pages {
        admin.take_down(page).await.unwrap();
        service.clock.advance(time::Duration::MINUTE);
    }
    admin.restore("b").await.unwrap();
    let page = |cursor: String| common::ListAuditRequest {
        limit: 3,
        cursor,
        ..common::ListAuditRequest::default()
    };
    let first = admin.audit(page(String::new())).await.unwrap();
    let names = |answer: &common::ListAuditResponse| -> Vec<String> {
        answer.entries.iter().map(|audit_entry| audit_entry.name.clone()).collect()
    };
    assert_eq!(names(&first), ["b", "c", "b"]);
    let last = admin.audit(page(first.next_cursor.clone())).await.unwrap();
    assert_eq!((names(&last), last.next_cursor.as_str()), (vec!["a".to_owned()], ""));

    let since = first.entries[2].at;
    for (filter, expected) in [
        (
            common::ListAuditRequest { action: "restore".to_owned(), ..Default::default() },
            &["b"][..],
        ),
        (
            common::ListAuditRequest {
                name: "b".to_owned(),
                entity: "page".to_owned(),
                ..Default::default()
            },
            &["b", "b"],
        ),
        (common::ListAuditRequest { since, ..Default::default() }, &["b", "c", "b"]),
        (common::ListAuditRequest { member: "a".to_owned(), ..Default::default() }, &[]),
    ] {
        assert_eq!(names(&admin.audit(filter).await.unwrap()), expected);
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
    assert_eq!((&details["created"], &details["updated"]), (&250.into(), &0.into()));
    assert_eq!(audit_entries[0].entity, "page");

    let eve = service.member("eve", Role::Reviewer).await;
    let mut staff =
        proto::staff_import_service_client::StaffImportServiceClient::new(eve.channel.clone());
    let stream = tokio_stream::iter(file.messages());
    let status = staff.import(stream).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::PermissionDenied);
}
