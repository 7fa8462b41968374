//! The check of a receiver: six rules, each with what was sent and what came back.

use askama::Template;

use super::{ServiceText, StateLabel};
use crate::field::Fields;
use crate::shell::Shell;

#[derive(Debug, Template)]
#[template(path = "webhooks/check.html")]
pub struct CheckPage {
    pub shell: Shell,
    pub errors: Fields,
    pub base: String,
    pub id: String,
    pub url: String,
    /// During a rotation: how long the old secret signs.
    pub rotating_until: Option<String>,
    /// Absent before the check.
    pub report: Option<CheckReport>,
}

#[derive(Debug)]
pub struct CheckReport {
    pub summary: String,
    pub is_good: bool,
    pub findings: Vec<FindingRow>,
}

#[derive(Debug)]
pub struct FindingRow {
    /// The number of the rule.
    pub rule: u32,
    pub title: ServiceText,
    pub state: StateLabel,
    /// Why it has not passed; empty if it has.
    pub reason: ServiceText,
    /// What only the owner can see.
    pub unseen: Option<ServiceText>,
    pub exchanges: Vec<ExchangeRow>,
}

#[derive(Debug)]
pub struct ExchangeRow {
    /// Names the element, so that it can be copied.
    pub id: String,
    pub title: ServiceText,
    pub is_right: bool,
    pub expected: u32,
    /// Status and time, or why there is no answer.
    pub result: ServiceText,
    /// A command that sends the same.
    pub curl: String,
    /// The beginning of the response's body.
    pub answer: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn text(english: &str) -> ServiceText {
        ServiceText::new(Language::English, None, english)
    }

    fn page(report: Option<CheckReport>) -> String {
        let page = CheckPage {
            shell: Shell::default(),
            errors: Fields::default(),
            base: "/accounts/a/webhooks".to_owned(),
            id: "e".to_owned(),
            url: "https://hooks.example/".to_owned(),
            rotating_until: None,
            report,
        };
        page.render().unwrap()
    }

    #[test]
    fn the_page_says_what_it_will_send() {
        let html = page(None);
        assert!(
            html.contains("action=\"/accounts/a/webhooks/e/check\""),
            "{html}"
        );
        for part in ["Run the check", "tampered with", "odd bodies"] {
            assert!(html.contains(part), "{html}");
        }
    }

    #[test]
    fn a_report_opens_what_went_wrong() {
        let exchange = |id: &str, is_right: bool| ExchangeRow {
            id: id.to_owned(),
            title: text("a message without a timestamp"),
            is_right,
            expected: 401,
            result: text("answered 200 in 35 ms"),
            curl: "curl -i 'https://hooks.example/' -H 'a: <b>'".to_owned(),
            answer: "<b>".to_owned(),
        };
        let finding = FindingRow {
            rule: 2,
            title: text("Answer 401"),
            state: StateLabel::bad("broken"),
            reason: text("It answered 200 instead of 401."),
            unseen: Some(text("Whether it compares in constant time.")),
            exchanges: vec![exchange("x1", true), exchange("x2", false)],
        };
        let report = CheckReport {
            summary: "1 of 6 rules is broken.".to_owned(),
            is_good: false,
            findings: vec![finding],
        };
        let html = page(Some(report));
        assert_eq!(html.matches("<details open>").count(), 1, "{html}");
        assert!(
            html.contains("Only you can see") && !html.contains("<b>"),
            "{html}"
        );
        assert!(html.contains("data-copy=\"x2\""), "{html}");
    }
}
