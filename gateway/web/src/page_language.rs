//! The language of a page of people and of their accounts.

use axum::response::Response;
use http::header::ACCEPT_LANGUAGE;
use http::{HeaderMap, Uri};
use kit::{Code, Fault};
use pages::Shell;
use pages::site::{Language, Texts};

use crate::page_error::PageError;
use crate::render::{FormState, refusal, see_other};
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

    /// A form that a service refused, with its sentences, which are in English.
    ///
    /// Sentences of this service come as faults as well, in the language of the page. They are texts, except that of too large a file.
    ///
    /// # Errors
    /// That of [`refusal`].
    pub fn refused(
        self,
        fault: Fault,
        fields: &[&str],
        renamed: &[(&str, &str)],
    ) -> Result<FormState, PageError> {
        let fault = refusal(fault)?;
        let mut refused = FormState::refused(&fault, fields, renamed);
        let texts = self.texts();
        let is_own = |text: &str| fault.code == Code::TooLarge || texts.has(text);
        refused.errors.unmark(is_own);
        Ok(refused)
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    fn french(fault: Fault) -> pages::Fields {
        let language = PageLanguage {
            language: Language::French,
            prefix: "",
        };
        let refused = language.refused(fault, &["name"], &[]).unwrap();
        refused.errors.in_language(language.language)
    }

    #[test]
    fn sentences_of_services_are_marked() {
        let errors = french(Fault::invalid_field("name", "Too long."));
        assert!(errors.is_foreign("name"));
        let errors = french(Fault::new(Code::Limit, "Too many."));
        assert_eq!(errors.general.as_deref(), Some("Too many."));
        assert!(errors.is_general_foreign());
    }

    #[test]
    fn only_a_refusal_shows_the_form_again() {
        for (code, answer) in [
            (Code::Invalid, None),
            (Code::PlanRequired, None),
            (Code::RateLimited, None),
            (Code::NotFound, Some(StatusCode::NOT_FOUND)),
            (Code::Closed, Some(StatusCode::SERVICE_UNAVAILABLE)),
            (Code::Unavailable, Some(StatusCode::SERVICE_UNAVAILABLE)),
            (Code::OutcomeUnknown, Some(StatusCode::SERVICE_UNAVAILABLE)),
            (Code::Internal, Some(StatusCode::INTERNAL_SERVER_ERROR)),
        ] {
            let fault = Fault::new(code, "No.");
            let refused = PageLanguage::default().refused(fault, &[], &[]);
            assert_eq!(refused.err().map(|error| error.status), answer, "{code:?}");
        }
    }

    #[test]
    fn sentences_of_this_service_are_in_the_language_of_the_page() {
        let own = Texts::of(Language::French).say("password-wrong");
        let errors = french(Fault::new(Code::Invalid, own));
        assert_eq!(errors.general.as_deref(), Some(own));
        assert!(!errors.is_general_foreign());
        let errors = french(Fault::invalid_field("name", own));
        assert!(!errors.is_foreign("name"));
        let large = Fault::new(Code::TooLarge, "Au plus 10 Mo.");
        assert!(!french(large).is_general_foreign());
    }
}
