//! The same fields by every writer of listings: the API and the dashboard of an owner, staff, and an import. All four accept and refuse the
//! same values and store them alike.

mod fields;

use std::collections::BTreeMap;

use contracts::listings::v1 as proto;
use contracts::listings::v1::pages_service_client::PagesServiceClient;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::Fault;
use kit::rpc::client::Client;
use proptest::strategy::{BoxedStrategy, Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::accounts::writing;
use crate::review::listing_name;
use crate::support::{File, Service, counts, creator, start};

const OWNER: Uuid = Uuid::from_u128(1);
/// Bodies of each kind.
const CASES: usize = 40;

/// Fields that not every writer may set: they identify a listing, or have calls of their own.
const OTHER_FIELDS: [&str; 9] = [
    "slug",
    "handle",
    "page_id",
    "featured",
    "verified",
    "source",
    "cover_url",
    "avatar_url",
    "screenshots",
];

/// Fields without values of their own: the service derives one, and staff move a game by another call.
const DERIVED_FIELDS: [&str; 2] = ["city_slug", "creator"];

/// The outcome of a write: the refused fields, or the content of the listing.
#[derive(Debug, PartialEq)]
enum Written {
    Refused(Vec<String>),
    Stored(Map<String, Value>),
}

#[derive(Debug, Clone, Copy)]
enum Writer {
    Api,
    Dashboard,
    Staff,
    Import,
}

const WRITERS: [Writer; 4] = [
    Writer::Api,
    Writer::Dashboard,
    Writer::Staff,
    Writer::Import,
];

impl Writer {
    /// The slug or the handle of the listing that it writes.
    const fn name(self) -> &'static str {
        match self {
            Self::Api => "by-api",
            Self::Dashboard => "by-dashboard",
            Self::Staff => "by-staff",
            Self::Import => "by-import",
        }
    }
}

struct Writers {
    service: Service,
    review: StaffReviewServiceClient<Client>,
    kind: &'static str,
    key: &'static str,
    base: Value,
}

impl Writers {
    /// A listing of the kind for each writer, all of them of the owner.
    async fn start(pool: PgPool, kind: &'static str, base: Value) -> Self {
        let service = start(pool).await.with_gazetteer().await;
        let page = File::rows("page", &[creator("studio")]);
        service.import(&page).await;
        let review = StaffReviewServiceClient::new(service.operator_client.clone());
        let key = if kind == "page" { "handle" } else { "slug" };
        let writers = Self {
            service,
            review,
            kind,
            key,
            base,
        };
        let rows = WRITERS.map(|writer| writers.row(writer, &Map::new()));
        let report = writers.service.import(&File::rows(kind, &rows)).await;
        assert_eq!(counts(&report), (4, 0, 0, 0), "{report:?}");
        writers.own("studio").await;
        for writer in WRITERS {
            match kind {
                "page" => writers.own(writer.name()).await,
                "event" => writers.assign(writer.name()).await,
                _ => {}
            }
        }
        writers
    }

    async fn own(&self, page: &str) {
        let request = proto::AddOwnerRequest {
            handle: page.to_owned(),
            account_id: OWNER.to_string(),
        };
        let mut staff = StaffPageServiceClient::new(self.service.operator_client.clone());
        staff.add_owner(request).await.unwrap();
    }

    async fn assign(&self, event: &str) {
        let request = proto::ReassignRequest {
            name: Some(listing_name("event", event)),
            to: OWNER.to_string(),
            reason: String::new(),
        };
        self.review.clone().reassign(request).await.unwrap();
    }

    /// The row of an import.
    fn row(&self, writer: Writer, body: &Map<String, Value>) -> Value {
        let mut row = self.base.clone();
        row[self.key] = json!(writer.name());
        for (field, value) in body {
            row[field] = value.clone();
        }
        row
    }

