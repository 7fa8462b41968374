//! A browser without JavaScript: it sends forms and keeps cookies.

use std::collections::BTreeMap;

use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::{RequestBuilder, StatusCode};

use crate::{Account, Fleet, mails};

/// A client of the site and the dashboard that keeps cookies. Each has another client address, in a header that web trusts the tests to send.
#[derive(Debug, Clone)]
pub struct WebClient {
    /// A client that follows no redirects.
    pub http: reqwest::Client,
    /// The address of the site, without the slash at its end.
    pub base: String,
    /// Values by name.
    pub cookies: BTreeMap<String, String>,
    address: String,
}

#[derive(Debug)]
#[expect(missing_docs, reason = "each is named for what it is")]
pub struct WebPage {
    pub status: StatusCode,
    /// The target of a redirect; empty for other responses.
    pub location: String,
    pub text: String,
}

impl WebClient {
    pub fn new(fleet: &Fleet) -> Self {
        Self {
            http: reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .unwrap(),
            base: fleet.dashboard_url.trim_end_matches('/').to_owned(),
            cookies: BTreeMap::new(),
            address: new_address(),
        }
    }

    /// Another visitor, over the same connections.
    #[must_use]
    pub fn another(&self) -> Self {
        Self {
            http: self.http.clone(),
            base: self.base.clone(),
            cookies: BTreeMap::new(),
            address: new_address(),
        }
    }

    /// Signs up by mail and creates an account; returns the path of the account and that of the link in the mail.
    pub async fn sign_up(&mut self, fleet: &Fleet, account: &str, password: &str) -> [String; 2] {
        let address = format!("visitor-{}@studio.example", kit::ids::row_id());
        let sent = self.post("/sign-up", &[("email", &address)]).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
        let link = mails::link(&fleet.mail_dir, &address).await;
        let fields = [("account_name", account), ("password", password)];
        let made = self.post(&link, &fields).await;
        assert_eq!(made.status, 303, "{}", made.text);
        [made.location, link]
    }

    /// Signs in as the owner of a ready-made account; returns the path of the account.
    pub async fn sign_in(&mut self, account: &Account) -> String {
        let fields = [("email", account.email.as_str()), ("password", &account.password)];
        let signed_in = self.post("/sign-in", &fields).await;
        assert_eq!(
            (signed_in.status.as_u16(), &*signed_in.location),
            (303, "/accounts"),
            "{}",
            signed_in.text
        );
        self.get("/accounts").await.location
    }

    pub async fn get(&mut self, path: &str) -> WebPage {
        let request = self.http.get(format!("{}{path}", self.base));
        self.send(request).await
    }

    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> WebPage {
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

    /// The header `Cookie`; `None` without cookies.
    pub fn cookie_header(&self) -> Option<String> {
        let pairs: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }

    /// Sends a request with the cookies, and stores those of the response.
    pub async fn send(&mut self, request: RequestBuilder) -> WebPage {
        let mut request = request.header("x-forwarded-for", &self.address);
        if let Some(cookies) = self.cookie_header() {
            request = request.header(COOKIE, cookies);
        }
        let answer = request.send().await.unwrap();
        for set in answer.headers().get_all(SET_COOKIE) {
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        let location = answer.headers().get(LOCATION).map(|path| path.to_str().unwrap().to_owned());
        WebPage {
            status: answer.status(),
            location: location.unwrap_or_default(),
            text: answer.text().await.unwrap(),
        }
    }
}

impl WebPage {
    pub fn hidden(&self, name: &str) -> String {
        let start = format!("name=\"{name}\" value=\"");
        let (_, rest) = self.text.split_once(&start).unwrap();
        rest.split('"').next().unwrap().to_owned()
    }

    /// The text of the element with this id.
    pub fn element(&self, id: &str) -> String {
        let (_, rest) = self.text.split_once(&format!("id=\"{id}\">")).unwrap();
        rest.split('<').next().unwrap().to_owned()
    }
}

/// A client address in a network that no other visitor has.
fn new_address() -> String {
    let random = kit::ids::row_id().as_u128();
    let (low, high) = (random & 0xffff, random >> 16 & 0xffff);
    format!("2001:db8:{low:x}:{high:x}::1")
}
