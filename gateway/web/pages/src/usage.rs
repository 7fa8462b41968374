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

#[cfg(test)]
mod tests {
    use super::*;

    fn page(days: usize, limit: Option<MonthLimit>) -> String {
        let page = AccountUsePage {
            frame: Frame::default(),
            account: "a".to_owned(),
            plan: "<b>Free".to_owned(),
            month: MonthShare {
                name: "2026-11".to_owned(),
                used: "1,204".to_owned(),
                limit,
                resets: "2026-12-01 00:00 UTC".to_owned(),
            },
            first_day: "2026-10-24".to_owned(),
            last_day: "2026-11-23".to_owned(),
            columns: Columns::new(
                "Calls".to_owned(),
                &vec![1_204; days],
                "2026-10-24".to_owned(),
                "2026-11-23".to_owned(),
            ),
            days: (0..days)
                .map(|_| CountRow {
                    day: "2026-11-23".to_owned(),
                    calls: "1,204".to_owned(),
                })
                .collect(),
        };
        page.render().unwrap()
    }

    #[test]
    fn the_share_of_the_month_is_said_and_drawn() {
        let limit = MonthLimit {
            calls: "50,000".to_owned(),
            left: "48,796".to_owned(),
            share: "2.4 %".to_owned(),
            permille: 24,
        };
        let html = page(2, Some(limit));
        for part in [
            "<meter",
            "1,204 of 50,000",
            "2.4 %",
            "2026-12-01 00:00 UTC",
            "<rect",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("<b>Free"), "{html}");
        let html = page(2, None);
        assert!(
            html.contains("no monthly limit") && !html.contains("<meter"),
            "{html}"
        );
    }

    #[test]
    fn a_page_without_calls_has_no_chart() {
        let html = page(0, None);
        assert!(
            html.contains("No call") && !html.contains("<rect"),
            "{html}"
        );
    }
}
