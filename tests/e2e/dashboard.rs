//! The dashboard over real sockets, without JavaScript: from sign-up to a first call that answers.

use e2e::{Client, Fleet, mails};
use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::{RequestBuilder, StatusCode};

const PASSWORD: &str = "baobab lorry teapot nine";

/// A browser with one cookie. Each has an address of its own, as the proxy of the test says.
pub(crate) struct Browser {
    http: reqwest::Client,
    base: String,
    cookie: Option<String>,
    address: String,
}

pub(crate) struct Page {
    pub(crate) status: StatusCode,
    pub(crate) location: String,
    pub(crate) text: String,
}

impl Browser {
    pub(crate) fn new(fleet: &Fleet) -> Self {
        let random = kit::ids::row_id().as_u128();
        Self {
            http: reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .unwrap(),
            base: fleet.dashboard_url.trim_end_matches('/').to_owned(),
            cookie: None,
            address: format!(
                "2001:db8:{:x}:{:x}::1",
                random & 0xffff,
                random >> 16 & 0xffff
            ),
        }
    }

    pub(crate) async fn get(&mut self, path: &str) -> Page {
        let request = self.http.get(format!("{}{path}", self.base));
        self.send(request).await
    }

    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let mut form = reqwest::Url::parse("http://form.example").unwrap();
        form.query_pairs_mut().extend_pairs(fields);
        let request = self
            .http
            .post(format!("{}{path}", self.base))
            .header("content-type", "application/x-www-form-urlencoded")
            .header("origin", &self.base)
            .body(form.query().unwrap_or_default().to_owned());
        self.send(request).await
    }

    async fn send(&mut self, request: RequestBuilder) -> Page {
        let mut request = request.header("x-forwarded-for", &self.address);
        if let Some(cookie) = &self.cookie {
            request = request.header(COOKIE, cookie);
        }
        let answer = request.send().await.unwrap();
        if let Some(set) = answer.headers().get(SET_COOKIE) {
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            self.cookie = Some(pair.to_owned());
        }
        let location = answer.headers().get(LOCATION);
        let location = location.map(|path| path.to_str().unwrap().to_owned());
        Page {
            status: answer.status(),
            location: location.unwrap_or_default(),
            text: answer.text().await.unwrap(),
        }
    }
}

impl Page {
    /// The value of a hidden field.
    pub(crate) fn hidden(&self, name: &str) -> String {
        let start = format!("name=\"{name}\" value=\"");
        let (_, rest) = self.text.split_once(&start).unwrap();
        rest.split('"').next().unwrap().to_owned()
    }

    /// The text of the element with this id.
    fn element(&self, id: &str) -> String {
        let (_, rest) = self.text.split_once(&format!("id=\"{id}\">")).unwrap();
        rest.split('<').next().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_visitor_signs_up_makes_a_key_and_calls_the_api() {
    let fleet = Fleet::shared();
    let mut browser = Browser::new(&fleet);
    let address = format!("visitor-{}@studio.example", kit::ids::row_id());
    let start = browser.get("/").await;
    assert!(start.text.contains("href=\"/sign-up\""), "{}", start.text);
    let sign_up = browser.get("/sign-up").await;
    let folder = fleet.mail_dir.display().to_string();
    assert!(sign_up.text.contains(&folder), "{}", sign_up.text);
    let sent = browser.post("/sign-up", &[("email", &address)]).await;
    assert_eq!(sent.status, 200, "{}", sent.text);

    let link = mails::link(&fleet.mail_dir, &address).await;
    assert_eq!(browser.get(&link).await.status, 200);
    let fields = [("account_name", "Savanna Studio"), ("password", PASSWORD)];
    let made = browser.post(&link, &fields).await;
    assert_eq!(made.status, 303, "{}", made.text);
    let overview = browser.get(&made.location).await;
    assert!(
        overview.text.contains("Make the first key"),
        "{}",
        overview.text
    );

    let keys = format!("{}/keys", made.location);
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
    let mut browser = Browser::new(&fleet);
    let fields = [
        ("email", account.email.as_str()),
        ("password", &account.password),
    ];
    let signed_in = browser.post("/sign-in", &fields).await;
    assert_eq!(
        (signed_in.status.as_u16(), &*signed_in.location),
        (303, "/accounts")
    );
    let list = browser.get("/accounts").await;
    let overview = browser.get(&list.location).await;
    assert!(
        overview.text.contains("Calls this month"),
        "{}",
        overview.text
    );
    let keys = browser.get(&format!("{}/keys", list.location)).await;
    assert!(keys.text.contains("live_write"), "{}", keys.text);
    // The other account's pages are not there.
    let other = Fleet::shared();
    let mut neighbour = Browser::new(&other);
    let other = fleet.account("other");
    let fields = [
        ("email", other.email.as_str()),
        ("password", &other.password),
    ];
    neighbour.post("/sign-in", &fields).await;
    assert_eq!(neighbour.get(&list.location).await.status, 404);
    // Another site's form changes nothing.
    let url = format!("{}/sign-out", browser.base);
    let request = browser
        .http
        .post(url)
        .header("origin", "https://evil.example");
    assert_eq!(browser.send(request).await.status, 403);
    assert_eq!(browser.get("/you").await.status, 200);
}
