//! The plans.

use askama::Template;

use crate::frame::Frame;

#[derive(Debug, Template)]
#[template(path = "usage/plans.html")]
pub struct ComparisonPage {
    pub frame: Frame,
    pub account: String,
    /// Cheapest first.
    pub plans: Vec<PlanColumn>,
    /// Who gives an account another plan; absent where the service has no address for that.
    pub staff_mail: Option<String>,
}

/// A plan. Numbers are grouped.
#[derive(Debug)]
pub struct PlanColumn {
    pub title: String,
    pub is_own: bool,
    /// Announced and not sold yet.
    pub is_coming: bool,
    /// Whether the account can ask for it.
    pub may_be_asked_for: bool,
    /// A link that opens a mail to staff about it; empty without their address.
    pub mailto: String,
    pub calls_per_minute: String,
    pub calls_per_month: String,
    pub keys: String,
    pub writes_per_day: String,
    pub webhooks: String,
    pub events: &'static str,
}

impl ComparisonPage {
    /// Those that the account can ask for.
    fn askable(&self) -> Vec<&PlanColumn> {
        let plans = self.plans.iter();
        plans.filter(|plan| plan.may_be_asked_for).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(title: &str, is_own: bool, is_coming: bool) -> PlanColumn {
        PlanColumn {
            title: title.to_owned(),
            is_own,
            is_coming,
            may_be_asked_for: !is_own && !is_coming,
            mailto: "mailto:staff@mchezo.example?subject=a\"b".to_owned(),
            calls_per_minute: "60".to_owned(),
            calls_per_month: "50,000".to_owned(),
            keys: "5".to_owned(),
            writes_per_day: "50".to_owned(),
            webhooks: "1".to_owned(),
            events: "test events only",
        }
    }

    #[test]
    fn a_coming_plan_is_marked_and_cannot_be_asked_for() {
        let page = ComparisonPage {
            frame: Frame::default(),
            account: "a".to_owned(),
            plans: vec![
                plan("Free", true, false),
                plan("Build", false, true),
                plan("<i>Partner & more", false, false),
            ],
            staff_mail: Some("staff@mchezo.example".to_owned()),
        };
        let html = page.render().unwrap();
        assert!(
            html.contains("coming") && html.contains("your plan"),
            "{html}"
        );
        assert_eq!(html.matches("mailto:").count(), 1, "{html}");
        assert!(!html.contains("a\"b"), "{html}");
        assert!(!html.contains("<i>"), "{html}");
        assert!(!html.contains("Ask for Build"), "{html}");
    }
}
