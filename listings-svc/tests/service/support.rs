//! A running replica, and helpers to call it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use contracts::common::v1 as common;
use contracts::common::v1::feed_service_client::FeedServiceClient;
use contracts::common::v1::follow_response::Message as Followed;
use contracts::listings::v1 as proto;
use contracts::listings::v1::events_service_client::EventsServiceClient;
use contracts::listings::v1::games_service_client::GamesServiceClient;
use contracts::listings::v1::import_request::Message;
use contracts::listings::v1::own_listings_service_client::OwnListingsServiceClient;
use contracts::listings::v1::picture_service_client::PictureServiceClient;
use contracts::listings::v1::staff_import_service_client::StaffImportServiceClient;
use contracts::listings::v1::staff_listing_service_client::StaffListingServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::audit::Audit;
use kit::clock::Clock;
use kit::feed::{Producer, Retention};
use kit::jobs::Leader;
use kit::lifecycle::{Lifecycle, Supervisor};
use kit::rpc::client::{self, Client, Transport};
use kit::rpc::{Authenticator, StaffMembers};
use listings::config::{PictureLocation, PictureSettings as Settings};
use listings::feed::PublicUrl;
use listings::pictures::{FileStore, PictureProcessor};
use listings::service;
use listings::service::account::pictures::upload_limit;
use listings::write::CommandDependencies;
use listings::write::import::Importer;
use prost::Message as _;
use sqlx::{PgPool, Postgres, Transaction};
use time::macros::datetime;
use tonic::Status;

/// The clock's initial time.
pub(crate) const NOW: time::OffsetDateTime = datetime!(2026-06-01 12:00 UTC);

/// The maximum number of pending submissions of an account.
pub(crate) const MAX_PENDING: i64 = 3;

pub(crate) struct Service {
    pub(crate) pool: PgPool,
    pub(crate) commands: Arc<CommandDependencies>,
    pub(crate) clock: Clock,
    pub(crate) address: String,
    pub(crate) staff: StaffImportServiceClient<Client>,
    pub(crate) listings: StaffListingServiceClient<Client>,
    pub(crate) games: GamesServiceClient<Client>,
    pub(crate) events: EventsServiceClient<Client>,
    pub(crate) own: OwnListingsServiceClient<Client>,
    pub(crate) files: PictureServiceClient<Client>,
    pub(crate) store: FileStore,
    pub(crate) processor: PictureProcessor,
    /// Channels as a service of the fleet and as the operator, for calls without a client above.
    pub(crate) fleet: Client,
    pub(crate) operator_client: Client,
    /// The lines of the file of staff members, and the members that the service has read from it.
    pub(crate) member_lines: Mutex<Vec<String>>,
    pub(crate) members: StaffMembers,
    folder: tempfile::TempDir,
    feed: FeedServiceClient<Client>,
    lifecycle: Lifecycle,
    _supervisor: Supervisor,
}

/// Starts a replica whose public pages are at `https://mchezo.example`.
pub(crate) async fn start(pool: PgPool) -> Service {
    let (lifecycle, supervisor) = Lifecycle::new();
    let clock = Clock::fixed(NOW);
    let leader = Leader::start(&lifecycle, pool.clone(), listings::SCHEMA, clock.clone());
    let producer = Producer::start(&leader, &lifecycle, Retention::default());
    let commands = Arc::new(CommandDependencies {
        producer: producer.clone(),
        public_url: PublicUrl::new("https://mchezo.example"),
        max_pending: MAX_PENDING,
    });
    let importer = Importer::new(pool.clone(), Arc::clone(&commands), clock.clone());
    let members = StaffMembers::of("# none", clock.clone()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path());
    let store = FileStore::open(&settings).unwrap();
    let processor = PictureProcessor::new(pool.clone(), store.clone(), clock.clone(), &settings);

    let mut services = kit::rpc::server::services();
    let listings = service::Service {
        audit: Audit::new(pool.clone(), listings::SCHEMA, clock.clone()),
        pool: pool.clone(),
        clock: clock.clone(),
        producer,
        commands: Arc::clone(&commands),
        importer,
        pictures: processor.clone(),
        files: store.clone(),
        pictures_per_day: settings.pictures_per_day,
        draining: lifecycle.draining(),
        uploads: upload_limit(),
    };
    listings.add_to(&mut services);
    let authenticator = Authenticator::new(testing::identity()).with_members(members.clone());
    let address =
        testing::serve_with_authenticator(authenticator, services, &lifecycle).await.unwrap();
    let client = client::dial(&address, Transport::plain(), &testing::staff_token()).await.unwrap();
    let fleet = testing::client(&address, &lifecycle).unwrap();
    Service {
        pool,
        commands,
        address,
        staff: StaffImportServiceClient::new(client.clone()),
        listings: StaffListingServiceClient::new(client.clone()),
        games: GamesServiceClient::new(fleet.clone()),
        events: EventsServiceClient::new(fleet.clone()),
        own: OwnListingsServiceClient::new(fleet.clone()),
        operator_client: client,
        files: PictureServiceClient::new(fleet.clone()),
        feed: FeedServiceClient::new(fleet.clone()),
        fleet,
        member_lines: Mutex::default(),
        members,
        clock,
        store,
        processor,
        folder,
        lifecycle,
        _supervisor: supervisor,
    }
}

