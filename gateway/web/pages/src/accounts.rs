//! Accounts: the list, a new one, and the start page of one.

use askama::Template;

use crate::field::{Field, Fields};
use crate::shell::{Sentence, Shell};
use crate::usage::MonthShare;

#[derive(Debug, Template)]
#[template(path = "account/list.html")]
pub struct ListPage {
    pub shell: Shell,
    pub errors: Fields,
    pub accounts: Vec<AccountRow>,
    pub name: Field,
    /// Marks a form, so that sending it twice makes one account.
    pub form: String,
}

#[derive(Debug)]
pub struct AccountRow {
    pub id: String,
    pub name: String,
    /// In words.
    pub role: &'static str,
}

/// The start page of an account.
#[derive(Debug, Template)]
#[template(path = "account/today.html")]
pub struct TodayPage {
    pub shell: Shell,
    pub account: String,
    /// The parts that are not known, because their services do not answer.
    pub missing: Vec<&'static str>,
    /// The first steps of a new account.
    pub guides: Vec<Guide>,
    pub for_you: Vec<NewsItem>,
    pub for_staff: Vec<NewsItem>,
    pub failed: Vec<NewsItem>,
    pub month: Option<MonthShare>,
    /// Newest first.
    pub changes: Vec<PastAction>,
    pub plan: Option<String>,
    /// The number of working keys.
    pub keys: Option<String>,
    /// The role of the viewer, in words.
    pub role: &'static str,
    pub is_owner: bool,
}

impl TodayPage {
    fn name(&self) -> &str {
        let account = self.shell.account.as_ref();
        account.map_or("", |account| &account.name)
    }

    /// The lists of the page, with the keys of their headings.
    fn news(&self) -> [(&'static str, &[NewsItem]); 3] {
        [
            ("today-for-you", &self.for_you),
            ("today-failed", &self.failed),
            ("today-for-staff", &self.for_staff),
        ]
    }
}

/// What somebody should know or do, and the page where.
#[derive(Debug, Clone)]
pub struct NewsItem {
    pub text: String,
    /// Why, and what to do; may be empty.
    pub details: Vec<Sentence>,
    pub href: String,
}

impl NewsItem {
    pub fn new(text: impl Into<String>, href: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            details: Vec::new(),
            href: href.into(),
        }
    }

    /// Adds a sentence in the language of the page, unless it is empty.
    #[must_use]
    pub fn detail(self, text: impl Into<String>) -> Self {
        self.sentence(Sentence::of_page(text))
    }

    /// Adds a sentence, unless it is empty.
    #[must_use]
    pub fn sentence(mut self, sentence: Sentence) -> Self {
        if !sentence.text.is_empty() {
            self.details.push(sentence);
        }
        self
    }
}

/// What somebody did in the account.
#[derive(Debug, Clone)]
pub struct PastAction {
    pub at: String,
    pub author: String,
    pub what: String,
}

/// A guide to begin, in steps.
#[derive(Debug, Clone)]
pub struct Guide {
    pub title: &'static str,
    pub text: &'static str,
    pub steps: Vec<Step>,
}

impl Guide {
    /// The first step that is not done.
    pub fn next_step(&self) -> Option<&Step> {
        self.steps.iter().find(|step| !step.is_done)
    }
}

#[derive(Debug, Clone)]
pub struct Step {
    pub text: &'static str,
    pub href: String,
    pub is_done: bool,
}

impl Step {
    pub fn new(text: &'static str, href: impl Into<String>, is_done: bool) -> Self {
        Self {
            text,
            href: href.into(),
            is_done,
        }
    }
}

#[derive(Debug, Template)]
#[template(path = "account/settings.html")]
pub struct AccountSettingsPage {
    pub shell: Shell,
    pub errors: Fields,
    pub id: String,
    pub name: Field,
    pub email: Field,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::shell::AccountNav;

    fn step(is_done: bool) -> Step {
        Step::new("Create the first key", "/accounts/a/keys/new", is_done)
    }

