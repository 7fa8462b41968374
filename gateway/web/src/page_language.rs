//! The language of a page of people and of their accounts.

use http::{HeaderMap, Uri};
use kit::{Code, Fault};
use pages::Shell;
use pages::site::{Language, Texts};

use crate::render::FormState;
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

    /// A form that a service refused. The sentences of services are in English; those that any of them may say are replaced.
    pub fn refused(self, fault: &Fault, fields: &[&str], renamed: &[(&str, &str)]) -> FormState {
        let mut refused = FormState::refused_renamed(fault, fields, renamed);
        let key = match fault.code {
            Code::Unavailable => "fault-unavailable",
            Code::Closed => "fault-closed",
            Code::IdempotencyMismatch => "fault-sent-before",
            _ => return refused,
        };
        if self.language != Language::English && refused.errors.general.is_some() {
            refused.errors.set_general(self.say(key));
        }
        refused
    }
}
