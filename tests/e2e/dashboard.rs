//! The dashboard over real sockets, without JavaScript: from sign-up to a first call that answers.

use contracts::common::v1::ListChangesRequest;
use contracts::common::v1::feed_service_client::FeedServiceClient;
use e2e::{Client, Fleet, WebClient};

const PASSWORD: &str = "baobab lorry teapot nine";

#[tokio::test]
async fn a_visitor_signs_up_makes_a_key_and_calls_the_api() {
    let fleet = Fleet::shared();
    let mut browser = WebClient::new(&fleet);
    let [account, _] = browser.sign_up(&fleet, "Savanna Studio", PASSWORD).await;
    let overview = browser.get(&account).await;
    assert_eq!(overview.status, 200, "{}", overview.text);

    let keys = format!("{account}/keys");
    let form = browser.get(&format!("{keys}/new")).await.hidden("form");
    let fields = [
        ("form", form.as_str()),
        ("name", "first"),
        ("mode", "test"),
        ("kind", "account"),
    ];
    let key = browser.post(&keys, &fields).await;
    assert_eq!(key.status, 200, "{}", key.text);
    let secret = key.element("secret");
    // The call as it is pasted into a shell.
    let call = key.element("call").replace("&#39;", "'");
    assert!(
        call.contains(&secret) && call.contains(&fleet.base_url),
        "{call}"
    );
    let url = call.split('\'').nth(3).unwrap();
    let path = url.strip_prefix(&fleet.base_url).unwrap();
    let answer = Client::new(&fleet, &secret).get(path).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.body["data"].as_array().unwrap().len(), 3);

    let listed = browser.get(&keys).await;
    assert!(
        listed.text.contains("first") && !listed.text.contains(&secret),
        "{}",
        listed.text
    );
    // Revoked, the next call is refused.
    let (_, rest) = listed.text.split_once(&format!("href=\"{keys}/0")).unwrap();
    let id = format!("0{}", rest.split('"').next().unwrap());
    let revoked = browser.post(&format!("{keys}/{id}/revoke"), &[]).await;
    assert_eq!(revoked.status, 303, "{}", revoked.text);
    let refused = Client::new(&fleet, &secret).get("/me").await;
    assert_eq!(refused.status, 401, "{}", refused.text);
}

#[tokio::test]
async fn a_ready_made_account_signs_in_with_the_words_in_fleet_json() {
    let fleet = Fleet::shared();
    let account = fleet.account("free");
    let mut browser = WebClient::new(&fleet);
    let pages = browser.sign_in(account).await;
    let keys = browser.get(&format!("{pages}/keys")).await;
    assert!(keys.text.contains("live_write"), "{}", keys.text);
    // The other account's pages are not there.
    let mut neighbour = WebClient::new(&fleet);
    neighbour.sign_in(fleet.account("other")).await;
    assert_eq!(neighbour.get(&pages).await.status, 404);
}

#[tokio::test]
async fn services_list_the_changes_of_which_web_makes_mails() {
    let fleet = Fleet::shared();
    for service in ["gateway", "listings-svc", "economy-svc", "webhook-svc"] {
        let mut feed = FeedServiceClient::new(fleet.rpc_client(service).await);
        let request = ListChangesRequest::default();
        let listed = feed.list_changes(request).await.unwrap().into_inner();
        assert!(listed.until.is_some(), "{service}");
    }
}
