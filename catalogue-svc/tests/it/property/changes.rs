//! GET /changes: mirrors that follow it through random changes, at replicas that have followed all along and at some that were just
//! started, and come to hold what the lists say.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use catalogue::index::{Catalogue, IndexWriter};
use contracts::catalogue::v1::changes_service_server::ChangesService as _;
use contracts::catalogue::v1::creators_service_server::CreatorsService as _;
use contracts::catalogue::v1::dump_catalogue_response::Part;
use contracts::catalogue::v1::events_service_server::EventsService as _;
use contracts::catalogue::v1::games_service_server::GamesService as _;
use contracts::catalogue::v1::staff_dump_service_server::StaffDumpService as _;
use contracts::catalogue::v1::{
    DumpCatalogueRequest, ListChangesRequest, ListCreatorsRequest, ListEventsRequest,
    ListGamesRequest,
};
use contracts::common::v1::{Change, Mode, PageRequest};
use contracts::listings::v1 as listings;
use futures::TryStreamExt as _;
use kit::rpc::staff::Member;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use prost::Message as _;
use serde_json::Value;
use tonic::Request;

use super::{built, pages, position, published};
use crate::build::{entity, reads};
use crate::universe::{self, a_game, a_page, an_event};

/// By type, and slug or handle.
type Rows = BTreeMap<(String, String), Value>;

#[derive(Debug, Default)]
struct Mirror {
    rows: Rows,
    cursor: String,
    /// Whatever came, in its order.
    came: Vec<(String, String)>,
}

impl Mirror {
    fn take(&mut self, change: &Value) {
        let kind = change["type"].as_str().unwrap().to_owned();
        let name = change["slug"]
            .as_str()
            .or_else(|| change["handle"].as_str());
        let name = (kind, name.unwrap().to_owned());
        self.came.push(name.clone());
        if change["change"] == "removed" {
            assert!(change["row"].is_null(), "{change}");
            self.rows.remove(&name);
        } else {
            assert!(change["row"].is_object(), "{change}");
            self.rows.insert(name, change["row"].clone());
        }
    }

    /// Takes a page; says whether there may be more.
    async fn pull(&mut self, catalogue: &Arc<Catalogue>, mode: Mode, limit: u32) -> bool {
        let request = ListChangesRequest {
            mode: mode.into(),
            page: Some(PageRequest {
                limit,
                cursor: self.cursor.clone(),
            }),
            at_least: None,
        };
        let changes = reads(Arc::clone(catalogue));
        let response = changes.list_changes(Request::new(request)).await.unwrap();
        let response = response.into_inner();
        let page: Vec<Value> = serde_json::from_slice(&response.json).unwrap();
        for change in &page {
            self.take(change);
        }
        let info = response.page.unwrap();
        self.cursor = info.next_cursor.unwrap();
        let more = page.len() == limit as usize;
        if !more {
            // It is up to date, and the total says with how many rows.
            assert_eq!(info.total, self.rows.len() as u64);
        }
        more
    }

    /// Begins with what staff wrote to a file.
    async fn of_dump(catalogue: &Arc<Catalogue>) -> Self {
        let mut request = Request::new(DumpCatalogueRequest::default());
        request.extensions_mut().insert(Member::operator());
        let dump = reads(Arc::clone(catalogue));
        let parts = dump.dump_catalogue(request).await.unwrap().into_inner();
        let mut mirror = Self::default();
        for response in parts.try_collect::<Vec<_>>().await.unwrap() {
            match response.part.unwrap() {
                Part::Lines(lines) => {
                    for line in std::str::from_utf8(&lines).unwrap().lines() {
                        mirror.take(&serde_json::from_str(line).unwrap());
                    }
                }
                Part::End(end) => {
                    assert_eq!(end.rows, mirror.rows.len() as u64);
                    mirror.cursor = end.next_cursor;
                }
            }
        }
        assert_ne!(mirror.cursor, "", "a dump says where to go on");
        mirror
    }
}

/// What the lists say.
async fn listed(catalogue: &Arc<Catalogue>, mode: Mode) -> Rows {
    let mode = mode.into();
    let games = reads(Arc::clone(catalogue));
    let games = pages::all(100, async |page| {
        let request = ListGamesRequest {
            mode,
            page: Some(page),
            ..ListGamesRequest::default()
        };
        let response = games.list_games(Request::new(request)).await.unwrap();
        let response = response.into_inner();
        (response.json, response.page)
    });
    let creators = reads(Arc::clone(catalogue));
    let creators = pages::all(100, async |page| {
        let request = ListCreatorsRequest {
            mode,
            page: Some(page),
            ..ListCreatorsRequest::default()
        };
        let response = creators.list_creators(Request::new(request)).await.unwrap();
        let response = response.into_inner();
        (response.json, response.page)
    });
    let events = reads(Arc::clone(catalogue));
    let events = pages::all(100, async |page| {
        let request = ListEventsRequest {
            mode,
            page: Some(page),
            when: Some("all".to_owned()),
            ..ListEventsRequest::default()
        };
        let response = events.list_events(Request::new(request)).await.unwrap();
        let response = response.into_inner();
        (response.json, response.page)
    });
    let mut rows = Rows::new();
    for (kind, listed) in [
        ("games", games.await),
        ("creators", creators.await),
        ("events", events.await),
    ] {
        for row in listed {
            let name = row["slug"]
                .as_str()
                .or_else(|| row["handle"].as_str())
                .unwrap();
            rows.insert((kind.to_owned(), name.to_owned()), row);
        }
    }
    rows
}

