//! Visitors send notes about listings; owners and staff read and close them.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::notes_service_client::NotesServiceClient;
use contracts::listings::v1::staff_audit_service_client::StaffAuditServiceClient;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::rpc::client::Client;
use kit::{Code, Fault};
use listings::jobs::notes::MAX_AGE;
use listings::store::tickets::compact;
use proto::{NoteKind, NoteState};
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;

use crate::pictures::start_with_game;
use crate::review::listing_name;
use crate::staff::staff;
use crate::support::{File, NOW, Service, creator, decide};

const STRANGER: Uuid = Uuid::from_u128(77);
const GAME: (&str, &str) = ("game", "a-game");
/// All listings of an account.
const ALL: (&str, &str) = ("", "");

/// A note about the game `a-game`.
fn note(kind: NoteKind, network: &str) -> proto::CreateNoteRequest {
    proto::CreateNoteRequest {
        kind: "game".to_owned(),
        name: "a-game".to_owned(),
        note: kind.into(),
        reason: match kind {
            NoteKind::Report => "rights".to_owned(),
            _ => String::new(),
        },
        text: "The year is wrong.".to_owned(),
        email: "ada@reader.example".to_owned(),
        network: network.to_owned(),
        form: kit::ids::row_id().to_string(),
    }
}

async fn send(
    service: &Service,
    note: proto::CreateNoteRequest,
) -> Result<proto::CreateNoteResponse, Fault> {
    let mut notes = NotesServiceClient::new(service.fleet.clone());
    Ok(notes.create_note(note).await?.into_inner())
}

async fn own_notes(
    service: &Service,
    account: Uuid,
    (kind, name): (&str, &str),
) -> Result<Vec<proto::ListingNote>, Fault> {
    let request = proto::ListOwnNotesRequest {
        account_id: account.to_string(),
        kind: kind.to_owned(),
        name: name.to_owned(),
    };
    let mut notes = NotesServiceClient::new(service.fleet.clone());
    let listed = notes.list_own_notes(request).await?.into_inner();
    assert_eq!(usize::try_from(listed.total).unwrap(), listed.notes.len());
    Ok(listed.notes)
}

async fn close_own(
    service: &Service,
    account: Uuid,
    id: &str,
    state: NoteState,
) -> Result<proto::ListingNote, Fault> {
    let request = proto::CloseOwnNoteRequest {
        account_id: account.to_string(),
        kind: "game".to_owned(),
        name: "a-game".to_owned(),
        id: id.to_owned(),
        state: state.into(),
        answer: "We looked.".to_owned(),
    };
    let mut notes = NotesServiceClient::new(service.fleet.clone());
    let closed = notes.close_own_note(request).await?.into_inner();
    Ok(closed.note.unwrap())
}

/// The open notes for staff.
async fn for_staff(service: &Service) -> Vec<proto::ListingNote> {
    let mut review = StaffReviewServiceClient::new(service.operator_client.clone());
    let request = proto::ListNotesRequest::default();
    let listed = review.list_notes(request).await.unwrap().into_inner();
    let total = listed.page.unwrap().total;
    assert_eq!(usize::try_from(total).unwrap(), listed.notes.len());
    listed.notes
}

