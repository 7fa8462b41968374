//! Accounts: the list, a new one, and the overview of one.

use askama::Template;

use crate::field::{Field, Fields};
use crate::shell::Shell;

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
    pub role: &'static str,
}

#[derive(Debug, Template)]
#[template(path = "account/overview.html")]
pub struct OverviewPage {
    pub shell: Shell,
    pub id: String,
    pub name: String,
    pub plan: String,
    pub role: &'static str,
    /// Calls of the month, grouped; absent when they cannot be read.
    pub calls: Option<String>,
    /// The calls that the plan includes; absent without a limit.
    pub month_limit: Option<String>,
    pub keys: u64,
    /// Whether the person may make keys.
    pub may_make_keys: bool,
    pub is_owner: bool,
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

    fn overview(keys: u64) -> String {
        let page = OverviewPage {
            shell: Shell::default(),
            id: "a".to_owned(),
            name: "Savanna <i>".to_owned(),
            plan: "Free".to_owned(),
            role: "owner",
            calls: Some("1,204".to_owned()),
            month_limit: Some("50,000".to_owned()),
            keys,
            may_make_keys: true,
            is_owner: true,
        };
        page.render().unwrap()
    }

    #[test]
    fn an_account_without_keys_says_what_to_do_next() {
        assert!(overview(0).contains("Make the first key"));
        assert!(!overview(2).contains("Make the first key"));
        assert!(!overview(2).contains("<i>"));
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
