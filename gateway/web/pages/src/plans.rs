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