async fn close(
    client: &Client,
    id: &str,
    state: NoteState,
    reason: &str,
) -> Result<proto::ListingNote, Fault> {
    let request = proto::CloseNoteRequest {
        id: id.to_owned(),
        state: state.into(),
        reason: reason.to_owned(),
    };
    let mut review = StaffReviewServiceClient::new(client.clone());
    let closed = review.close_note(request).await?.into_inner();
    Ok(closed.note.unwrap())
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_correction_goes_to_the_owner_or_else_to_staff(pool: PgPool) {
    let service = start_with_game(pool).await;
    let sent = send(&service, note(NoteKind::Correction, "192.0.2.1"))
        .await
        .unwrap();
    assert_eq!(
        (sent.owners.len(), sent.title.as_str()),
        (0, "A Game"),
        "nobody owns it"
    );
    assert_eq!(for_staff(&service).await.len(), 1);

    // The page has an owner from now on, who gets the notes about its games.
    let ada = service.accounts().await.account;
    assert_eq!(for_staff(&service).await, []);
    let sent = send(&service, note(NoteKind::Correction, "192.0.2.2"))
        .await
        .unwrap();
    assert_eq!(sent.owners, [ada.to_string()]);
    let notes = own_notes(&service, ada, GAME).await.unwrap();
    assert_eq!(notes.len(), 2);
    let first = &notes[0];
    assert_eq!(
        (first.text.as_str(), first.email.as_str(), first.state()),
        ("The year is wrong.", "ada@reader.example", NoteState::Open)
    );
    let other = own_notes(&service, STRANGER, GAME).await.unwrap_err();
    assert_eq!(other.code, Code::NotFound);
    assert_eq!(own_notes(&service, ada, ALL).await.unwrap(), notes);
    assert_eq!(own_notes(&service, STRANGER, ALL).await.unwrap(), []);
    let other = close_own(&service, STRANGER, &first.id, NoteState::Done)
        .await
        .unwrap_err();
    assert_eq!(other.code, Code::NotFound);

    for state in [NoteState::Done, NoteState::Dismissed] {
        let closed = close_own(&service, ada, &first.id, state).await.unwrap();
        assert_eq!(
            (
                closed.state(),
                closed.closed_by_kind.as_str(),
                closed.closed_by
            ),
            (NoteState::Done, "account", ada.to_string()),
            "the first end counts"
        );
        assert_eq!(closed.answer, "We looked.");
    }
    let left = own_notes(&service, ada, GAME).await.unwrap();
    assert_eq!(left, notes[1..]);
    assert_eq!(own_notes(&service, ada, ALL).await.unwrap(), left);

    // Without its owner the rest is for staff again.
    let removal = proto::RemoveOwnerRequest {
        handle: "studio".to_owned(),
        account_id: ada.to_string(),
    };
    let mut pages = StaffPageServiceClient::new(service.operator_client.clone());
    pages.remove_owner(removal).await.unwrap();
    assert_eq!(for_staff(&service).await, notes[1..]);
    let gone = own_notes(&service, ada, GAME).await.unwrap_err();
    assert_eq!(gone.code, Code::NotFound);
    assert_eq!(own_notes(&service, ada, ALL).await.unwrap(), []);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_report_is_for_staff_alone(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let sent = send(&service, note(NoteKind::Report, "192.0.2.1"))
        .await
        .unwrap();
    assert_eq!(sent.owners, [""; 0]);
    assert_eq!(own_notes(&service, ada, GAME).await.unwrap(), []);
    let notes = for_staff(&service).await;
    let [report] = &notes[..] else {
        unreachable!("one report: {notes:?}");
    };
    assert_eq!(
        (report.kind(), report.reason.as_str()),
        (NoteKind::Report, "rights")
    );
    let hidden = close_own(&service, ada, &report.id, NoteState::Dismissed)
        .await
        .unwrap_err();
    assert_eq!(hidden.code, Code::NotFound);

    let operator = &service.operator_client;
    let nothing = close(operator, &report.id, NoteState::Done, "")
        .await
        .unwrap_err();
    assert!(nothing.fields.contains_key("reason"), "{nothing}");
    let open = close(operator, &report.id, NoteState::Open, "x")
        .await
        .unwrap_err();
    assert!(open.fields.contains_key("state"), "{open}");
    for _ in 0..2 {
        let closed = close(operator, &report.id, NoteState::Dismissed, "Its own music")
            .await
            .unwrap();
        assert_eq!(
            (
                closed.state(),
                closed.closed_by_kind.as_str(),
                closed.closed_by.as_str()
            ),
            (NoteState::Dismissed, "staff", "operator")
        );
    }
    let again = close(operator, &report.id, NoteState::Done, "x")
        .await
        .unwrap_err();
    assert!(again.fields["id"].contains("closed before"), "{again}");
    let unknown = close(operator, &Uuid::nil().to_string(), NoteState::Done, "x")
        .await
        .unwrap_err();
    assert_eq!(unknown.code, Code::NotFound);
    assert_eq!(for_staff(&service).await, []);

    let mut audit = StaffAuditServiceClient::new(operator.clone());
    let request = common::ListAuditRequest {
        action: "close_note".to_owned(),
        ..common::ListAuditRequest::default()
    };
    let entries = audit
        .list_audit(request)
        .await
        .unwrap()
        .into_inner()
        .entries;
    assert_eq!(
        entries.len(),
        1,
        "a repetition is not recorded: {entries:?}"
    );
    assert!(entries[0].details.contains("Its own music"), "{entries:?}");
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_note_sent_twice_is_one_and_a_network_sends_each_text_once_a_day(pool: PgPool) {
    let service = start_with_game(pool).await;
    let first = note(NoteKind::Report, "192.0.2.1");
    // The same form at the same time, as a double click sends it.
    let (one, two) = futures::join!(send(&service, first.clone()), send(&service, first.clone()));
    assert!(!one.unwrap().is_duplicate && !two.unwrap().is_duplicate);
    assert_eq!(for_staff(&service).await.len(), 1);
    // Other forms of the same network.
    let (one, two) = futures::join!(
        send(&service, note(NoteKind::Report, "192.0.2.1")),
        send(&service, note(NoteKind::Report, "192.0.2.1"))
    );
    assert!(one.unwrap().is_duplicate && two.unwrap().is_duplicate);
    // A neighbour with something else to say.
    let other = proto::CreateNoteRequest {
        text: "It has the music of our game.".to_owned(),
        ..note(NoteKind::Report, "192.0.2.1")
    };
    assert!(!send(&service, other).await.unwrap().is_duplicate);
    // Another kind, another network, another day.
    for (kind, network) in [
        (NoteKind::Correction, "192.0.2.1"),
        (NoteKind::Report, "2001:db8::"),
    ] {
        let sent = send(&service, note(kind, network)).await.unwrap();
        assert!(!sent.is_duplicate, "{kind:?} {network}");
    }
    service.clock.advance(Duration::DAY);
    let sent = send(&service, note(NoteKind::Report, "192.0.2.1"))
        .await
        .unwrap();
    assert!(!sent.is_duplicate);
    assert_eq!(for_staff(&service).await.len(), 5);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_network_sends_five_notes_an_hour(pool: PgPool) {
    let service = start_with_game(pool).await;
    let handles: Vec<String> = (0..7).map(|n| format!("page-{n}")).collect();
    let rows: Vec<serde_json::Value> = handles.iter().map(|handle| creator(handle)).collect();
    service.import(&File::rows("page", &rows)).await;
    let about = |handle: &str, network: &str| proto::CreateNoteRequest {
        kind: "page".to_owned(),
        name: handle.to_owned(),
        ..note(NoteKind::Correction, network)
    };
    for handle in &handles[..5] {
        send(&service, about(handle, "192.0.2.1")).await.unwrap();
        service.clock.advance(Duration::MINUTE);
    }
    let refused = send(&service, about("page-5", "192.0.2.1"))
        .await
        .unwrap_err();
    assert_eq!(refused.code, Code::RateLimited);
    assert_eq!(refused.retry_after, Some(55 * 60));
    // A duplicate is still told as one, and others are not limited.
    let same = send(&service, about("page-0", "192.0.2.1")).await.unwrap();
    assert!(same.is_duplicate);
    send(&service, about("page-5", "192.0.2.2")).await.unwrap();
    assert_eq!(
        for_staff(&service).await.len(),
        6,
        "a refused note is not stored"
    );
    service.clock.advance(Duration::minutes(56));
    send(&service, about("page-5", "192.0.2.1")).await.unwrap();
}

#[testing::database_test(listings::MIGRATOR)]
async fn only_public_listings_have_notes_and_a_takedown_closes_them(pool: PgPool) {
    let service = start_with_game(pool).await;
    let accounts = service.accounts().await;
    accounts.event("a-jam").await;
    let about = |kind: &str, name: &str| proto::CreateNoteRequest {
        kind: kind.to_owned(),
        name: name.to_owned(),
        ..note(NoteKind::Report, "192.0.2.9")
    };
    for (kind, name, code) in [
        ("event", "a-jam", Code::NotFound),
        ("game", "nothing", Code::NotFound),
        ("game", "no\0ne", Code::NotFound),
        ("genre", "puzzle", Code::Invalid),
    ] {
        let refused = send(&service, about(kind, name)).await.unwrap_err();
        assert_eq!(refused.code, code, "{kind} {name}: {refused}");
    }
    let report = send(&service, note(NoteKind::Report, "192.0.2.1")).await;
    let correction = send(&service, note(NoteKind::Correction, "192.0.2.1")).await;
    assert!(report.is_ok() && correction.is_ok());
    let id = for_staff(&service).await[0].id.clone();
    let client = &service.operator_client;
    let game = (listing_name("game", "a-game"), None);
    decide(client, proto::Decision::TakeDown, game, "Stolen")
        .await
        .unwrap();
    assert_eq!(for_staff(&service).await, []);
    let own = own_notes(&service, accounts.account, GAME).await.unwrap();
    assert_eq!(own, []);
    let closed = close(client, &id, NoteState::Done, "x").await.unwrap();
    assert_eq!(
        (closed.closed_by.as_str(), closed.answer.as_str()),
        ("operator", "The listing was taken down.")
    );
    let refused = send(&service, note(NoteKind::Report, "192.0.2.3"))
        .await
        .unwrap_err();
    assert_eq!(refused.code, Code::NotFound);
}

#[testing::database_test(listings::MIGRATOR)]
async fn every_invalid_field_is_told_at_once(pool: PgPool) {
    let service = start_with_game(pool).await;
    let bad = proto::CreateNoteRequest {
        reason: "boring".to_owned(),
        text: " ".to_owned(),
        email: "a@b.example\nBcc: c@d.example".to_owned(),
        network: "somewhere".to_owned(),
        form: "short".to_owned(),
        ..note(NoteKind::Report, "")
    };
    let refused = send(&service, bad).await.unwrap_err();
    let fields: Vec<&str> = refused.fields.keys().map(String::as_str).collect();
    assert_eq!(fields, ["email", "form", "network", "reason", "text"]);
    assert_eq!(for_staff(&service).await, []);
}

#[testing::database_test(listings::MIGRATOR)]
async fn after_90_days_closed_notes_and_senders_are_gone(pool: PgPool) {
    let service = start_with_game(pool).await;
    for network in ["192.0.2.1", "192.0.2.2"] {
        send(&service, note(NoteKind::Report, network))
            .await
            .unwrap();
    }
    let id = for_staff(&service).await[0].id.clone();
    let client = &service.operator_client;
    service.clock.advance(Duration::DAY);
    close(client, &id, NoteState::Done, "x").await.unwrap();
    let compacted = async |days: i64| {
        let before = NOW + Duration::days(days) - MAX_AGE;
        compact(&service.pool, before).await.unwrap()
    };
    assert_eq!(compacted(90).await, 0);
    service.clock.advance(Duration::days(92));
    // The closed one, and the sender of the open one.
    assert_eq!(compacted(93).await, 2);
    assert_eq!(compacted(93).await, 0);
    let notes = for_staff(&service).await;
    assert_eq!((notes.len(), notes[0].email.as_str()), (1, ""));
    let unknown = close(client, &id, NoteState::Done, "x").await.unwrap_err();
    assert_eq!(unknown.code, Code::NotFound);
    let networks = sqlx::query_scalar!("select network from listings.ticket")
        .fetch_all(&service.pool)
        .await
        .unwrap();
    assert_eq!(networks, [""]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn staff_list_and_close_notes_with_the_tool(pool: PgPool) {
    let service = start_with_game(pool).await;
    let sent = proto::CreateNoteRequest {
        text: "It is mine.\n\u{1b}[31mRed"
            .to_owned()
            .replace('\u{1b}', ""),
        ..note(NoteKind::Report, "192.0.2.1")
    };
    send(&service, sent).await.unwrap();
    let ran = staff(&service.address, &["review", "list"]).await;
    let text = String::from_utf8(ran.stdout).unwrap();
    assert!(text.contains("1 notes of visitors are open"), "{text}");
    let ran = staff(&service.address, &["--json", "review", "notes"]).await;
    let listed: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let listed = &listed["notes"][0];
    assert_eq!(
        (
            &listed["name"],
            &listed["note"],
            &listed["reason"],
            &listed["state"]
        ),
        (
            &"a-game".into(),
            &"report".into(),
            &"rights".into(),
            &"open".into()
        )
    );
    let id = listed["id"].as_str().unwrap();
    let close = ["--json", "review", "close-note", id, "--as", "dismissed"];
    let ran = staff(
        &service.address,
        &[&close[..], &["--reason", "No"]].concat(),
    )
    .await;
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    let closed: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(closed["notes"][0]["state"], "dismissed");
    assert_eq!(closed["notes"][0]["closed_by"], "operator");
    let ran = staff(&service.address, &["review", "notes"]).await;
    assert_eq!(ran.status.code(), Some(0));
    assert_eq!(for_staff(&service).await, []);
}