fn settings(folder: &std::path::Path) -> Settings {
    Settings {
        pictures: PictureLocation::Folder(folder.to_owned()),
        pictures_endpoint: None,
        pictures_region: String::new(),
        pictures_key_id: None,
        pictures_secret: None,
        pictures_deadline: testing::LONG,
        picture_megabytes: 10,
        pictures_at_once: 2,
        pictures_per_day: 5,
    }
}

impl Service {
    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }
}

impl Drop for Service {
    /// Closes the connections to the database, which the test is about to drop.
    fn drop(&mut self) {
        self.lifecycle.draining().cancel();
        self.lifecycle.stopping().cancel();
    }
}

/// Runs a command that must wait for a lock of the transaction `open`, and then commits `open`.
pub(crate) async fn while_open<T>(
    pool: &PgPool,
    open: Transaction<'static, Postgres>,
    command: impl Future<Output = T>,
) -> T {
    let committing = async { open.commit().await.unwrap() };
    while_waiting(pool, committing, command).await
}

/// Runs a command that must wait for a lock, and `unblocking` once it waits.
pub(crate) async fn while_waiting<T>(
    pool: &PgPool,
    unblocking: impl Future<Output = ()>,
    command: impl Future<Output = T>,
) -> T {
    let unblocking = async {
        testing::wait_until("the command waits for a row", async || {
            sqlx::query_scalar!(
                r#"select exists (
                       select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                   ) as "waits!""#
            )
            .fetch_one(pool)
            .await
            .unwrap()
        })
        .await;
        unblocking.await;
    };
    tokio::join!(command, unblocking).0
}

/// A file to import.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) header: proto::ImportHeader,
    pub(crate) lines: Vec<String>,
}

impl File {
    pub(crate) fn new(entity: &str, text: &str) -> Self {
        let header = proto::ImportHeader {
            entity: entity.to_owned(),
            mode: common::Mode::Live.into(),
            file_name: format!("{entity}.ndjson"),
        };
        let lines = text.lines().map(ToOwned::to_owned).collect();
        Self { header, lines }
    }

    pub(crate) fn rows(entity: &str, rows: &[serde_json::Value]) -> Self {
        let lines: Vec<String> = rows.iter().map(ToString::to_string).collect();
        Self::new(entity, &lines.join("\n"))
    }

    pub(crate) fn test(mut self) -> Self {
        self.header.mode = common::Mode::Test.into();
        self
    }

    /// The messages of an import: the header, the lines in several messages, and the end.
    pub(crate) fn messages(&self) -> Vec<proto::ImportRequest> {
        let mut messages = vec![Message::Header(self.header.clone())];
        for part in self.lines.chunks(300) {
            let lines = part.to_vec();
            messages.push(Message::Lines(proto::ImportLines { lines }));
        }
        messages.push(Message::End(proto::ImportEnd {}));
        let request = |message| proto::ImportRequest { message: Some(message) };
        messages.into_iter().map(request).collect()
    }
}

/// Rows of an import by outcome: created, updated, unchanged, refused.
pub(crate) type Counts = (u64, u64, u64, u64);

pub(crate) fn counts(report: &proto::ImportResponse) -> Counts {
    (report.created, report.updated, report.unchanged, report.refused_count)
}

impl Service {
    pub(crate) async fn try_import(&self, file: &File) -> Result<proto::ImportResponse, Status> {
        self.send(file.messages()).await
    }

