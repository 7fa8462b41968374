//! The language of a page for signing in, which is that of the browser or of the person.

use std::sync::Arc;

use axum::response::Response;
use http::header::ACCEPT_LANGUAGE;
use http::{HeaderMap, Uri};
use pages::{Frame, Language, Texts};
use parking_lot::Mutex;

use crate::render::see_other;
use crate::store::people::Person;
use crate::visit::Visit;

/// The language of a page, and what its paths begin with, if its own address names the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageLanguage {
    pub language: Language,
    pub prefix: &'static str,
}

/// The language of a page of the dashboard, for the error page in its place. An extension of the
/// request, since a handler that takes too long or panics makes no response.
#[derive(Debug, Clone, Default)]
pub struct ErrorLanguage(Arc<Mutex<PageLanguage>>);

impl ErrorLanguage {
    pub fn set(&self, language: PageLanguage) {
        *self.0.lock() = language;
    }

    pub fn get(&self) -> PageLanguage {
        *self.0.lock()
    }
}

impl PageLanguage {
    /// That of a request: the language of the address, or else the one that the browser prefers.
    pub fn from_request(uri: &Uri, headers: &HeaderMap) -> Self {
        let Visit { language, prefix, .. } = Visit::from_request(uri, headers);
        Self { language, prefix }
    }

    /// That of a person, at addresses that name none.
    pub fn from_person(person: &Person) -> Self {
        Self { language: person.language(), prefix: "" }
    }

    pub fn texts(self) -> &'static Texts {
        Texts::of(self.language)
    }

    pub fn say(self, key: &'static str) -> &'static str {
        self.texts().say(key)
    }

    /// A path of a page that is there in each language.
    pub fn path(self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    /// Redirects to the start page, which says what is done. It has no session any more, so that its address names the language if the
    /// browser prefers another one.
    pub fn redirect_signed_out(self, headers: &HeaderMap, done: &str) -> Response {
        let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|it| it.to_str().ok());
        let is_preferred = Language::accepted(accepted.unwrap_or_default()) == self.language;
        let start = if is_preferred { "/" } else { self.language.prefix() };
        see_other(&format!("{start}?done={done}"))
    }

    pub fn frame(self) -> Frame {
        Frame { language: self.language, prefix: self.prefix, ..Frame::default() }
    }

    /// The frame of a page with links to itself in the other languages. `path` has no language.
    pub fn frame_at(self, path: impl Into<String>) -> Frame {
        Frame { path: path.into(), is_translated: true, ..self.frame() }
    }
}