    fn today() -> TodayPage {
        TodayPage {
            shell: Shell {
                account: Some(AccountNav {
                    name: "Savanna <i>".to_owned(),
                    ..AccountNav::default()
                }),
                ..Shell::default()
            },
            account: "a".to_owned(),
            missing: Vec::new(),
            guides: Vec::new(),
            for_you: Vec::new(),
            for_staff: Vec::new(),
            failed: Vec::new(),
            month: None,
            changes: Vec::new(),
            plan: Some("Free".to_owned()),
            keys: Some("2".to_owned()),
            role: "owner",
            is_owner: true,
        }
    }

    #[test]
    fn first_steps_tick_themselves_off() {
        let guide = |first, second| Guide {
            title: "Use the API",
            text: "Read games.",
            steps: vec![
                step(first),
                Step::new("Add a webhook", "/accounts/a/webhooks/new", second),
            ],
        };
        let html = |guides| TodayPage { guides, ..today() }.render().unwrap();
        let button = |path: &str| format!("<a class=\"button\" href=\"/accounts/a/{path}\">");
        let begins = html(vec![guide(false, false)]);
        assert!(begins.contains(&button("keys/new")), "{begins}");
        let goes_on = html(vec![guide(true, false)]);
        assert!(goes_on.contains(&button("webhooks/new")), "{goes_on}");
        assert_eq!(goes_on.matches(">done<").count(), 1, "{goes_on}");
        assert!(guide(true, true).next_step().is_none());
    }

    #[test]
    fn a_page_without_news_says_so_and_one_without_a_service_too() {
        let html = today().render().unwrap();
        assert!(html.contains("All done."), "{html}");
        assert!(!html.contains("<i>"), "{html}");
        let heading = "<h1>Today, <bdi>Savanna &#60;i&#62;</bdi></h1>";
        assert!(html.contains(heading), "{html}");
        let name = "<strong><bdi>Savanna &#60;i&#62;</bdi></strong>";
        assert!(html.contains(name), "{html}");
        let page = TodayPage {
            missing: vec!["webhooks", "listings"],
            ..today()
        };
        let html = page.render().unwrap();
        assert!(html.contains("webhooks, listings"), "{html}");
        assert!(!html.contains("All done."), "{html}");
    }

    #[test]
    fn news_are_text_and_lead_on() {
        let item = || {
            let item = NewsItem::new("<b>Okoto", "/accounts/a/listings");
            let item = item.detail("<b>Too short");
            item.sentence(Sentence::of_service("It <b>waits."))
        };
        let page = TodayPage {
            for_you: vec![item()],
            failed: vec![item()],
            ..today()
        };
        let html = page.render().unwrap();
        let details = ">&#60;b&#62;Too short It &#60;b&#62;waits.</span>";
        assert!(html.contains(details), "{html}");
        assert!(html.contains("Waiting for you") && html.contains("What failed"));
        assert!(!html.contains("Waiting for staff") && !html.contains("<b>"));
        assert!(html.contains("href=\"/accounts/a/listings\""), "{html}");
    }

    #[test]
    fn a_sentence_of_a_service_is_marked_on_a_page_in_another_language() {
        let item = NewsItem::new("Okoto", "/accounts/a/listings");
        let item = item.detail("La plus récente");
        let item = item.sentence(Sentence::of_service("It waits."));
        let mut page = TodayPage {
            failed: vec![item],
            ..today()
        };
        page.shell.language = Language::French;
        let html = page.render().unwrap();
        let details = ">La plus récente <span lang=\"en\">It waits.</span></span>";
        assert!(html.contains(details), "{html}");
        assert!(html.contains("<h2>Ce qui a échoué</h2>"), "{html}");
    }
}

/// The page where a person chooses an account.
#[derive(Debug, Template)]
#[template(path = "account/choose.html")]
pub struct ChooseAccountPage {
    pub shell: Shell,
    pub title: &'static str,
    pub question: &'static str,
    pub choices: Vec<AccountChoice>,
}

#[derive(Debug)]
pub struct AccountChoice {
    pub href: String,
    pub name: String,
}
