//! A dump: whole lines, all of one moment, and where a mirror goes on.

use std::sync::Arc;

use contracts::catalogue::v1::changes_service_server::ChangesService as _;
use contracts::catalogue::v1::dump_catalogue_response::{End, Part};
use contracts::catalogue::v1::staff_dump_service_server::StaffDumpService as _;
use contracts::catalogue::v1::{DumpCatalogueRequest, ListChangesRequest};
use contracts::common::v1::{Change, Mode, PageRequest};
use contracts::listings::v1 as listings;
use contracts::public::ListingChange;
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use kit::rpc::staff::Member;
use kit::{Code, Fault};
use tonic::Request;

use super::catalogue;
use crate::build::{event, event_change, game, game_change, id, page, page_change, reads};

/// More than fits into one message, and a sample.
fn changes() -> Vec<Change> {
    let games = (1..900).map(|number| {
        game_change(&listings::Game {
            tagline: "A pitch that takes its room in a line".to_owned(),
            ..game(number)
        })
    });
    let sample = listings::Page {
        mode: Mode::Test.into(),
        ..page(1)
    };
    let of_sample = listings::Game {
        mode: Mode::Test.into(),
        page_id: id(1),
        ..game(1_000)
    };
    let mut changes: Vec<Change> = games.collect();
    changes.extend([
        page_change(&page(0)),
        event_change(&event(2_000)),
        page_change(&sample),
        game_change(&of_sample),
    ]);
    for (change, seq) in changes.iter_mut().zip(1..) {
        change.seq = seq;
    }
    changes
}

async fn dump(r#type: Option<&str>) -> Result<(Vec<ListingChange>, End), Fault> {
    let mut request = Request::new(DumpCatalogueRequest {
        r#type: r#type.map(ToOwned::to_owned),
    });
    request.extensions_mut().insert(Member::operator());
    let dump = reads(catalogue(&changes()));
    let parts = dump.dump_catalogue(request).await?.into_inner();
    let mut parts: Vec<_> = parts.try_collect().await?;
    let Some(Part::End(end)) = parts.pop().unwrap().part else {
        panic!("the end comes last");
    };
    let mut rows = Vec::new();
    for part in &parts {
        let Some(Part::Lines(lines)) = &part.part else {
            panic!("lines come before the end");
        };
        assert!(lines.ends_with(b"\n"), "lines are whole");
        let lines = std::str::from_utf8(lines).unwrap().lines();
        rows.extend(lines.map(|line| serde_json::from_str::<ListingChange>(line).unwrap()));
    }
    assert!(
        rows.len() < 500 || parts.len() > 1,
        "a message has its size"
    );
    Ok((rows, end))
}

#[tokio::test]
async fn all_that_is_public_is_in_a_dump_once() {
    let (rows, end) = dump(None).await.unwrap();
    assert_eq!((rows.len(), end.rows), (901, 901));
    let mut names: Vec<String> = rows
        .iter()
        .map(|row| format!("{:?}", row.address))
        .collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 901);
    assert!(
        rows.iter()
            .all(|row| row.change == "published" && row.row.is_some())
    );
    assert!(rows.iter().any(|row| row.kind == "creators"));

    // From there on nothing has happened.
    let request = ListChangesRequest {
        mode: Mode::Live.into(),
        page: Some(PageRequest {
            limit: 0,
            cursor: end.next_cursor.clone(),
        }),
        ..ListChangesRequest::default()
    };
    let changes = reads(Arc::clone(&catalogue(&changes())));
    let response = changes.list_changes(Request::new(request)).await.unwrap();
    let response = response.into_inner();
    assert_eq!(&*response.json, b"[]");
    assert_eq!(response.page.unwrap().next_cursor, Some(end.next_cursor));
}

#[tokio::test]
async fn a_dump_may_be_of_one_type() {
    for (kind, count) in [("games", 899), ("creators", 1), ("events", 1)] {
        let (rows, end) = dump(Some(kind))
            .await
            .map_err(|fault| fault.message)
            .unwrap();
        assert_eq!((rows.len(), end.rows), (count, count as u64), "{kind}");
        assert!(rows.iter().all(|row| row.kind == kind), "{kind}");
    }
    let fault = dump(Some("cities")).await.unwrap_err();
    assert_eq!(fault.code, Code::Invalid);
    assert_eq!(fault.fields["type"], "Use one of: games, creators, events.");
}

#[tokio::test]
async fn a_dump_is_for_staff() {
    let dump = reads(catalogue(&changes()));
    let request = Request::new(DumpCatalogueRequest::default());
    let refused = dump.dump_catalogue(request).await.err().unwrap();
    assert_eq!(refused.code(), tonic::Code::PermissionDenied);
}

#[tokio::test]
async fn a_dump_of_one_kind_pauses_among_the_others() {
    let games = (1..2_500).map(|number| game_change(&game(number)));
    let changes: Vec<Change> = games.chain([page_change(&page(0))]).collect();
    let mut request = Request::new(DumpCatalogueRequest {
        r#type: Some("events".to_owned()),
    });
    request.extensions_mut().insert(Member::operator());
    let dump = reads(catalogue(&changes));
    let mut parts = dump.dump_catalogue(request).await.unwrap().into_inner();
    assert!(parts.next().now_or_never().is_none());
    let parts: Vec<_> = parts.try_collect().await.unwrap();
    assert!(matches!(
        parts[0].part,
        Some(Part::End(End { rows: 0, .. }))
    ));
}