/// Numbers the changes, and makes of them what listings-svc tells: a handle never changes, and what was published once says so.
fn told(changes: Vec<Change>) -> Vec<Change> {
    let mut published = BTreeSet::new();
    let numbered = changes.into_iter().zip(1..).map(|(mut change, seq)| {
        change.seq = seq;
        let id = (change.entity.clone(), change.id.clone());
        let mut since = |state: i32, at: Option<prost_types::Timestamp>| {
            if state == i32::from(listings::State::Published) {
                published.insert(id.clone());
            }
            at.filter(|_| published.contains(&id))
        };
        let state = change.state.clone();
        match &*change.entity {
            "page" => {
                let mut page = listings::Page::decode(state).unwrap();
                page.first_published_at = since(page.state, page.created_at);
                page.handle.pop();
                change.state = page.encode_to_vec().into();
            }
            "game" => {
                let mut game = listings::Game::decode(state).unwrap();
                game.first_published_at = since(game.state, game.created_at);
                change.state = game.encode_to_vec().into();
            }
            "event" => {
                let mut event = listings::Event::decode(state).unwrap();
                event.first_published_at = since(event.state, event.created_at);
                change.state = event.encode_to_vec().into();
            }
            _ => {}
        }
        change
    });
    numbered.collect()
}

/// Up to where a page is taken each, of how many rows, and whether from a replica that was just started.
#[derive(Debug, Clone, Copy)]
struct Pull {
    at: usize,
    limit: u32,
    is_started: bool,
}

prop_compose! {
    fn pull()(at in 0..200_usize, limit in 1..12_u32, is_started in any::<bool>()) -> Pull {
        Pull { at, limit, is_started }
    }
}

prop_compose! {
    fn case()(
        changes in prop::collection::vec(prop_oneof![2 => a_page(), 5 => a_game(), 2 => an_event()], 1..200),
        pulls in prop::collection::vec(pull(), 1..16),
        dumped in 0..200_usize,
        is_test in any::<bool>(),
    ) -> (Vec<Change>, Vec<Pull>, usize, bool) {
        (told([universe::places(), changes].concat()), pulls, dumped, is_test)
    }
}

/// Two replicas of one moment: one has followed, the other is just started.
fn replicas(writer: &IndexWriter, changes: &[Change]) -> [Arc<Catalogue>; 2] {
    [published(writer), built(changes)]
}

async fn check(changes: Vec<Change>, mut pulls: Vec<Pull>, dumped: usize, mode: Mode) {
    let mut writer = IndexWriter::new(position(), 4);
    let mut mirrors = vec![Mirror::default()];
    pulls.sort_by_key(|pull| pull.at);
    let mut pulls = pulls.into_iter().peekable();
    for (place, change) in changes.iter().enumerate() {
        writer.apply(entity(change));
        writer.flush(change.seq).unwrap();
        while let Some(pull) = pulls.next_if(|pull| pull.at == place) {
            let replicas = replicas(&writer, &changes[..=place]);
            for mirror in &mut mirrors {
                let replica = &replicas[usize::from(pull.is_started)];
                mirror.pull(replica, mode, pull.limit).await;
            }
        }
        if place == dumped && mode == Mode::Live {
            let [replica, _] = replicas(&writer, &changes[..=place]);
            let mirror = Mirror::of_dump(&replica).await;
            assert_eq!(mirror.rows, listed(&replica, mode).await);
            mirrors.push(mirror);
        }
    }
    let replicas = replicas(&writer, &changes);
    let expected = listed(&replicas[0], mode).await;
    for mut mirror in mirrors {
        for replica in replicas.iter().cycle() {
            if !mirror.pull(replica, mode, 3).await {
                break;
            }
        }
        assert_eq!(mirror.rows, expected);
        // What comes at the end is nothing, from the same place.
        let cursor = mirror.cursor.clone();
        assert!(!mirror.pull(&replicas[1], mode, 3).await);
        assert_eq!(mirror.cursor, cursor);
    }
    // A mirror that begins now meets each row once and nothing else, in the same order at either replica.
    let [mut one, mut other] = [Mirror::default(), Mirror::default()];
    while one.pull(&replicas[0], mode, 4).await {}
    while other.pull(&replicas[1], mode, 7).await {}
    assert_eq!(one.came.len(), expected.len());
    assert_eq!(one.came, other.came);
    assert_eq!((&one.rows, one.cursor), (&expected, other.cursor));
}

#[test]
fn a_mirror_comes_to_hold_what_the_lists_say() {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 96,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let outcome = runner.run(&case(), |(changes, pulls, dumped, is_test)| {
        let mode = if is_test { Mode::Test } else { Mode::Live };
        runtime.block_on(check(changes, pulls, dumped, mode));
        Ok(())
    });
    outcome.unwrap();
}
