//! Accounts submit and change games and events (§3, §4.3).

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

/// A call as the gateway makes it, of the account `ADA` unless told otherwise.
#[derive(Clone)]
struct Call {
    account: Uuid,
    mode: Mode,
    writes_per_day: Option<u32>,
    dry_run: bool,
    key: String,
    /// For a change: the revisions at which it applies.
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
        Self {
            revisions: Some(revisions.to_vec()),
            ..LIVE.clone()
        }
    }

    fn precondition(&self) -> Option<proto::Precondition> {
        let revisions = self.revisions.clone()?;
        Some(proto::Precondition { revisions })
    }

    fn keyed(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            ..LIVE.clone()
        }
    }

    async fn game(&self, service: &Service, body: &Value) -> WriteResult {
        self.game_of_bytes(service, &body.to_string()).await
    }

    async fn game_of_bytes(&self, service: &Service, body: &str) -> WriteResult {
        let writing = Some(proto::Writing {
            body: body.to_owned().into(),
            ..self.with(&Value::Null)
        });
        let made = service
            .games
            .clone()
            .create_game(proto::CreateGameRequest { writing })
            .await;
        outcome(made.map(|made| made.into_inner().written))
    }

    async fn event(&self, service: &Service, body: &Value) -> WriteResult {
        let writing = Some(self.with(body));
        let made = service
            .events
            .clone()
            .create_event(proto::CreateEventRequest { writing })
            .await;
        outcome(made.map(|made| made.into_inner().written))
    }

    async fn change_game(&self, service: &Service, slug: &str, body: &Value) -> WriteResult {
        let (slug, writing) = (slug.to_owned(), Some(self.with(body)));
        let request = proto::UpdateGameRequest {
            slug,
            writing,
            precondition: self.precondition(),
        };
        let made = service.games.clone().update_game(request).await;
        outcome(made.map(|made| made.into_inner().written))
    }

    async fn change_event(&self, service: &Service, slug: &str, body: &Value) -> WriteResult {
        let (slug, writing) = (slug.to_owned(), Some(self.with(body)));
        let request = proto::UpdateEventRequest {
            slug,
            writing,
            precondition: self.precondition(),
        };
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
    let service = start(pool).await.with_gazetteer().await;
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
        "insert into listings.page_owner (page_id, account_id, by_way_of, since)
         select id, $2, 'staff', now() from listings.page where mode = 'live' and handle = $1",
        handle,
        account
    )
    .execute(&service.pool)
    .await
    .unwrap();
}

/// Sets the state of a game in the database, as if the public had seen it before.
pub(crate) async fn set_state(service: &Service, slug: &str, state: &str) {
    sqlx::query!(
        "update listings.game set state = $2, waiting_since = null, first_published_at = coalesce(first_published_at, created_at) where slug = $1",
        slug,
        state
    )
    .execute(&service.pool)
    .await
    .unwrap();
}

