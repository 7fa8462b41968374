//! Accounts that submit listings: as many accounts as needed, because each may have only a few pending.

use std::collections::HashMap;
use std::sync::Mutex;

use contracts::common::v1::Mode;
use contracts::listings::v1::pages_service_client::PagesServiceClient;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use contracts::listings::v1::{self as proto, Author, Writing};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{MAX_PENDING, Service};

/// Accounts that own the page `studio`, if it exists. The slug of a listing is the title with which they submit it.
pub(crate) struct Accounts<'a> {
    service: &'a Service,
    /// The first account.
    pub(crate) account: Uuid,
    /// The account that submitted a listing, by the listing's name.
    submitters: Mutex<HashMap<String, Uuid>>,
}

impl Service {
    pub(crate) async fn accounts(&self) -> Accounts<'_> {
        let accounts =
            Accounts { service: self, account: Uuid::from_u128(1), submitters: Mutex::default() };
        accounts.own_studio(accounts.account).await;
        accounts
    }
}

impl Accounts<'_> {
    async fn own_studio(&self, account: Uuid) {
        let request =
            proto::AddOwnerRequest { handle: "studio".to_owned(), account_id: account.to_string() };
        let staff = StaffPageServiceClient::new(self.service.operator_client.clone());
        staff.clone().add_owner(request).await.unwrap();
    }

    /// Picks an account that may have another pending submission, and records it as the submitter of `name`.
    async fn submitter(&self, name: &str) -> Uuid {
        let (account, is_new) = {
            let mut submitters = self.submitters.lock().unwrap();
            let before = u128::try_from(submitters.len()).unwrap();
            let each = u128::try_from(MAX_PENDING).unwrap();
            let account = Uuid::from_u128(1 + before / each);
            submitters.insert(name.to_owned(), account);
            (account, before > 0 && before % each == 0)
        };
        if is_new {
            self.own_studio(account).await;
        }
        account
    }

    /// Submits a page whose name is its handle.
    pub(crate) async fn page(&self, handle: &str) {
        let body = json!({"name": handle, "kind": "studio", "country_code": "NG", "city": "Lagos"});
        let request = proto::CreatePageRequest {
            account_id: self.submitter(handle).await.to_string(),
            body: body.to_string().into(),
            ..proto::CreatePageRequest::default()
        };
        let pages = PagesServiceClient::new(self.service.fleet.clone());
        let made = pages.clone().create_page(request).await.unwrap();
        assert_eq!(slug(made.into_inner().written), handle);
    }

    /// Submits a game under the page `studio`.
    pub(crate) async fn game(&self, title: &str) {
        let submitter = self.submitter(title).await;
        self.game_of(submitter, title, "studio").await;
    }

    /// Submits a game under a page that `page` submitted.
    pub(crate) async fn game_under(&self, title: &str, handle: &str) {
        let submitter = self.submitter_of(handle);
        self.game_of(submitter, title, handle).await;
    }

    async fn game_of(&self, account: Uuid, title: &str, handle: &str) {
        let body = json!({
            "creator": handle, "title": title, "genres": ["puzzle"], "platforms": ["web"], "stage": "released", "release_year": 2026,
            "links": {"play": "https://play.example/a"},
        });
        let writing = Some(writing(account, &body));
        let request = proto::CreateGameRequest { writing };
        let made = self.service.games.clone().create_game(request).await;
        assert_eq!(slug(made.unwrap().into_inner().written), title);
    }

    pub(crate) async fn event(&self, title: &str) {
        let body = json!({"title": title, "kind": "jam", "starts_at": "2026-07-01", "country_code": "NG", "city": "Lagos"});
        let writing = Some(writing(self.submitter(title).await, &body));
        let request = proto::CreateEventRequest { writing };
        let made = self.service.events.clone().create_event(request).await;
        assert_eq!(slug(made.unwrap().into_inner().written), title);
    }

    /// Changes a game that `game` submitted.
    pub(crate) async fn edit(&self, slug: &str, changes: Value) {
        let writing = Some(writing(self.submitter_of(slug), &changes));
        let slug = slug.to_owned();
        let request = proto::UpdateGameRequest { slug, writing, precondition: None };
        let made = self.service.games.clone().update_game(request).await;
        drop(made.unwrap());
    }

    pub(crate) fn submitter_of(&self, name: &str) -> Uuid {
        self.submitters.lock().unwrap()[name]
    }
}

pub(crate) fn writing(account: Uuid, body: &Value) -> Writing {
    Writing {
        author: Some(Author {
            account_id: account.to_string(),
            mode: Mode::Live.into(),
            writes_per_day: None,
        }),
        body: body.to_string().into(),
        ..Writing::default()
    }
}

fn slug(written: Option<proto::Written>) -> String {
    written.unwrap().slug.unwrap()
}
