//! The same fields by every writer of listings: the API and the dashboard of an owner, staff, and an import. All four accept and refuse the
//! same values and store them alike, in a new listing as in a changed one. Imports only create.

mod fields;
mod form;

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
use tonic::Status;
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

/// The refused fields with their reasons.
type Refused = BTreeMap<String, String>;

/// The outcome of a write: the refused fields, or the content of the listing.
#[derive(Debug, PartialEq)]
enum Written {
    Refused(Vec<String>),
    Stored(Map<String, Value>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        let service = start(pool).await;
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
        let rows = WRITERS.map(|writer| writers.row(writer.name(), &Map::new()));
        let report = writers.service.import(&File::rows(kind, &rows)).await;
        assert_eq!(counts(&report), (4, 0, 0, 0), "{report:?}");
        writers.own("studio", OWNER).await;
        for writer in WRITERS {
            match kind {
                "page" => writers.own(writer.name(), OWNER).await,
                "event" => writers.assign(writer.name()).await,
                _ => {}
            }
        }
        writers
    }

    async fn own(&self, page: &str, account: Uuid) {
        let request = proto::AddOwnerRequest {
            handle: page.to_owned(),
            account_id: account.to_string(),
        };
        let mut staff = StaffPageServiceClient::new(self.service.operator_client.clone());
        staff.add_owner(request).await.unwrap();
    }

    async fn assign(&self, event: &str) {
        let request = proto::EditRequest {
            name: Some(listing_name("event", event)),
            changes: json!({"account": OWNER}).to_string(),
            ..proto::EditRequest::default()
        };
        self.review.clone().edit(request).await.unwrap();
    }

    /// The row of an import.
    fn row(&self, name: &str, body: &Map<String, Value>) -> Value {
        let mut row = self.base.clone();
        row[self.key] = json!(name);
        for (field, value) in body {
            row[field] = value.clone();
        }
        row
    }

    /// Changes the listing of the writer.
    async fn edit(&self, writer: Writer, body: &Map<String, Value>) -> Written {
        let outcome = match writer {
            Writer::Api | Writer::Dashboard => self.edit_as_owner(writer, body).await,
            Writer::Staff => {
                let request = proto::EditRequest {
                    name: Some(listing_name(self.kind, writer.name())),
                    changes: Value::from(body.clone()).to_string(),
                    ..proto::EditRequest::default()
                };
                let edited = self.review.clone().edit(request).await;
                edited.map(drop).map_err(fields_of)
            }
            Writer::Import => unreachable!("an import changes nothing"),
        };
        self.written(outcome.map(|()| writer.name().to_owned()))
            .await
    }

    /// Writes another listing. Only owners and imports do.
    async fn create(&self, writer: Writer, case: usize, body: &Map<String, Value>) -> Written {
        let outcome = if writer == Writer::Import {
            let name = format!("new-{case}");
            self.import(&name, body).await.map(|()| name)
        } else {
            // An account has a few pending submissions at most.
            let account = Uuid::from_u128(100 + u128::try_from(case).unwrap());
            self.own("studio", account).await;
            self.submit(account, body).await
        };
        self.written(outcome).await
    }

    /// What became of a write, which returns the name of the listing.
    async fn written(&self, outcome: Result<String, Refused>) -> Written {
        match outcome {
            Ok(name) => Written::Stored(self.content(&name).await),
            Err(fields) => Written::Refused(fields.into_keys().collect()),
        }
    }

    async fn import(&self, name: &str, body: &Map<String, Value>) -> Result<(), Refused> {
        let file = File::rows(self.kind, &[self.row(name, body)]);
        let report = self.service.import(&file).await;
        match report.refused.into_iter().next() {
            Some(row) => Err(row.fields.into_iter().collect()),
            None => Ok(()),
        }
    }

    async fn submit(&self, account: Uuid, body: &Map<String, Value>) -> Result<String, Refused> {
        let mut body = Value::from(body.clone());
        if let Some(creator) = self.base.get("creator") {
            body["creator"] = creator.clone();
        }
        let writing = Some(writing(account, &body));
        let written = match self.kind {
            "page" => {
                let request = proto::CreatePageRequest {
                    account_id: account.to_string(),
                    body: body.to_string().into(),
                    ..proto::CreatePageRequest::default()
                };
                let mut pages = PagesServiceClient::new(self.service.fleet.clone());
                let made = pages.create_page(request).await;
                made.map(|made| made.into_inner().written)
            }
            "game" => {
                let request = proto::CreateGameRequest { writing };
                let made = self.service.games.clone().create_game(request).await;
                made.map(|made| made.into_inner().written)
            }
            _ => {
                let request = proto::CreateEventRequest { writing };
                let made = self.service.events.clone().create_event(request).await;
                made.map(|made| made.into_inner().written)
            }
        };
        written
            .map(|written| written.unwrap().slug.unwrap())
            .map_err(fields_of)
    }

    async fn edit_as_owner(
        &self,
        writer: Writer,
        body: &Map<String, Value>,
    ) -> Result<(), Refused> {
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
        written.map_err(fields_of)
    }

    async fn content(&self, name: &str) -> Map<String, Value> {
        let request = proto::GetReviewRequest {
            name: Some(listing_name(self.kind, name)),
        };
        let review = self.review.clone().get_review(request).await.unwrap();
        let content = review.into_inner().content;
        let mut content: Map<String, Value> = serde_json::from_str(&content).unwrap();
        content.retain(|field, _| !OTHER_FIELDS.contains(&field.as_str()));
        content
    }
}

fn fields_of(status: Status) -> Refused {
    Fault::from(status).fields
}

async fn assert_that_writers_agree(
    pool: PgPool,
    kind: &'static str,
    base: Value,
    fields: Vec<(&'static str, BoxedStrategy<Value>)>,
) {
    let writers = Writers::start(pool, kind, base).await;
    for field in writers.content(Writer::Api.name()).await.keys() {
        let has_values = fields.iter().any(|(name, _)| *name == field.as_str());
        let is_derived = DERIVED_FIELDS.contains(&field.as_str());
        assert!(
            has_values || is_derived,
            "no values of {field} for a {kind}"
        );
    }
    let mut runner = TestRunner::deterministic();
    let (mut stored, mut typed) = (0, 0);
    for case in 0..CASES {
        let value = |strategy: &BoxedStrategy<Value>, runner: &mut TestRunner| {
            strategy.new_tree(runner).unwrap().current()
        };
        let body: Map<String, Value> = fields
            .iter()
            .map(|(field, strategy)| ((*field).to_owned(), value(strategy, &mut runner)))
            .collect();
        let form = form::sent(kind, &body);
        typed += usize::from(form.is_some());
        let mut written = Vec::new();
        for writer in WRITERS {
            let body = match writer {
                Writer::Dashboard => form.as_ref(),
                _ => Some(&body),
            };
            let Some(body) = body else {
                continue;
            };
            if writer != Writer::Import {
                written.push((writer, "edit", writers.edit(writer, body).await));
            }
            if writer != Writer::Staff {
                let created = writers.create(writer, case, body).await;
                written.push((writer, "create", created));
            }
        }
        let (.., first) = &written[0];
        for (writer, call, other) in &written {
            let body = Value::from(body.clone());
            assert_eq!(other, first, "{writer:?} {call} {body}");
        }
        stored += usize::from(matches!(first, Written::Stored(_)));
    }
    assert!(
        (1..CASES).contains(&stored),
        "{stored} of {CASES} are valid"
    );
    assert!(typed > CASES / 4, "{typed} of {CASES} can be typed");
}