async fn title_and_tagline(service: &Service, slug: &str) -> (String, String) {
    let row = sqlx::query!(
        "select title, tagline from listings.game where slug = $1",
        slug
    )
    .fetch_one(&service.pool)
    .await
    .unwrap();
    (row.title, row.tagline)
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_submission_is_pending_under_its_own_slug(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let head = service.head().await;
    let first = LIVE.game(&service, &game("Morabaraba!")).await.unwrap();
    assert_eq!(first.slug.as_deref(), Some("morabaraba"));
    assert_eq!(first.url, "https://mchezo.example/games/morabaraba");
    assert_eq!(
        (first.state(), first.replayed),
        (proto::State::Pending, false)
    );
    let second = LIVE.game(&service, &game("morabaraba")).await.unwrap();
    assert_eq!(second.slug.as_deref(), Some("morabaraba-2"));
    let nameless = LIVE.game(&service, &game("???")).await.unwrap();
    assert_eq!(nameless.slug.as_deref(), Some("game"));
    let jam = Call {
        account: BOB,
        ..LIVE.clone()
    }
    .event(&service, &event("A Jam"))
    .await
    .unwrap();
    assert_eq!(jam.url, "https://mchezo.example/events/a-jam");

    let changes = service.changes(head).await;
    let told: Vec<(&str, &str, bool)> = (changes.iter())
        .map(|change| {
            (
                change.entity.as_str(),
                change.event.as_str(),
                change.announced,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("game", "submitted", false),
            ("game", "submitted", false),
            ("game", "submitted", false),
            ("event", "submitted", false),
        ]
    );
    let listed = proto::Game::decode(&*changes[0].state).unwrap();
    assert_eq!(
        (listed.state(), listed.release_year),
        (proto::State::Pending, 2026)
    );
    let made = sqlx::query!(
        "select actor_kind, actor, before from listings.revision
         where entity = 'event' and actor_kind = 'account'"
    )
    .fetch_one(&service.pool)
    .await
    .unwrap();
    assert_eq!(
        (made.actor_kind, made.actor, made.before),
        ("account".to_owned(), BOB.to_string(), None)
    );
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn the_first_of_two_reasons_to_refuse_is_given(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let none_left = Call {
        writes_per_day: Some(0),
        ..LIVE.clone()
    };
    for n in 0..MAX_PENDING {
        LIVE.game(&service, &game(&format!("Game {n}")))
            .await
            .unwrap();
    }
    // Each body fixes the error of the one before.
    let bad = json!({"creator": "other", "title": ""});
    let fault = none_left
        .change_game(&service, "nobodys", &bad)
        .await
        .unwrap_err();
    assert_eq!(fault.code, Code::NotFound);
    let fault = none_left.game(&service, &bad).await.unwrap_err();
    assert_eq!((fault.code, fault.fields.len()), (Code::Invalid, 1));
    let others = json!({"creator": "other", "title": "A Game"});
    assert_eq!(
        code(none_left.game(&service, &others).await),
        Code::NotYours
    );
    assert_eq!(
        code(none_left.game(&service, &game("A Game")).await),
        Code::TooManyPending
    );
    set_state(&service, "game-0", "published").await;
    let fault = none_left.game(&service, &game("A Game")).await.unwrap_err();
    // The clock shows noon.
    assert_eq!(
        (fault.code, fault.retry_after),
        (Code::Limit, Some(12 * 3_600))
    );
    assert!(LIVE.game(&service, &game("A Game")).await.is_ok());
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_creator_is_a_page_of_the_account(pool: PgPool) {
    let service = start_with_pages(pool).await;
    for handle in ["nobody", "other", "samples", "Studio"] {
        let body = json!({"creator": handle, "title": "A Game"});
        assert_eq!(
            code(LIVE.game(&service, &body).await),
            Code::NotYours,
            "{handle}"
        );
    }
    let body = json!({"creator": {"handle": "second", "name": "A Studio"}, "title": "A Game"});
    let slug = LIVE.game(&service, &body).await.unwrap().slug.unwrap();
    let moved = LIVE
        .change_game(&service, &slug, &json!({"creator": "studio"}))
        .await;
    assert!(moved.is_ok());
    let away = LIVE
        .change_game(&service, &slug, &json!({"creator": "other"}))
        .await;
    assert_eq!(code(away), Code::NotYours);
    sqlx::query!("update listings.page set state = 'rejected' where handle = 'studio'")
        .execute(&service.pool)
        .await
        .unwrap();
    assert_eq!(
        code(LIVE.game(&service, &game("Another")).await),
        Code::NotYours
    );
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn every_bad_field_is_named_at_once(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let body = json!({"title": " ", "genres": ["puzzle", "runner", "puzzle", "puzzel"], "links": {"play": "http://x"}, "x": 1});
    let fault = LIVE.game(&service, &body).await.unwrap_err();
    let named: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
    assert_eq!(
        named,
        [
            "creator",
            "genres.2",
            "genres.3",
            "links.play",
            "title",
            "x"
        ]
    );
    let fault = LIVE
        .event(&service, &json!({"city": "Lagos", "country_code": "FR"}))
        .await
        .unwrap_err();
    let named: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
    assert_eq!(named, ["country_code", "kind", "starts_at", "title"]);
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_read_only_field_that_is_null_is_refused_unless_it_is_null(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let null = json!({"creator": "studio", "title": "A Game", "cover_url": null, "slug": null});
    let fault = LIVE.game(&service, &null).await.unwrap_err();
    assert!(fault.fields.keys().eq(["cover_url", "slug"]), "{fault:?}");
    let made = LIVE.game(&service, &game("A Game")).await.unwrap();
    let slug = made.slug.unwrap();
    // It has no cover, so a read returns null, and null is accepted.
    let change = json!({"cover_url": null, "tagline": "x"});
    LIVE.change_game(&service, &slug, &change).await.unwrap();
    for field in ["slug", "creator", "featured", "created_at", "url"] {
        let change = json!({ field: null });
        let fault = LIVE
            .change_game(&service, &slug, &change)
            .await
            .unwrap_err();
        assert!(fault.fields.keys().eq([field]), "{fault:?}");
    }
    let cover = format!("/pictures/{}.jpg", "0a".repeat(32));
    sqlx::query!("update listings.game set cover_url = $1", cover)
        .execute(&service.pool)
        .await
        .unwrap();
    let fault = LIVE
        .change_game(&service, &slug, &json!({"cover_url": null}))
        .await
        .unwrap_err();
    assert!(fault.fields.keys().eq(["cover_url"]), "{fault:?}");
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn unsupported_json_values_are_named(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let body = r#"{"creator": "studio", "title": "\ud800", "release_year": 1e400, "stage": "released", "stage": "early_access",
        "links": {"play": "https://a.example", "play": "https://b.example"}}"#;
    let fault = LIVE.game_of_bytes(&service, body).await.unwrap_err();
    assert_eq!(fault.code, Code::Invalid);
    for (field, word) in [
        ("title", "surrogate"),
        ("release_year", "too large"),
        ("stage", "It is given twice."),
        ("links.play", "It is given twice."),
    ] {
        assert!(fault.fields[field].contains(word), "{:?}", fault.fields);
    }
    assert_eq!(fault.fields.len(), 4, "{:?}", fault.fields);
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn an_event_is_on_any_day_of_the_calendar(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let mut jam = event("Old Jam");
    for (day, good) in [
        ("0001-01-01", true),
        ("9999-12-31", true),
        ("0000-12-31", false),
    ] {
        jam["starts_at"] = json!(day);
        let made = LIVE.event(&service, &jam).await;
        if good {
            made.unwrap();
        } else {
            let fault = made.unwrap_err();
            assert!(fault.fields["starts_at"].contains("0001"), "{fault:?}");
        }
    }
    let change = json!({"description": "Long ago\tand far away"});
    LIVE.change_event(&service, "old-jam", &change)
        .await
        .unwrap();
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn of_many_at_once_exactly_the_limit_is_accepted(pool: PgPool) {
    let service = start_with_pages(pool.clone()).await;
    let other = start(pool).await;
    let calls = (0..60).map(|n| {
        let service = if n % 2 == 0 { &service } else { &other };
        async move {
            match n % 3 {
                0 => LIVE.event(service, &event("The Same")).await,
                _ => LIVE.game(service, &game("The Same")).await,
            }
        }
    });
    let outcomes = join_all(calls).await;
    let taken = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(i64::try_from(taken).unwrap(), MAX_PENDING);
    for fault in outcomes.into_iter().filter_map(Result::err) {
        assert_eq!(fault.code, Code::TooManyPending, "{fault}");
    }
    let rows = sqlx::query_scalar!(
        r#"select (select count(*) from listings.game where state = 'pending')
             + (select count(*) from listings.event where state = 'pending') as "count!""#
    );
    assert_eq!(rows.fetch_one(&service.pool).await.unwrap(), MAX_PENDING);
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn the_writes_of_a_day_are_counted_exactly(pool: PgPool) {
    let service = start_with_pages(pool.clone()).await;
    let other = start(pool).await;
    let slug = LIVE
        .game(&service, &game("A Game"))
        .await
        .unwrap()
        .slug
        .unwrap();
    let call = Call {
        writes_per_day: Some(20),
        ..LIVE.clone()
    };
    // Submitting the game used one write.
    let changes = (0..40).map(|n| {
        let service = if n % 2 == 0 { &service } else { &other };
        let (call, slug) = (&call, &slug);
        async move {
            call.change_game(service, slug, &json!({"tagline": format!("{n}")}))
                .await
        }
    });
    let outcomes = join_all(changes).await;
    assert_eq!(
        outcomes.iter().filter(|outcome| outcome.is_ok()).count(),
        19
    );
    for fault in outcomes.into_iter().filter_map(Result::err) {
        assert_eq!(fault.code, Code::Limit, "{fault}");
    }
    // A refusal uses no write, and the day changes at 00:00 UTC.
    service
        .clock
        .advance(time::Duration::hours(12) - time::Duration::MILLISECOND);
    let late = call
        .change_game(&service, &slug, &json!({"tagline": "late"}))
        .await
        .unwrap_err();
    assert_eq!((late.code, late.retry_after), (Code::Limit, Some(1)));
    service.clock.advance(time::Duration::MILLISECOND);
    assert!(
        call.change_game(&service, &slug, &json!({"tagline": "new"}))
            .await
            .is_ok()
    );
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn many_of_one_title_get_slugs_of_their_own_at_two_replicas(pool: PgPool) {
    let service = start_with_pages(pool.clone()).await;
    let other = start(pool).await;
    let accounts: Vec<Uuid> = (100..140).map(Uuid::from_u128).collect();
    let calls = accounts.iter().enumerate().map(|(n, account)| {
        let service = if n % 2 == 0 { &service } else { &other };
        let call = Call {
            account: *account,
            ..LIVE.clone()
        };
        async move {
            call.event(service, &event("One Title"))
                .await
                .unwrap()
                .slug
                .unwrap()
        }
    });
    let slugs: BTreeSet<String> = join_all(calls).await.into_iter().collect();
    let expected: BTreeSet<String> = (1..=40)
        .map(|n| {
            if n == 1 {
                "one-title".to_owned()
            } else {
                format!("one-title-{n}")
            }
        })
        .collect();
    assert_eq!(slugs, expected);
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn titles_whose_slugs_share_candidates_get_slugs_of_their_own(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let bases =
        ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map(|name| format!("fest-{name}"));
    // Of the slugs from `fest-a`, the eighth is free, and all from the tenth on.
    let taken: Vec<Value> = (bases.iter())
        .flat_map(|base| {
            let numbered = [2, 3, 4, 5, 6, 7, 9].map(|n| format!("{base}-{n}"));
            std::iter::once(base.clone()).chain(numbered)
        })
        .map(|slug| {
            let mut row = event("A Fest");
            row["slug"] = json!(slug);
            row
        })
        .collect();
    service.import(&File::rows("event", &taken)).await;

    let titles = bases
        .iter()
        .flat_map(|base| [format!("{base} 8"), base.clone()]);
    let calls = titles.zip(100..).map(|(title, account)| {
        let call = Call {
            account: Uuid::from_u128(account),
            ..LIVE.clone()
        };
        let service = &service;
        async move {
            call.event(service, &event(&title))
                .await
                .unwrap()
                .slug
                .unwrap()
        }
    });
    let slugs: BTreeSet<String> = join_all(calls).await.into_iter().collect();
    assert_eq!(slugs.len(), 20);
    for base in bases {
        let of_both = [format!("{base}-10"), format!("{base}-8-2")];
        assert!(slugs.contains(&format!("{base}-8")), "{slugs:?}");
        assert!(of_both.iter().any(|slug| slugs.contains(slug)), "{slugs:?}");
    }
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_change_shows_at_once_and_one_that_changes_nothing_is_none(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let slug = LIVE
        .game(&service, &game("A Game"))
        .await
        .unwrap()
        .slug
        .unwrap();
    set_state(&service, &slug, "published").await;
    let (head, revisions) = (service.head().await, service.revisions().await);
    let changed = LIVE
        .change_game(&service, &slug, &json!({"tagline": "New"}))
        .await
        .unwrap();
    assert_eq!(
        (changed.slug.as_deref(), changed.state()),
        (Some(slug.as_str()), proto::State::Published)
    );
    let again = LIVE
        .change_game(
            &service,
            &slug,
            &json!({"tagline": "New", "title": " A Game "}),
        )
        .await
        .unwrap();
    assert_eq!(again.state(), proto::State::Published);
    assert_eq!(service.revisions().await, revisions + 1);
    let changes = service.changes(head).await;
    let told: Vec<(&str, bool)> = changes
        .iter()
        .map(|change| (change.event.as_str(), change.announced))
        .collect();
    assert_eq!(told, [("updated", true)]);

    let stranger = Call {
        account: BOB,
        ..LIVE.clone()
    };
    assert_eq!(
        code(
            stranger
                .change_game(&service, &slug, &json!({"tagline": "x"}))
                .await
        ),
        Code::NotFound
    );
    set_state(&service, &slug, "removed").await;
    assert_eq!(
        code(
            LIVE.change_game(&service, &slug, &json!({"tagline": "x"}))
                .await
        ),
        Code::NotFound
    );
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_changed_rejected_listing_is_pending_again(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let slug = LIVE
        .game(&service, &game("A Game"))
        .await
        .unwrap()
        .slug
        .unwrap();
    set_state(&service, &slug, "rejected").await;
    let same = LIVE
        .change_game(&service, &slug, &json!({"title": "A Game"}))
        .await
        .unwrap();
    assert_eq!(same.state(), proto::State::Rejected);
    // It needs room among the pending submissions.
    for n in 0..MAX_PENDING {
        LIVE.event(&service, &event(&format!("Jam {n}")))
            .await
            .unwrap();
    }
    let full = LIVE
        .change_game(&service, &slug, &json!({"title": "Better"}))
        .await;
    assert_eq!(code(full), Code::TooManyPending);
    sqlx::query!(
        "update listings.event set state = 'published', waiting_since = null where slug = 'jam-0'"
    )
    .execute(&service.pool)
    .await
    .unwrap();
    let better = LIVE
        .change_game(&service, &slug, &json!({"title": "Better"}))
        .await
        .unwrap();
    assert_eq!(
        (better.slug.as_deref(), better.state()),
        (Some(slug.as_str()), proto::State::Pending)
    );
    let once_more = LIVE
        .change_game(&service, &slug, &json!({"title": "Best"}))
        .await
        .unwrap();
    assert_eq!(
        once_more.state(),
        proto::State::Pending,
        "what waits may be changed while it waits"
    );
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn concurrent_changes_all_last(pool: PgPool) {
    let service = start_with_pages(pool.clone()).await;
    let other = start(pool).await;
    let slug = LIVE
        .game(&service, &game("A Game"))
        .await
        .unwrap()
        .slug
        .unwrap();
    let revisions = service.revisions().await;
    for n in 0..10 {
        let (title, tagline) = (
            json!({"title": format!("Title {n}")}),
            json!({"tagline": format!("Tagline {n}")}),
        );
        let (one, two) = futures::join!(
            LIVE.change_game(&service, &slug, &title),
            LIVE.change_game(&other, &slug, &tagline)
        );
        assert!(one.is_ok() && two.is_ok(), "{one:?} {two:?}");
        let expected = (format!("Title {n}"), format!("Tagline {n}"));
        assert_eq!(title_and_tagline(&service, &slug).await, expected);
    }
    assert_eq!(service.revisions().await, revisions + 20);
    // The last write of a field wins, and each is a revision.
    let (first, second) = (json!({"tagline": "first"}), json!({"tagline": "second"}));
    let (one, two) = futures::join!(
        LIVE.change_game(&service, &slug, &first),
        LIVE.change_game(&other, &slug, &second)
    );
    assert!(one.is_ok() && two.is_ok());
    let newest = sqlx::query!(
        r#"select before ->> 'tagline' as "before!", after ->> 'tagline' as "after!" from listings.revision
           where entity = 'game' order by revision desc limit 2"#
    )
    .fetch_all(&service.pool)
    .await
    .unwrap();
    assert_eq!(newest[0].before, newest[1].after);
    assert_eq!(title_and_tagline(&service, &slug).await.1, newest[0].after);
    let written: BTreeSet<&str> = newest.iter().map(|row| row.after.as_str()).collect();
    assert_eq!(written, ["first", "second"].into());
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn a_change_is_made_only_at_a_revision_that_its_condition_names(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let made = LIVE.game(&service, &game("A Game")).await.unwrap();
    let slug = made.slug.clone().unwrap();
    let change = async |revisions: &[i64], tagline: &str| {
        let call = Call::at(revisions);
        call.change_game(&service, &slug, &json!({ "tagline": tagline }))
            .await
    };
    let first = change(&[made.revision], "One.").await.unwrap();
    assert_eq!(first.revision, made.revision + 1);
    // The listing has changed since, or no tag can match.
    for revisions in [&[made.revision][..], &[]] {
        let late = change(revisions, "Two.").await;
        assert_eq!(code(late), Code::PreconditionFailed, "{revisions:?}");
    }
    let several = [made.revision, first.revision];
    let second = change(&several, "Two.").await.unwrap();
    assert_eq!(second.revision, first.revision + 1);
    // A change that is refused anyway is refused for that reason; a dry run gets the same answer.
    let bad = Call::at(&[])
        .change_game(&service, &slug, &json!({ "title": "" }))
        .await;
    assert_eq!(code(bad), Code::Invalid);
    let dry = Call {
        dry_run: true,
        ..Call::at(&[first.revision])
    };
    let dry = dry
        .change_game(&service, &slug, &json!({ "tagline": "Three." }))
        .await;
    assert_eq!(code(dry), Code::PreconditionFailed);
    let event = LIVE.event(&service, &event("A Jam")).await.unwrap();
    let slug = event.slug.unwrap();
    let late = Call::at(&[event.revision + 1]);
    let late = late
        .change_event(&service, &slug, &json!({ "description": "New." }))
        .await;
    assert_eq!(code(late), Code::PreconditionFailed);
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn the_same_call_has_its_effect_once(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let call = Call::keyed("a-key");
    assert_eq!(code(call.game(&service, &game("")).await), Code::Invalid);
    let first = call.game(&service, &game("A Game")).await.unwrap();
    assert!(!first.replayed, "a refusal frees the key");
    let again = call.game(&service, &game("A Game")).await.unwrap();
    assert_eq!(
        again,
        proto::Written {
            replayed: true,
            ..first.clone()
        }
    );
    assert_eq!(
        code(call.game(&service, &game("Another")).await),
        Code::IdempotencyMismatch
    );
    // The same value in other bytes is the same call.
    let bytes = format!("  {}  ", game("A Game"));
    let spaced = call.game_of_bytes(&service, &bytes).await.unwrap();
    assert_eq!(spaced.slug, first.slug);
    assert!(spaced.replayed);
    // Other routes, accounts and datasets have their own keys.
    assert!(
        !call
            .event(&service, &event("A Jam"))
            .await
            .unwrap()
            .replayed
    );
    let dry = Call {
        dry_run: true,
        ..call.clone()
    };
    assert_eq!(
        dry.game(&service, &game("Another")).await.unwrap().slug,
        None
    );
    let bobs = Call {
        account: BOB,
        ..call.clone()
    };
    let body = json!({"creator": "other", "title": "A Game"});
    assert!(!bobs.game(&service, &body).await.unwrap().replayed);
    service.clock.advance(time::Duration::hours(24));
    let forgotten =
        kit::idempotency::delete_expired(&service.pool, listings::SCHEMA, &service.clock).await;
    assert_eq!(
        forgotten,
        Ok(3),
        "those of Ada's game and event, and of Bob's game"
    );
    let later = call.game(&service, &game("Another")).await.unwrap();
    assert_eq!(
        (later.slug.as_deref(), later.replayed),
        (Some("another"), false)
    );
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn of_many_equal_calls_at_once_one_has_an_effect(pool: PgPool) {
    let service = start_with_pages(pool.clone()).await;
    let other = start(pool).await;
    let call = Call::keyed("a-key");
    let body = game("A Game");
    let calls = (0..20).map(|n| call.game(if n % 2 == 0 { &service } else { &other }, &body));
    let outcomes = join_all(calls).await;
    let made = outcomes
        .iter()
        .filter(|outcome| outcome.as_ref().is_ok_and(|made| !made.replayed))
        .count();
    assert_eq!(made, 1);
    for outcome in outcomes {
        match outcome {
            Ok(made) => assert_eq!(made.slug.as_deref(), Some("a-game")),
            Err(fault) => assert_eq!(fault.code, Code::IdempotencyInFlight, "{fault}"),
        }
    }
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn dry_runs_and_test_keys_check_everything_and_write_nothing(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let slug = LIVE
        .game(&service, &game("A Game"))
        .await
        .unwrap()
        .slug
        .unwrap();
    let (head, revisions) = (service.head().await, service.revisions().await);
    let test = Call {
        mode: Mode::Test,
        ..LIVE.clone()
    };
    let dry = Call {
        dry_run: true,
        ..LIVE.clone()
    };
    let state = |outcome: WriteResult| {
        let written = outcome.unwrap();
        assert_eq!((written.slug.as_deref(), written.url.as_str()), (None, ""));
        written.state()
    };
    for call in [&test, &dry] {
        assert_eq!(
            state(call.game(&service, &game("New")).await),
            proto::State::Pending
        );
        assert_eq!(
            state(call.event(&service, &event("New")).await),
            proto::State::Pending
        );
        assert_eq!(code(call.game(&service, &game("")).await), Code::Invalid);
        let others = json!({"creator": "other", "title": "New"});
        assert_eq!(code(call.game(&service, &others).await), Code::NotYours);
        assert_eq!(
            code(call.change_game(&service, "nobodys", &json!({})).await),
            Code::NotFound
        );
    }
    let samples = json!({"creator": "samples", "title": "New"});
    assert_eq!(
        state(test.game(&service, &samples).await),
        proto::State::Pending
    );
    assert_eq!(code(dry.game(&service, &samples).await), Code::NotYours);
    // A live slug is a 404 to a test key, and the slug of a sample is a 404 to a live key.
    let change = json!({"title": "Other"});
    assert_eq!(
        state(test.change_game(&service, "a-sample", &change).await),
        proto::State::Published
    );
    assert_eq!(
        state(test.change_event(&service, "a-sample-jam", &change).await),
        proto::State::Published
    );
    assert_eq!(
        code(test.change_game(&service, &slug, &change).await),
        Code::NotFound
    );
    assert_eq!(
        state(dry.change_game(&service, &slug, &change).await),
        proto::State::Pending
    );
    assert_eq!(
        code(dry.change_game(&service, "a-sample", &change).await),
        Code::NotFound
    );
    assert_eq!(
        code(
            test.change_game(&service, "a-sample", &json!({"slug": "x"}))
                .await
        ),
        Code::Invalid
    );
    // The limits apply to a dry run as well.
    let none_left = Call {
        writes_per_day: Some(1),
        ..dry.clone()
    };
    assert_eq!(
        code(none_left.game(&service, &game("New")).await),
        Code::Limit
    );
    assert_eq!(
        (service.head().await, service.revisions().await),
        (head, revisions)
    );
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn an_account_sees_the_states_of_its_listings(pool: PgPool) {
    let service = start_with_pages(pool).await;
    LIVE.game(&service, &game("A Game")).await.unwrap();
    service.clock.advance(time::Duration::SECOND);
    LIVE.event(&service, &event("A Jam")).await.unwrap();
    service.clock.advance(time::Duration::SECOND);
    let others = json!({"creator": "other", "title": "Not Hers"});
    Call {
        account: BOB,
        ..LIVE.clone()
    }
    .game(&service, &others)
    .await
    .unwrap();
    let list = async |mode: Mode, limit: u32, cursor: &str| {
        let request = proto::ListOwnListingsRequest {
            account_id: ADA.to_string(),
            mode: mode.into(),
            page: Some(contracts::common::v1::PageRequest {
                limit,
                cursor: cursor.to_owned(),
            }),
        };
        let answer = service
            .own
            .clone()
            .list_own_listings(request)
            .await?
            .into_inner();
        let rows: Vec<contracts::public::OwnListing> =
            serde_json::from_slice(&answer.json).unwrap();
        let rows: Vec<(String, String, String)> = rows
            .into_iter()
            .map(|row| (row.kind, row.slug, row.status))
            .collect();
        Ok::<_, Status>((rows, answer.page.unwrap()))
    };
    let row = |kind: &str, slug: &str, status: &str| {
        (kind.to_owned(), slug.to_owned(), status.to_owned())
    };
    let (rows, page) = list(Mode::Live, 1, "").await.unwrap();
    assert_eq!(
        (rows, page.total),
        (vec![row("event", "a-jam", "pending")], 2)
    );
    let (rows, page) = list(Mode::Live, 1, &page.next_cursor.unwrap())
        .await
        .unwrap();
    assert_eq!(
        (rows, page.next_cursor),
        (vec![row("game", "a-game", "pending")], None)
    );
    let (rows, page) = list(Mode::Test, 0, "").await.unwrap();
    assert_eq!((rows.len(), page.total), (2, 2));
    let fault = Fault::from(list(Mode::Live, 1, "bad").await.unwrap_err());
    assert_eq!(fault.code, Code::Invalid);
}

/// The rows of Ada's list.
async fn own_list(service: &Service) -> Vec<contracts::public::OwnListing> {
    let request = proto::ListOwnListingsRequest {
        account_id: ADA.to_string(),
        mode: Mode::Live.into(),
        page: None,
    };
    let answer = service.own.clone().list_own_listings(request).await;
    serde_json::from_slice(&answer.unwrap().into_inner().json).unwrap()
}

/// Sets the state of a page in the database.
async fn set_page_state(service: &Service, handle: &str, state: &str) {
    sqlx::query!(
        "update listings.page set state = $2 where handle = $1",
        handle,
        state
    )
    .execute(&service.pool)
    .await
    .unwrap();
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn games_under_a_page_that_is_not_public_have_a_note(pool: PgPool) {
    let service = start_with_pages(pool).await;
    LIVE.game(&service, &game("A Game")).await.unwrap();
    assert_eq!(own_list(&service).await[0].note, None);
    for (state, word) in [("rejected", "rejected"), ("removed", "taken down")] {
        set_page_state(&service, "studio", state).await;
        let rows = own_list(&service).await;
        assert_eq!(rows.len(), 1, "{state}");
        let note = rows[0].note.as_deref().unwrap();
        assert!(note.contains(word) && note.contains("`studio`"), "{note}");
        // Its owner may still change it, and the answer says the same.
        let change = json!({ "tagline": state });
        let changed = LIVE.change_game(&service, "a-game", &change).await.unwrap();
        assert_eq!(changed.note, note);
        let back = json!({"creator": "second"});
        LIVE.change_game(&service, "a-game", &back).await.unwrap();
        let refused = LIVE
            .change_game(&service, "a-game", &json!({"creator": "studio"}))
            .await;
        assert_eq!(code(refused), Code::NotYours);
        sqlx::query!(
            "update listings.game set page_id = page.id from listings.page where handle = 'studio' and game.mode = 'live' and page.mode = 'live'"
        )
        .execute(&service.pool)
        .await
        .unwrap();
    }
}

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn nothing_is_submitted_under_a_removed_page(pool: PgPool) {
    let service = start_with_pages(pool).await;
    LIVE.game(&service, &game("A Game")).await.unwrap();
    set_state(&service, "a-game", "rejected").await;
    set_page_state(&service, "studio", "removed").await;
    set_page_state(&service, "samples", "removed").await;
    let dry = Call {
        dry_run: true,
        ..LIVE.clone()
    };
    let test = Call {
        mode: Mode::Test,
        ..LIVE.clone()
    };
    for call in [&LIVE, &dry, &test] {
        let fault = call.game(&service, &game("Another")).await.unwrap_err();
        assert_eq!(fault.code, Code::NotYours);
        assert!(fault.message.contains("taken down"), "{fault}");
    }
    let sample = json!({"creator": "samples", "title": "Another"});
    assert_eq!(code(test.game(&service, &sample).await), Code::NotYours);
    // A change of a rejected game submits it again.
    let better = json!({"title": "Better"});
    for call in [&LIVE, &dry] {
        let changed = call.change_game(&service, "a-game", &better).await;
        let fault = changed.unwrap_err();
        assert!(fault.message.contains("taken down"), "{fault}");
    }
    // It may move to another page of the account.
    let moved = json!({"title": "Better", "creator": "second"});
    let moved = LIVE.change_game(&service, "a-game", &moved).await.unwrap();
    assert_eq!(
        (moved.state(), moved.note.as_str()),
        (proto::State::Pending, "")
    );
}
