//! Listings are added, changed and removed between two pages of a list. A row that stays and keeps its sort key is neither skipped nor repeated
//! (§4.1).

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use catalogue::index::{Catalogue, IndexWriter};
use contracts::common::v1::{Change, PageRequest};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::Value;

use super::pages::ResultPage;
use super::{creators, events, games, places, position, published, search};
use crate::build::entity;
use crate::universe::{a_game, a_page, an_event};

#[derive(Debug, Clone)]
enum List {
    Games(games::Asked),
    Creators(creators::Asked),
    Places(places::Asked),
    Events(events::Asked),
    Search(search::Asked),
}

fn list() -> impl Strategy<Value = List> {
    prop_oneof![
        1 => games::asked().prop_map(List::Games),
        1 => games::asked().prop_map(|asked| List::Games(asked.unfiltered())),
        1 => creators::asked().prop_map(List::Creators),
        1 => creators::asked().prop_map(|asked| List::Creators(asked.unfiltered())),
        2 => places::paged().prop_map(List::Places),
        1 => events::asked().prop_map(List::Events),
        1 => events::asked().prop_map(|asked| List::Events(asked.unfiltered())),
        1 => search::asked().prop_map(List::Search),
        1 => search::asked().prop_map(|asked| List::Search(asked.unfiltered())),
    ]
}

fn changes(most: usize) -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec(prop_oneof![1 => a_page(), 6 => a_game(), 3 => an_event()], 0..most)
}

prop_compose! {
    fn case()(
        before in changes(160),
        between in prop::collection::vec(changes(5), 1..6),
        list in list(),
        limit in 1..5_u32,
    ) -> (Vec<Change>, Vec<Vec<Change>>, List, u32) {
        (before, between, list, limit)
    }
}

/// The rows of a list at a point in time, by name, each with a proof of its sort key: the cursor after the row. The last row has no cursor; its JSON
/// contains the sort key, except in a search, where nothing proves that the key stayed the same (`None`).
type Moment = BTreeMap<String, Option<String>>;

impl List {
    /// The names and rows of a page, and its cursor.
    async fn page(
        &self,
        catalogue: &Arc<Catalogue>,
        limit: u32,
        cursor: String,
    ) -> (Vec<(String, Value)>, Option<String>) {
        let page = PageRequest { limit, cursor };
        let (json, info): ResultPage = match self {
            Self::Games(asked) => asked.page(catalogue, page).await,
            Self::Creators(asked) => asked.page(catalogue, page).await,
            Self::Places(asked) => asked.page(catalogue, page).await,
            Self::Events(asked) => asked.page(catalogue, page).await,
            Self::Search(asked) => asked.page(catalogue, page).await,
        };
        let rows: Vec<Value> = serde_json::from_slice(&json).unwrap();
        let rows = rows.into_iter().map(|row| {
            let name = ["slug", "handle", "code"].map(|field| row[field].as_str());
            let name = name.into_iter().flatten().next().unwrap();
            // A search mixes kinds of rows.
            let name = format!("{}/{name}", row["type"].as_str().unwrap_or_default());
            (name, row)
        });
        (rows.collect(), info.unwrap().next_cursor)
    }

    async fn moment(&self, catalogue: &Arc<Catalogue>) -> Moment {
        let (mut moment, mut cursor) = (Moment::new(), String::new());
        loop {
            let (rows, next) = self.page(catalogue, 1, cursor).await;
            for (name, row) in rows {
                let of_last = || (!matches!(self, Self::Search(_))).then(|| row.to_string());
                moment.insert(name, next.clone().or_else(of_last));
            }
            match next {
                Some(next) => cursor = next,
                None => return moment,
            }
        }
    }
}

/// Returns how many rows kept their place while the list was read.
async fn check(before: Vec<Change>, between: Vec<Vec<Change>>, list: List, limit: u32) -> usize {
    let mut writer = IndexWriter::new(position());
    let mut between = between.into_iter();
    let (mut moments, mut read, mut cursor) = (Vec::new(), Vec::new(), String::new());
    let mut changes = Some(before);
    loop {
        for change in changes.unwrap_or_default() {
            writer.apply(entity(&change));
        }
        writer.flush(1).unwrap();
        let catalogue = published(&writer);
        moments.push(list.moment(&catalogue).await);
        let (rows, next) = list.page(&catalogue, limit, cursor).await;
        read.extend(rows.into_iter().map(|(name, _)| name));
        match next {
            Some(next) => cursor = next,
            None => break,
        }
        changes = between.next();
    }
    let stayed: Vec<&String> = moments[0]
        .iter()
        .filter(|(name, key)| {
            let same = |moment: &Moment| moment.get(*name) == Some(*key);
            key.is_some() && moments.iter().all(same)
        })
        .map(|(name, _)| name)
        .collect();
    for name in &stayed {
        let times = read.iter().filter(|other| other == name).count();
        assert_eq!(times, 1, "{name} of {list:?} by {limit}: {read:?}");
    }
    if moments.len() > 1 { stayed.len() } else { 0 }
}

#[test]
fn a_row_that_keeps_its_sort_key_is_listed_exactly_once() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let stayed = Cell::new(0);
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 192,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let outcome = runner.run(&case(), |(before, between, list, limit)| {
        stayed.set(stayed.get() + runtime.block_on(check(before, between, list, limit)));
        Ok(())
    });
    outcome.unwrap();
    let stayed = stayed.get();
    assert!(stayed > 100, "{stayed} rows are too few to tell");
}
