//! Counts the work of a request: statements, password hashes, and calls of the stubs.

use std::cell::Cell;
use std::sync::Once;

use axum::extract::Request;
use sqlx::PgPool;
use tonic::service::RoutesBuilder;
use tower::util::MapRequestLayer;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::support::studio;

/// The work of every page of an account: one statement for the session, the person and the role, and one call for the account and the switches, for
/// which the gateway makes three statements.
const FRAME: u32 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) statements: u32,
    pub(crate) hashes: u32,
    pub(crate) calls: u32,
}

impl Work {
    const NONE: Self = Self { statements: 0, hashes: 0, calls: 0 };
}

thread_local! {
    /// The work on this thread, whose runtime runs only this test.
    static DONE: Cell<Work> = const { Cell::new(Work::NONE) };
}

/// Counts statements and hashes by their events.
struct Counter;

impl Subscriber for Counter {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        ["sqlx::query", "web::hashing"].contains(&metadata.target())
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut done = DONE.get();
        match event.metadata().target() {
            "web::hashing" => done.hashes += 1,
            _ => done.statements += 1,
        }
        DONE.set(done);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Stubs whose calls are counted.
pub(crate) fn with_counted_calls(stubs: RoutesBuilder) -> RoutesBuilder {
    let count = |call: Request| {
        let mut done = DONE.get();
        done.calls += 1;
        DONE.set(done);
        call
    };
    let stubs = stubs.routes().into_axum_router();
    stubs.layer(MapRequestLayer::new(count)).into()
}

/// The result of a request, and its work.
pub(crate) async fn counted<T>(request: impl Future<Output = T>) -> (T, Work) {
    // Global, because a subscriber of one thread misses events whose call sites another thread has met first.
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| tracing::subscriber::set_global_default(Counter).unwrap());
    DONE.set(Work::NONE);
    let result = request.await;
    (result, DONE.get())
}

#[testing::database_test(web::MIGRATOR)]
async fn a_page_of_an_account_costs_a_statement_and_a_call_before_its_own_work(pool: PgPool) {
    let (_site, account, mut owner) = studio(pool).await;
    for (path, own) in [
        ("/activity", 1),
        ("/claims", 1),
        ("/economy", 1),
        ("/listings", 2),
        ("/keys", 2),
        ("/team", 4),
        // Its last call reads the reports that staff hold.
        ("", 8),
    ] {
        let path = format!("/accounts/{account}{path}");
        let (page, done) = counted(owner.get(&path)).await;
        page.assert(200, "");
        assert!(done.statements > 0 && done.calls > 0, "{path}: {done:?}");
        assert!(done.statements + done.calls <= FRAME + own, "{path}: {done:?}");
    }
}
