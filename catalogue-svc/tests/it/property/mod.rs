//! Every list, with random filters and page sizes, equals a SQL query over the same rows.
//!
//! Random listings are applied change by change to one catalogue; another indexes their last states at once; plain tables hold the same last states.
//! Then all three answer the same queries.

mod between_pages;
mod creators;
mod events;
mod games;
mod pages;
mod places;
mod search;
mod tables;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use catalogue::index::{Catalogue, IndexWriter};
use contracts::common::v1::Change;
use kit::feed::Position;
use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};
use serde_json::Value;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};

use crate::build::{self, EPOCH, entity};
use crate::universe::{a_game, a_page, an_event};

/// Changes and the queries to compare after them.
#[derive(Debug, Clone)]
struct Case {
    changes: Vec<Change>,
    /// The writer flushes after these changes. The results must not depend on where it flushes.
    settled: Vec<usize>,
    asked: Vec<Asked>,
}

/// A query of one of the lists.
#[derive(Debug, Clone)]
enum Asked {
    Games(games::Asked),
    Creators(creators::Asked),
    Creator(creators::One),
    Places(places::Asked),
    Events(events::Asked),
    Search(search::Asked),
}

fn asked() -> impl Strategy<Value = Asked> {
    prop_oneof![
        3 => games::asked().prop_map(Asked::Games),
        3 => creators::asked().prop_map(Asked::Creators),
        2 => creators::one().prop_map(Asked::Creator),
        4 => places::asked().prop_map(Asked::Places),
        3 => events::asked().prop_map(Asked::Events),
        3 => search::asked().prop_map(Asked::Search),
    ]
}

impl Asked {
    /// The rows of the catalogue.
    async fn call(&self, catalogue: &Arc<Catalogue>) -> Vec<Value> {
        match self {
            Self::Games(asked) => asked.call(catalogue).await,
            Self::Creators(asked) => asked.call(catalogue).await,
            Self::Creator(asked) => asked.call(catalogue).await,
            Self::Places(asked) => asked.call(catalogue).await,
            Self::Events(asked) => asked.call(catalogue).await,
            Self::Search(asked) => asked.call(catalogue).await,
        }
    }

    /// The rows of the SQL query.
    async fn query(&self, connection: &mut PgConnection) -> Vec<Value> {
        match self {
            Self::Games(asked) => asked.query(connection).await,
            Self::Creators(asked) => asked.query(connection).await,
            Self::Creator(asked) => asked.query(connection).await,
            Self::Places(asked) => asked.query(connection).await,
            Self::Events(asked) => asked.query(connection).await,
            Self::Search(asked) => asked.query(connection).await,
        }
    }
}

prop_compose! {
    fn case()(
        changes in prop::collection::vec(prop_oneof![2 => a_page(), 4 => a_game(), 2 => an_event()], 1..240),
        settled in prop::collection::vec(0..240_usize, 6),
        asked in prop::collection::vec(asked(), 24),
    ) -> Case {
        Case { changes, settled, asked }
    }
}

#[sqlx::test(migrations = false)]
async fn every_list_equals_a_plain_query(_: PgPoolOptions, database: PgConnectOptions) {
    // proptest is synchronous; it gets a thread and a runtime of its own.
    let outcome = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().unwrap();
        let connection = runtime.block_on(async {
            let mut connection = database.connect().await.unwrap();
            tables::create(&mut connection).await;
            connection
        });
        let connection = RefCell::new(connection);
        let mut runner = TestRunner::new(ProptestConfig {
            cases: 64,
            failure_persistence: None,
            ..ProptestConfig::default()
        });
        runner.run(&case(), |case| {
            runtime.block_on(check(&mut connection.borrow_mut(), case));
            Ok(())
        })
    });
    if let Err(TestError::Fail(why, case)) = outcome.await.unwrap() {
        panic!("{why}\n{case:#?}");
    }
}

async fn check(connection: &mut PgConnection, case: Case) {
    let mut last = BTreeMap::new();
    for change in &case.changes {
        last.insert((change.entity.clone(), change.id.clone()), change);
    }
    let last: Vec<&Change> = last.into_values().collect();
    let catalogues = [told(&case.changes, &case.settled), built(&case.changes)];

    let mut transaction = connection.begin().await.unwrap();
    tables::fill(&mut transaction, &last).await;
    for asked in case.asked {
        let expected = asked.query(&mut transaction).await;
        for catalogue in &catalogues {
            let rows = asked.call(catalogue).await;
            assert_eq!(rows.len(), expected.len(), "{asked:?}\n{rows:#?}\n{expected:#?}");
            for (row, expected) in rows.iter().zip(&expected) {
                for (field, value) in expected.as_object().unwrap() {
                    assert_eq!(row[field], *value, "{field} of {asked:?}\n{row}\n{expected}");
                }
            }
        }
    }
    transaction.rollback().await.unwrap();
}

fn moment(seconds: i64) -> String {
    format!("1970-01-01T00:00:{seconds:02}Z")
}

fn position() -> Position {
    Position { epoch: EPOCH, seq: 0 }
}

fn published(writer: &IndexWriter) -> Arc<Catalogue> {
    let catalogue = Catalogue::default();
    catalogue.publish(writer.snapshot());
    catalogue.into()
}

fn told(changes: &[Change], settled: &[usize]) -> Arc<Catalogue> {
    let mut writer = IndexWriter::new(position());
    for (place, change) in changes.iter().enumerate() {
        writer.apply(entity(change));
        if settled.contains(&place) {
            writer.flush(1).unwrap();
        }
    }
    writer.flush(2).unwrap();
    published(&writer)
}

fn built(changes: &[Change]) -> Arc<Catalogue> {
    published(&build::built(changes))
}
