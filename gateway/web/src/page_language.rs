//! The language of a page of people and of their accounts.

use axum::response::Response;
use http::header::ACCEPT_LANGUAGE;
use http::{HeaderMap, Uri};
use kit::{Code, Fault};
use pages::site::{Language, Texts};
use pages::{Fields, Shell};

use crate::render::{FormState, see_other};
use crate::store::people::Person;
use crate::visit::Visit;

/// The language of a page, and what its paths begin with, if its own address names the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageLanguage {
    pub language: Language,
    pub prefix: &'static str,
}

impl PageLanguage {
    /// That of a request: the language of the address, or else the one that the browser prefers.
    pub fn of(uri: &Uri, headers: &HeaderMap) -> Self {
        let Visit {
            language, prefix, ..
        } = Visit::of(uri, headers);
        Self { language, prefix }
    }

    /// That of a person, at addresses that name none.
    pub fn of_person(person: &Person) -> Self {
        Self {
            language: person.language(),
            prefix: "",
        }
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

    /// Redirects to the start page, which says what is done. It has no session any more, thus its address names the language if the
    /// browser prefers another one.
    pub fn goodbye(self, headers: &HeaderMap, done: &str) -> Response {
        let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|it| it.to_str().ok());
        let is_preferred = Language::accepted(accepted.unwrap_or_default()) == self.language;
        let start = if is_preferred {
            "/"
        } else {
            self.language.prefix()
        };
        see_other(&format!("{start}?done={done}"))
    }

    pub fn shell(self) -> Shell {
        Shell {
            language: self.language,
            prefix: self.prefix,
            ..Shell::default()
        }
    }

    /// The shell of a page with links to itself in the other languages. `path` has no language.
    pub fn shell_at(self, path: impl Into<String>) -> Shell {
        Shell {
            translated_path: Some(path.into()),
            ..self.shell()
        }
    }

    /// A form of the dashboard, which is in English, that a service refused.
    #[expect(clippy::unused_self, reason = "pages ask their language for it")]
    pub fn refused(self, fault: &Fault, fields: &[&str], renamed: &[(&str, &str)]) -> FormState {
        FormState::refused_renamed(fault, fields, renamed)
    }

    /// A form that a service refused, on a page that is in both languages: services write in English, so the page says in general what is
    /// wrong, with the code.
    pub fn refused_in_general(self, fault: &Fault) -> FormState {
        let text = match fault.code {
            Code::Unavailable => self.say("fault-unavailable").to_owned(),
            Code::Closed => self.say("fault-closed").to_owned(),
            code => self.texts().say_of("error-service", code.as_str()),
        };
        FormState {
            status: fault.into(),
            errors: Fields::general(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_in_french_shows_no_sentence_of_a_service() {
        let french = PageLanguage {
            language: Language::French,
            prefix: "",
        };
        for (fault, text) in [
            (Fault::unavailable("test"), "Une partie du site"),
            (Fault::new(Code::Closed, "No."), "Tout est en lecture seule"),
            (Fault::new(Code::Limit, "Too many."), "(code limit"),
            (Fault::invalid_field("name", "Too long."), "(code invalid"),
        ] {
            let FormState { errors, .. } = french.refused_in_general(&fault);
            let shown = errors.general.unwrap();
            assert!(shown.contains(text), "{shown}");
            assert!(errors.by_name.is_empty());
        }
    }
}
