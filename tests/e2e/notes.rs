//! Notes of visitors: a report goes from the public site to staff, a correction to the dashboard of the owner.

use e2e::{Fleet, WebClient};
use serde_json::Value;

use crate::staff_tool::said;

/// Sends a form of the public site, and returns what it leads to.
async fn send(browser: &mut WebClient, path: &str, fields: &[(&str, &str)]) -> String {
    let shown = browser.get(path).await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    let form = shown.hidden("form");
    let fields = [&[("form", form.as_str())][..], fields].concat();
    let sent = browser.post(path, &fields).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    sent.location
}

/// The open note for staff with this text.
async fn open_note(fleet: &Fleet, text: &str) -> Option<Value> {
    let listed = said(fleet, &["--json", "review", "notes"]).await;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let mut notes = listed["notes"].as_array().unwrap().iter();
    notes.find(|note| note["text"] == text).cloned()
}

#[tokio::test]
async fn a_report_on_the_site_is_closed_by_staff() {
    let fleet = Fleet::shared();
    let game = &fleet.account("free").economy_game;
    let text = format!("This is mine: {}", kit::ids::row_id());
    let mut visitor = WebClient::new(&fleet);
    let page = visitor.get(&format!("/fr/games/{game}")).await;
    let path = format!("/fr/report/game/{game}");
    assert!(page.text.contains(&path), "{}", page.text);
    let fields = [("reason", "rights"), ("text", text.as_str())];
    let thanks = send(&mut visitor, &path, &fields).await;
    assert_eq!(thanks, format!("{path}?done=sent"));
    assert!(visitor.get(&thanks).await.text.contains("Merci."));

    let note = open_note(&fleet, &text).await.unwrap();
    assert_eq!(
        (&note["kind"], &note["name"], &note["reason"]),
        (&"game".into(), &game.as_str().into(), &"rights".into())
    );
    let id = note["id"].as_str().unwrap();
    let close = ["review", "close-note", id, "--as", "dismissed"];
    said(
        &fleet,
        &[&close[..], &["--reason", "It is its own"]].concat(),
    )
    .await;
    assert_eq!(open_note(&fleet, &text).await, None);
    let audit = ["audit", "list", "--action", "close_note", "--name", game];
    assert!(said(&fleet, &audit).await.contains("operator"));
}

#[tokio::test]
async fn a_correction_is_closed_by_the_owner_of_the_listing() {
    let fleet = Fleet::shared();
    let account = fleet.account("build");
    let game = &account.economy_game;
    let text = format!("The year is wrong: {}", kit::ids::row_id());
    let mut visitor = WebClient::new(&fleet);
    let path = format!("/correct/game/{game}");
    let thanks = send(&mut visitor, &path, &[("text", &text)]).await;
    assert_eq!(thanks, format!("{path}?done=sent"));
    assert_eq!(open_note(&fleet, &text).await, None, "its owner gets it");

    let mut owner = WebClient::new(&fleet);
    let overview = owner.sign_in(account).await;
    let listing = format!("{overview}/listings/game/{game}");
    let shown = owner.get(&listing).await;
    let (_, rest) = shown.text.split_once(&text).unwrap();
    let start = format!("action=\"{listing}/notes/");
    let (_, rest) = rest.split_once(&start).unwrap();
    let close = format!("{listing}/notes/{}", rest.split('"').next().unwrap());
    // Another account cannot close it.
    let mut neighbour = WebClient::new(&fleet);
    neighbour.sign_in(fleet.account("other")).await;
    let refused = neighbour.post(&close, &[("state", "done")]).await;
    assert_eq!(refused.status, 404, "{}", refused.text);
    let closed = owner.post(&close, &[("state", "done")]).await;
    assert_eq!(closed.status, 303, "{}", closed.text);
    let shown = owner.get(&closed.location).await;
    assert!(!shown.text.contains(&text), "{}", shown.text);
}
