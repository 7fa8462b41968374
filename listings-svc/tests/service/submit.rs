//! Listings as accounts send them in.

use kit::Fault;
use kit::clock::Clock;
use kit::feed::{Applied, Apply, Producer, Retention, Writer};
use kit::ids;
use listings::domain::event::Event;
use listings::domain::game::Game;
use listings::domain::listing::Listing;
use listings::domain::page::Page;
use listings::domain::record::Record as _;
use listings::feed::{Happened, PublicUrl, Publish};
use listings::store::Stored;
use listings::store::revisions::{self, Actor, Revision};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::support::Service;

/// What an account sends.
#[derive(Debug)]
enum Sent {
    New(&'static str, Uuid, Value),
    /// Changed fields of the content of what it sent before.
    Again(&'static str, String, Value),
}

/// Writes what accounts send, as a replica of its own.
#[derive(Debug, Clone)]
pub(crate) struct Accounts {
    writer: Writer<Sending>,
    /// The one who sends.
    pub(crate) account: Uuid,
    studio: Uuid,
}

#[derive(Debug)]
struct Sending;

impl Apply for Sending {
    type Item = Sent;
    type Done = ();

    async fn apply(
        &self,
        connection: &mut PgConnection,
        items: &[&Sent],
        now: OffsetDateTime,
    ) -> Result<Vec<Applied<()>>, sqlx::Error> {
        let mut applied = Vec::new();
        for item in items {
            let change = match item {
                Sent::New("page", by, content) => new::<Page>(connection, *by, content, now).await,
                Sent::New("game", by, content) => new::<Game>(connection, *by, content, now).await,
                Sent::New(_, by, content) => new::<Event>(connection, *by, content, now).await,
                Sent::Again("page", name, changes) => {
                    again::<Page>(connection, name, changes, now).await
                }
                Sent::Again("game", name, changes) => {
                    again::<Game>(connection, name, changes, now).await
                }
                Sent::Again(_, name, changes) => {
                    again::<Event>(connection, name, changes, now).await
                }
            };
            applied.push(Applied::Done((), vec![change?]));
        }
        Ok(applied)
    }
}

async fn new<C: DeserializeOwned + Clone + PartialEq>(
    connection: &mut PgConnection,
    by: Uuid,
    content: &Value,
    now: OffsetDateTime,
) -> Result<kit::feed::NewChange, sqlx::Error>
where
    Listing<C>: Stored + Publish + Serialize,
{
    let content: C = serde_json::from_value(content.clone()).unwrap();
    let listing = Listing::submitted(ids::row_id(), by, content, now);
    keep(connection, None, &listing, now).await
}

async fn again<C: DeserializeOwned + Clone + PartialEq + Serialize>(
    connection: &mut PgConnection,
    name: &str,
    changes: &Value,
    now: OffsetDateTime,
) -> Result<kit::feed::NewChange, sqlx::Error>
where
    Listing<C>: Stored + Publish + Serialize,
{
    let names = [name.to_owned()];
    let mode = listings::domain::mode::Mode::Live;
    let before = Listing::<C>::lock(connection, mode, &names).await?;
    let before = before.whole().unwrap().remove(0);
    let mut content = serde_json::to_value(&before.content).unwrap();
    let changes = changes.as_object().unwrap().clone();
    content.as_object_mut().unwrap().extend(changes);
    let after = before.edited(serde_json::from_value(content).unwrap(), now);
    keep(connection, Some(&before), &after.unwrap(), now).await
}

async fn keep<C>(
    connection: &mut PgConnection,
    before: Option<&Listing<C>>,
    after: &Listing<C>,
    now: OffsetDateTime,
) -> Result<kit::feed::NewChange, sqlx::Error>
where
    Listing<C>: Stored + Publish + Serialize,
{
    let json = serde_json::to_value(after).unwrap();
    Listing::<C>::save(connection, &Value::Array(vec![json.clone()])).await?;
    let revision = Revision {
        id: after.id,
        number: after.revision,
        actor: Actor::Import("an account".to_owned()),
        before: before.map(|before| serde_json::to_value(before).unwrap()),
        after: json,
        reason: None,
    };
    revisions::append(connection, Listing::<C>::ENTITY, now, vec![revision]).await?;
    let addresses = PublicUrl::new("https://mchezo.example");
    Ok(after.change(Happened::Updated, false, &addresses))
}

impl Service {
    /// An account whose games stand under the page `studio`, if there is one.
    pub(crate) async fn accounts(&self) -> Accounts {
        let studio = sqlx::query_scalar!("select id from listings.page where handle = 'studio'")
            .fetch_optional(&self.pool)
            .await
            .unwrap();
        let (lifecycle, clock): (_, Clock) = (self.lifecycle(), self.clock.clone());
        let producer = Producer::start(
            self.pool.clone(),
            listings::SCHEMA,
            clock,
            lifecycle,
            Retention::default(),
        );
        Accounts {
            writer: producer.writer(Sending),
            account: Uuid::max(),
            studio: studio.unwrap_or_default(),
        }
    }
}

impl Accounts {
    async fn send(&self, sent: Sent) {
        let outcome: Result<_, Fault> = self.writer.write(sent).await;
        outcome.unwrap();
    }

    pub(crate) async fn page(&self, handle: &str) -> Uuid {
        let content = json!({
            "handle": handle, "name": format!("The {handle}"), "kind": "studio", "roles": [], "tagline": "", "bio": "",
            "avatar_url": null, "country_code": "NG", "city": "Lagos", "city_slug": "lagos", "verified": false, "links": {},
            "source": "",
        });
        self.send(Sent::New("page", self.account, content)).await;
        self.account
    }

    pub(crate) async fn game(&self, slug: &str) {
        self.game_under(slug, self.studio).await;
    }

    pub(crate) async fn game_under(&self, slug: &str, page: Uuid) {
        let content = json!({
            "slug": slug, "title": format!("The {slug}"), "tagline": "", "description": "", "cover_url": null,
            "screenshots": [], "genres": ["puzzle"], "platforms": ["web"], "stage": "released", "release_year": 2026,
            "trailer_url": null, "links": {"play": "https://play.example/a"}, "credits": [], "featured": false, "page_id": page,
            "source": "",
        });
        self.send(Sent::New("game", self.account, content)).await;
    }

    pub(crate) async fn event(&self, slug: &str) {
        let content = json!({
            "slug": slug, "title": format!("The {slug}"), "kind": "jam", "starts_at": "2026-07-01", "ends_at": null,
            "country_code": "NG", "city": "Lagos", "city_slug": "lagos", "online": false, "website": null, "description": "",
            "source": "",
        });
        self.send(Sent::New("event", self.account, content)).await;
    }

    /// Changes a listing of the account's.
    pub(crate) async fn edit(&self, kind: &'static str, name: &str, changes: Value) {
        self.send(Sent::Again(kind, name.to_owned(), changes)).await;
    }
}
