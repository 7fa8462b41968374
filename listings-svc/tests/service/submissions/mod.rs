//! Accounts submit and change games and events (§3, §4.3).

mod change;
mod fields;
mod own_list;
mod repeat;
mod submit;

use std::collections::BTreeSet;

use contracts::common::v1::Mode;
use contracts::listings::v1 as proto;
use futures::future::join_all;
use kit::{Code, Fault};
use prost::Message as _;
use serde_json::{Value, json};
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;

use crate::support::{File, MAX_PENDING, Service, creator, start};

pub(crate) const ADA: Uuid = Uuid::from_u128(1);
const BOB: Uuid = Uuid::from_u128(2);

/// The result of a write, or its fault.
type WriteResult = Result<proto::Written, Fault>;

/// A call as the gateway makes it.
#[derive(Clone)]
struct Call {
    account: Uuid,
    mode: Mode,
    writes_per_day: Option<u32>,
    dry_run: bool,
    key: String,
    /// The revisions at which a change applies.
    revisions: Option<Vec<i64>>,
}

static LIVE: Call = Call {
    account: ADA,
    mode: Mode::Live,
    writes_per_day: None,
    dry_run: false,
    key: String::new(),
    revisions: None,
};

impl Call {
    fn with(&self, body: &Value) -> proto::Writing {
        proto::Writing {
            author: Some(proto::Author {
                account_id: self.account.to_string(),
                mode: self.mode.into(),
                writes_per_day: self.writes_per_day,
            }),
            body: body.to_string().into(),
            dry_run: self.dry_run,
            idempotency_key: self.key.clone(),
        }
    }

    fn at(revisions: &[i64]) -> Self {
        Self { revisions: Some(revisions.to_vec()), ..LIVE.clone() }
    }

    fn precondition(&self) -> Option<proto::Precondition> {
        let revisions = self.revisions.clone()?;
        Some(proto::Precondition { revisions })
    }

    fn keyed(key: &str) -> Self {
        Self { key: key.to_owned(), ..LIVE.clone() }
    }

    async fn game(&self, service: &Service, body: &Value) -> WriteResult {
        self.game_of_bytes(service, &body.to_string()).await
    }

    async fn game_of_bytes(&self, service: &Service, body: &str) -> WriteResult {
        let writing =
            Some(proto::Writing { body: body.to_owned().into(), ..self.with(&Value::Null) });
        let made = service.games.clone().create_game(proto::CreateGameRequest { writing }).await;
        outcome(made.map(|made| made.into_inner().written))
    }

    async fn event(&self, service: &Service, body: &Value) -> WriteResult {
        let writing = Some(self.with(body));
        let made = service.events.clone().create_event(proto::CreateEventRequest { writing }).await;
        outcome(made.map(|made| made.into_inner().written))
    }

    async fn change_game(&self, service: &Service, slug: &str, body: &Value) -> WriteResult {
        let (slug, writing) = (slug.to_owned(), Some(self.with(body)));
        let request = proto::UpdateGameRequest { slug, writing, precondition: self.precondition() };
        let made = service.games.clone().update_game(request).await;
        outcome(made.map(|made| made.into_inner().written))
    }

    async fn change_event(&self, service: &Service, slug: &str, body: &Value) -> WriteResult {
        let (slug, writing) = (slug.to_owned(), Some(self.with(body)));
        let request =
            proto::UpdateEventRequest { slug, writing, precondition: self.precondition() };
        let made = service.events.clone().update_event(request).await;
        outcome(made.map(|made| made.into_inner().written))
    }
}

fn outcome(made: Result<Option<proto::Written>, Status>) -> WriteResult {
    made.map(Option::unwrap).map_err(Fault::from)
}

fn code<T: std::fmt::Debug>(outcome: Result<T, Fault>) -> Code {
    outcome.unwrap_err().code
}

fn game(title: &str) -> Value {
    json!({"creator": "studio", "title": title})
}

fn event(title: &str) -> Value {
    json!({"title": title, "kind": "jam", "starts_at": "2026-07-01", "country_code": "NG", "city": "Lagos"})
}

/// Samples of both kinds, the pages `studio` and `second` of Ada, and the page `other` of Bob.
pub(crate) async fn start_with_pages(pool: PgPool) -> Service {
    let service = start(pool).await;
    let pages = ["studio", "second", "other"].map(creator);
    service.import(&File::rows("page", &pages)).await;
    for (handle, account) in [("studio", ADA), ("second", ADA), ("other", BOB)] {
        own(&service, handle, account).await;
    }
    let sample = json!({"slug": "a-sample", "title": "A Sample", "release_year": 2020, "creator": "samples"});
    for (kind, row) in [
        ("page", creator("samples")),
        ("game", sample),
        ("event", {
            let mut jam = event("A Sample Jam");
            jam["slug"] = json!("a-sample-jam");
            jam
        }),
    ] {
        service.import(&File::rows(kind, &[row]).test()).await;
    }
    service
}

async fn own(service: &Service, handle: &str, account: Uuid) {
    sqlx::query!(
        "insert into listings.page_owner (page_id, account_id, source, since)
         select id, $2, 'staff', now() from listings.listing where entity = 'page' and mode = 'live' and name = $1",
        handle,
        account
    )
    .execute(&service.pool)
    .await
    .unwrap();
}

/// Sets the state of a game in the database, as if it had been public before.
pub(crate) async fn set_state(service: &Service, slug: &str, state: &str) {
    sqlx::query!(
        "update listings.listing set state = $2, waiting_since = null, first_published_at = coalesce(first_published_at, created_at)
         where entity = 'game' and name = $1",
        slug,
        state
    )
    .execute(&service.pool)
    .await
    .unwrap();
}

async fn title_and_tagline(service: &Service, slug: &str) -> (String, String) {
    let row = sqlx::query!(
        r#"select title, content ->> 'tagline' as "tagline!" from listings.listing where entity = 'game' and name = $1"#,
        slug
    )
    .fetch_one(&service.pool)
    .await
    .unwrap();
    (row.title, row.tagline)
}
