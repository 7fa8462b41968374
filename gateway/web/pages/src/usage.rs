//! What an account uses of its plan: the share of the month, and its calls by day.

use askama::Template;

use crate::bars::Columns;
use crate::frame::Frame;

#[derive(Debug, Template)]
#[template(path = "usage/show.html")]
pub struct AccountUsePage {
    pub frame: Frame,
    pub account: String,
    pub plan: String,
    pub month: MonthShare,
    /// The first and the last day of the counts.
    pub first_day: String,
    pub last_day: String,
    /// `None`: there was no call.
    pub columns: Option<Columns>,
    /// Newest first, without days that have no call.
    pub days: Vec<CountRow>,
}

/// What is used of a month. Numbers are grouped.
#[derive(Debug)]
pub struct MonthShare {
    /// For example `2026-11`.
    pub name: String,
    pub used: String,
    /// `None`: no limit.
    pub limit: Option<MonthLimit>,
    pub resets: String,
}

#[derive(Debug)]
pub struct MonthLimit {
    pub calls: String,
    pub left: String,
    /// For example `2.4 %`.
    pub share: String,
    /// The share in tenths of a percent, at most 1,000.
    pub permille: u64,
}

/// Calls of a day. The number is grouped.
#[derive(Debug)]
pub struct CountRow {
    pub day: String,
    pub calls: String,
}