    pub(crate) async fn send(
        &self,
        messages: Vec<proto::ImportRequest>,
    ) -> Result<proto::ImportResponse, Status> {
        let mut request = tonic::Request::new(tokio_stream::iter(messages));
        request.set_timeout(std::time::Duration::from_mins(2));
        Ok(self.staff.clone().import(request).await?.into_inner())
    }

    pub(crate) async fn import(&self, file: &File) -> proto::ImportResponse {
        self.try_import(file).await.unwrap()
    }

    /// Changes of listings on the feed after `after`.
    pub(crate) async fn changes(&self, after: i64) -> Vec<common::Change> {
        let mut changes = self.all_changes().await;
        changes.retain(|change| change.seq > after && change.entity != "decision");
        changes
    }

    /// The decisions of staff on the feed: the event and the message of each.
    pub(crate) async fn decisions(&self) -> Vec<(String, proto::StaffDecision)> {
        let mut changes = self.all_changes().await;
        changes.retain(|change| change.entity == "decision");
        let decode = |change: common::Change| {
            assert!(change.happening, "no newer state replaces it");
            let decision = proto::StaffDecision::decode(change.state).unwrap();
            (change.event, decision)
        };
        changes.into_iter().map(decode).collect()
    }

    async fn all_changes(&self) -> Vec<common::Change> {
        let mut feed = self.feed.clone();
        let request = common::FollowRequest::default();
        let mut stream = feed.follow(request).await.unwrap().into_inner();
        let Some(Followed::Start(start)) = stream.message().await.unwrap().unwrap().message else {
            unreachable!("a stream starts with Start");
        };
        let mut changes: Vec<common::Change> = Vec::new();
        while changes.last().map_or(0, |c| c.seq) < start.head_seq {
            let message = stream.message().await.unwrap().unwrap().message;
            if let Some(Followed::Batch(batch)) = message {
                changes.extend(batch.changes);
            }
        }
        changes
    }

    /// The newest sequence number of the feed.
    pub(crate) async fn head(&self) -> i64 {
        sqlx::query_scalar!("select seq from listings.feed_head")
            .fetch_one(&self.pool)
            .await
            .unwrap()
    }

    pub(crate) async fn revisions(&self) -> i64 {
        sqlx::query_scalar!(r#"select count(*) as "count!" from listings.revision"#)
            .fetch_one(&self.pool)
            .await
            .unwrap()
    }
}

/// The refused rows: the number of each line, and its bad fields.
pub(crate) fn refused(report: &proto::ImportResponse) -> BTreeMap<u64, Vec<String>> {
    report
        .refused
        .iter()
        .map(|row| {
            let mut fields: Vec<String> = row.fields.keys().cloned().collect();
            fields.sort();
            (row.line, fields)
        })
        .collect()
}

/// Decides on one listing, and returns a refusal as an error. An approval is of the current revision, if none is named.
pub(crate) async fn decide(
    channel: &Client,
    decision: proto::Decision,
    (name, revision): (proto::ListingName, Option<i64>),
    reason: &str,
) -> Result<proto::DecideResult, Status> {
    let name = Some(name);
    let mut review = StaffReviewServiceClient::new(channel.clone());
    let revision = match revision {
        None if decision == proto::Decision::Approve => {
            let request = proto::GetReviewRequest { name: name.clone(), revision: 0 };
            let read = review.get_review(request).await?.into_inner();
            read.item.map(|item| item.revision)
        }
        revision => revision,
    };
    let request = proto::DecideRequest {
        decision: decision.into(),
        items: vec![proto::DecideItem { name, revision }],
        reason: reason.to_owned(),
    };
    let answer = review.decide(request).await?.into_inner();
    let result = answer.results.into_iter().next().unwrap();
    match kit::Code::parse(&result.code) {
        None => Ok(result),
        Some(code) => Err(Status::from(kit::Fault {
            fields: result.fields.into_iter().collect(),
            ..kit::Fault::new(code, result.problem)
        })),
    }
}

pub(crate) fn creator(handle: &str) -> serde_json::Value {
    serde_json::json!({"handle": handle, "name": "A Studio", "kind": "studio", "country_code": "NG", "city": "LAGOS"})
}

pub(crate) fn game(slug: &str, title: &str) -> serde_json::Value {
    serde_json::json!({"slug": slug, "title": title, "release_year": 2020, "creator": "studio", "genres": ["puzzle"]})
}
