//! A browser without JavaScript: pages, forms and cookies.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::header::{CONTENT_TYPE, COOKIE, LOCATION, SET_COOKIE, USER_AGENT};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tower::ServiceExt as _;

/// The tag of pages that search engines must not index.
pub(crate) const NOINDEX: &str = "<meta name=\"robots\" content=\"noindex\">";

/// A browser with at most one session.
#[derive(Clone)]
pub(crate) struct Browser {
    router: Router,
    /// The session cookie.
    pub(crate) cookie: Option<String>,
    /// The other cookies, by name.
    pub(crate) cookies: BTreeMap<String, String>,
    pub(crate) address: SocketAddr,
    pub(crate) agent: String,
}

#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Browser {
    pub(crate) fn new(router: &Router) -> Self {
        Self {
            router: router.clone(),
            cookie: None,
            cookies: BTreeMap::new(),
            address: ([203, 0, 113, 7], 4_711).into(),
            agent: "Test/1.0".to_owned(),
        }
    }

    /// The same browser with another router.
    pub(crate) fn with_router(self, router: &Router) -> Self {
        Self { router: router.clone(), ..self }
    }

    /// A browser with another IP address, which ends in `last`.
    pub(crate) fn at(router: &Router, last: u8) -> Self {
        Self { address: ([203, 0, 113, last], 4_711).into(), ..Self::new(router) }
    }

    /// The headers of every request.
    pub(crate) fn headers(&self) -> HeaderMap {
        HeaderMap::from_iter([(USER_AGENT, self.agent.parse().unwrap())])
    }

    pub(crate) async fn get(&mut self, path: &str) -> Page {
        let request = Request::get(path).body(Body::empty()).unwrap();
        self.send(request).await
    }

    /// Posts a form as a browser does from a page of the site.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let request =
            form(path, fields).header("sec-fetch-site", "same-origin").body(body(fields)).unwrap();
        self.send(request).await
    }

    /// Posts a form with the form id found on `page`.
    pub(crate) async fn submit(
        &mut self,
        page: &str,
        action: &str,
        fields: &[(&str, &str)],
    ) -> Page {
        let shown = self.get(page).await;
        let form = shown.hidden().get("form").cloned().unwrap_or_default();
        let fields = [&[("form", form.as_str())], fields].concat();
        self.post(action, &fields).await
    }

    /// Invites a person to an account, as its owner.
    pub(crate) async fn invite(
        &mut self,
        account: impl std::fmt::Display,
        email: &str,
        role: &str,
    ) -> Page {
        let team = format!("/accounts/{account}/team");
        let fields = [("email", email), ("role", role)];
        self.submit(&team, &format!("{team}/invite"), &fields).await
    }

    /// Posts a body that is not a form, in the same way.
    pub(crate) async fn post_body(
        &mut self,
        path: &str,
        media_type: &str,
        body: impl Into<Body>,
    ) -> Page {
        let request = Request::post(path)
            .header(CONTENT_TYPE, media_type)
            .header("host", "mchezo.example")
            .header("sec-fetch-site", "same-origin")
            .body(body.into())
            .unwrap();
        self.send(request).await
    }

    pub(crate) async fn send(&mut self, mut request: Request<Body>) -> Page {
        request.extensions_mut().insert(ConnectInfo(self.address));
        let headers = request.headers_mut();
        headers.extend(self.headers());
        let others = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
        let cookies: Vec<String> = self.cookie.iter().cloned().chain(others).collect();
        if !cookies.is_empty() {
            headers.insert(COOKIE, cookies.join("; ").parse().unwrap());
        }
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        for set in parts.headers.get_all(SET_COOKIE) {
            let set = set.to_str().unwrap();
            let pair = set.split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if name == "__Host-session" {
                self.cookie = (!set.contains("Max-Age=0")).then(|| pair.to_owned());
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        let bytes = body.collect().await.unwrap().to_bytes();
        Page {
            status: parts.status,
            headers: parts.headers,
            // The body of a picture is not UTF-8.
            text: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

/// A form without the headers that a browser adds on its own.
pub(crate) fn form(path: &str, _: &[(&str, &str)]) -> http::request::Builder {
    Request::builder()
        .method(Method::POST)
        .uri(path)
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header("host", "mchezo.example")
}

pub(crate) fn body(fields: &[(&str, &str)]) -> Body {
    Body::from(encode(fields))
}

/// The fields as `application/x-www-form-urlencoded`.
pub(crate) fn encode(fields: &[(&str, &str)]) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let pairs = fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

impl Page {
    /// The target of a 303 redirect.
    #[track_caller]
    pub(crate) fn location(&self) -> &str {
        assert_eq!(self.status, StatusCode::SEE_OTHER, "{}", self.text);
        self.headers[LOCATION].to_str().unwrap()
    }

    #[track_caller]
    pub(crate) fn assert(&self, status: u16, part: &str) {
        assert_eq!(self.status, status, "{}", self.text);
        assert!(self.text.contains(part), "`{part}` is not in {}", self.text);
    }

    /// The hidden fields of all forms on the page.
    pub(crate) fn hidden(&self) -> BTreeMap<String, String> {
        let inputs = self.text.split("<input type=\"hidden\" name=\"").skip(1);
        let pairs = inputs.filter_map(|input| {
            let (name, rest) = input.split_once("\" value=\"")?;
            Some((name.to_owned(), rest.split('"').next()?.to_owned()))
        });
        pairs.collect()
    }
}