    async fn write(&self, writer: Writer, body: &Map<String, Value>) -> Written {
        let outcome = match writer {
            Writer::Api => self.write_as_owner(writer, body).await,
            Writer::Dashboard => self.write_as_owner(writer, &form(body)).await,
            Writer::Staff => {
                let request = proto::EditRequest {
                    name: Some(listing_name(self.kind, writer.name())),
                    changes: Value::from(body.clone()).to_string(),
                    ..proto::EditRequest::default()
                };
                let edited = self.review.clone().edit(request).await;
                edited
                    .map(drop)
                    .map_err(|status| Fault::from(status).fields)
            }
            Writer::Import => {
                let mut file = File::rows(self.kind, &[self.row(writer, body)]);
                file.header.overwrite = true;
                let report = self.service.import(&file).await;
                match report.refused.into_iter().next() {
                    Some(row) => Err(row.fields.into_iter().collect()),
                    None => Ok(()),
                }
            }
        };
        match outcome {
            Ok(()) => Written::Stored(self.content(writer).await),
            Err(fields) => Written::Refused(fields.into_keys().collect()),
        }
    }

    async fn write_as_owner(
        &self,
        writer: Writer,
        body: &Map<String, Value>,
    ) -> Result<(), BTreeMap<String, String>> {
        let (name, body) = (writer.name().to_owned(), Value::from(body.clone()));
        let writing = Some(writing(OWNER, &body));
        let written = match self.kind {
            "page" => {
                let request = proto::UpdatePageRequest {
                    account_id: OWNER.to_string(),
                    handle: name,
                    body: body.to_string().into(),
                    ..proto::UpdatePageRequest::default()
                };
                let mut pages = PagesServiceClient::new(self.service.fleet.clone());
                pages.update_page(request).await.map(drop)
            }
            "game" => {
                let request = proto::UpdateGameRequest {
                    slug: name,
                    writing,
                    precondition: None,
                };
                let mut games = self.service.games.clone();
                games.update_game(request).await.map(drop)
            }
            _ => {
                let request = proto::UpdateEventRequest {
                    slug: name,
                    writing,
                    precondition: None,
                };
                let mut events = self.service.events.clone();
                events.update_event(request).await.map(drop)
            }
        };
        written.map_err(|status| Fault::from(status).fields)
    }

    async fn content(&self, writer: Writer) -> Map<String, Value> {
        let request = proto::GetReviewRequest {
            name: Some(listing_name(self.kind, writer.name())),
        };
        let review = self.review.clone().get_review(request).await.unwrap();
        let content = review.into_inner().content;
        let mut content: Map<String, Value> = serde_json::from_str(&content).unwrap();
        content.retain(|field, _| !OTHER_FIELDS.contains(&field.as_str()));
        content
    }
}

/// The fields as the forms of the dashboard send them: an empty text or list instead of null. `gateway/web/src/listings/changes.rs` tests that
/// the forms send the others as the API does.
fn form(body: &Map<String, Value>) -> Map<String, Value> {
    let mut form = body.clone();
    for (field, value) in &mut form {
        if value.is_null() {
            *value = match field.as_str() {
                "tagline" | "description" | "bio" => json!(""),
                "genres" | "platforms" | "roles" | "credits" => json!([]),
                "links" => json!({}),
                "online" => json!(false),
                _ => Value::Null,
            };
        }
    }
    form
}

async fn assert_that_writers_agree(
    pool: PgPool,
    kind: &'static str,
    base: Value,
    fields: Vec<(&'static str, BoxedStrategy<Value>)>,
) {
    let writers = Writers::start(pool, kind, base).await;
    for field in writers.content(Writer::Api).await.keys() {
        let has_values = fields.iter().any(|(name, _)| *name == field.as_str());
        let is_derived = DERIVED_FIELDS.contains(&field.as_str());
        assert!(
            has_values || is_derived,
            "no values of {field} for a {kind}"
        );
    }
    let mut runner = TestRunner::deterministic();
    let mut stored = 0;
    for _ in 0..CASES {
        let value = |strategy: &BoxedStrategy<Value>, runner: &mut TestRunner| {
            strategy.new_tree(runner).unwrap().current()
        };
        let body: Map<String, Value> = fields
            .iter()
            .map(|(field, strategy)| ((*field).to_owned(), value(strategy, &mut runner)))
            .collect();
        let api = writers.write(Writer::Api, &body).await;
        for writer in WRITERS {
            let written = writers.write(writer, &body).await;
            assert_eq!(written, api, "{writer:?} {}", Value::from(body.clone()));
        }
        stored += usize::from(matches!(api, Written::Stored(_)));
    }
    assert!(
        (1..CASES).contains(&stored),
        "{stored} of {CASES} are valid"
    );
}
