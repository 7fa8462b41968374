//! A browser without JavaScript, on the pages of the fleet.

use std::collections::BTreeMap;

use e2e::Fleet;
use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::{RequestBuilder, StatusCode};

/// A browser with cookies. Each has an address of its own, as the proxy of the test says.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    http: reqwest::Client,
    base: String,
    pub(crate) cookies: BTreeMap<String, String>,
    address: String,
}

#[derive(Debug)]
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
            cookies: BTreeMap::new(),
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
        let cookies = self.cookies.iter();
        let cookies: Vec<String> = cookies
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if !cookies.is_empty() {
            request = request.header(COOKIE, cookies.join("; "));
        }
        let answer = request.send().await.unwrap();
        for set in answer.headers().get_all(SET_COOKIE) {
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), value.to_owned());
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
    pub(crate) fn element(&self, id: &str) -> String {
        let (_, rest) = self.text.split_once(&format!("id=\"{id}\">")).unwrap();
        rest.split('<').next().unwrap().to_owned()
    }
}
