//! The dashboard over real sockets, without JavaScript. `tests/browser` covers the way from sign-up to a first call.

use contracts::common::v1::ListChangesRequest;
use contracts::common::v1::feed_service_client::FeedServiceClient;
use e2e::{Fleet, WebClient};

#[tokio::test]
async fn a_ready_made_account_signs_in_with_the_words_in_fleet_json() {
    let fleet = Fleet::shared();
    let account = fleet.account("free");
    let mut browser = WebClient::new(&fleet);
    let pages = browser.sign_in(account).await;
    let keys = browser.get(&format!("{pages}/keys")).await;
    assert!(keys.text.contains("live_write"), "{}", keys.text);
    // Another account cannot read these pages.
    let mut neighbour = WebClient::new(&fleet);
    neighbour.sign_in(fleet.account("other")).await;
    assert_eq!(neighbour.get(&pages).await.status, 404);
}

#[tokio::test]
async fn services_list_the_changes_from_which_web_sends_mails() {
    let fleet = Fleet::shared();
    for service in ["gateway", "listings-svc", "economy-svc", "webhook-svc"] {
        let mut feed = FeedServiceClient::new(fleet.rpc_client(service).await);
        let request = ListChangesRequest::default();
        let listed = feed.list_changes(request).await.unwrap().into_inner();
        assert!(listed.until.is_some(), "{service}");
    }
}
