//! Accounts: the list, a new one, and the start page of one.

use askama::Template;

use crate::field::{Field, Fields};
use crate::frame::Frame;
use crate::link::Link;
use crate::usage::MonthShare;

#[derive(Debug, Template)]
#[template(path = "account/list.html")]
pub struct ListPage {
    pub frame: Frame,
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
    pub frame: Frame,
    pub account: String,
    /// The parts that are not known, because their services do not answer.
    pub missing: Vec<&'static str>,
    pub steps: Vec<FirstStep>,
    pub for_you: Vec<TodayItem>,
    pub for_staff: Vec<TodayItem>,
    /// What has happened recently.
    pub recent: Vec<TodayItem>,
    pub month: Option<MonthShare>,
    pub plan: Option<String>,
    pub is_owner: bool,
}

impl TodayPage {
    fn name(&self) -> &str {
        let account = self.frame.account.as_ref();
        account.map_or("", |account| &account.name)
    }

    /// The lists of the page, with the keys of their headings.
    fn lists(&self) -> [(&'static str, &[TodayItem]); 3] {
        [
            ("today-for-you", &self.for_you),
            ("today-for-staff", &self.for_staff),
            ("today-lately", &self.recent),
        ]
    }
}

/// Something that waits or has happened, and its page.
#[derive(Debug, Clone)]
pub struct TodayItem {
    pub text: String,
    /// Why, what to do, or when; may be empty.
    pub detail: String,
    pub href: String,
}

impl TodayItem {
    pub fn new(text: impl Into<String>, href: impl Into<String>) -> Self {
        Self { text: text.into(), detail: String::new(), href: href.into() }
    }

    #[must_use]
    pub fn detail(self, text: impl Into<String>) -> Self {
        Self { detail: text.into(), ..self }
    }
}

/// A way to begin.
#[derive(Debug, Clone)]
pub struct FirstStep {
    pub title: &'static str,
    pub text: &'static str,
    pub button: &'static str,
    pub href: String,
}

#[derive(Debug, Template)]
#[template(path = "account/settings.html")]
pub struct AccountSettingsPage {
    pub frame: Frame,
    pub errors: Fields,
    pub id: String,
    pub name: Field,
}

/// The page where a person chooses an account.
#[derive(Debug, Template)]
#[template(path = "account/choose.html")]
pub struct ChooseAccountPage {
    pub frame: Frame,
    pub title: &'static str,
    pub question: &'static str,
    pub choices: Vec<Link>,
}
