//! Nobody learns of a listing that the public cannot see: not from a webhook, not from a list, and not because it moves to another page.

use contracts::listings::v1::CreatePageRequest;
use contracts::listings::v1::pages_service_client::PagesServiceClient;
use e2e::{Client, Fleet, Receiver, Staff, eventually};
use serde_json::json;

/// Submits a page of an account, which waits for review.
async fn submit_page(fleet: &Fleet, account_id: &str, handle: &str) {
    let mut pages = PagesServiceClient::new(fleet.rpc_client("listings-svc").await);
    let body = json!({"handle": handle, "name": "New", "kind": "studio", "country_code": "NG"});
    let request = CreatePageRequest {
        account_id: account_id.to_owned(),
        body: body.to_string().into(),
        ..CreatePageRequest::default()
    };
    pages.create_page(request).await.unwrap();
}

/// Whether the game is in a list with `updated_since`.
async fn is_listed(client: &Client, slug: &str) -> bool {
    let games = client.all("/games?updated_since=1950-01-01", 100).await;
    games.iter().any(|game| game["slug"] == slug)
}

async fn submit_game(owner: &Client, title: &str, creator: &str) {
    let body = json!({"title": title, "creator": creator});
    let made = owner.post("/games", &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
}

pub(crate) async fn nobody_is_told_of_a_game_that_is_hidden_with_its_page(
    fleet: &Fleet,
    receiver: &Receiver,
) {
    receiver.subscribe(fleet, &["listing.published", "listing.updated"]).await;
    let mut staff = Staff::new(fleet).await;
    let account = staff.account("partner").await;
    staff.page(&account, "first-page").await;
    staff.page(&account, "second-page").await;
    submit_page(fleet, &account.account.id, "new-page").await;
    let owner = staff.writer(fleet, &account, "live").await;

    submit_game(&owner, "Once Seen", "first-page").await;
    staff.approve("game", "once-seen").await;
    // Wait for the message, because webhook-svc cancels messages about a listing that is hidden before they are sent.
    eventually("the game is announced", async || (receiver.count() > 0).then_some(())).await;

    // The owner of a removed page reaches no subscriber, and cannot publish the game again under another page.
    staff.take_down("page", "first-page").await;
    let changed = owner.patch("/games/once-seen", &json!({"title": "Spam"})).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let moved = owner.patch("/games/once-seen", &json!({"creator": "second-page"})).await;
    moved.assert_error(403, "not_yours");
    let read = owner.get("/games/once-seen").await;
    read.assert_error(404, "not_found");
    assert!(!is_listed(&owner, "once-seen").await);

    // A game that is approved before its page appears with the page, and is announced then.
    submit_game(&owner, "Not Seen", "new-page").await;
    staff.approve("game", "not-seen").await;
    let read = owner.get("/games/not-seen").await;
    read.assert_error(404, "not_found");
    assert!(!is_listed(&owner, "not-seen").await);
    staff.approve("page", "new-page").await;
    assert_eq!(owner.get("/games/not-seen").await.status, 200);
    assert!(is_listed(&owner, "not-seen").await);

    staff.restore("page", "first-page").await;
    assert_eq!(owner.get("/games/once-seen").await.status, 200);
    for slug in ["once-seen", "not-seen"] {
        let changed = owner.patch(&format!("/games/{slug}"), &json!({"tagline": "Better"})).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
    }
    let expected = [
        ("listing.published", "new-page"),
        ("listing.published", "not-seen"),
        ("listing.published", "once-seen"),
        ("listing.updated", "not-seen"),
        ("listing.updated", "once-seen"),
    ];
    let expected = expected.map(|(event, name)| (event.to_owned(), name.to_owned()));
    eventually("the messages arrived", async || (receiver.count() >= expected.len()).then_some(()))
        .await;
    assert_eq!(receiver.named(), expected);
}
