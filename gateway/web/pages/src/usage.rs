//! What an account uses of its plan: the share of the month, and calls by day and by route.

use askama::Template;

use crate::bars::{Bar, Columns, PARTS};
use crate::shell::Shell;

#[derive(Debug, Template)]
#[template(path = "usage/show.html")]
pub struct AccountUsePage {
    pub shell: Shell,
    pub account: String,
    pub plan: String,
    pub month: MonthShare,
    pub spans: Vec<Span>,
    /// The first and the last day of the counts.
    pub first_day: String,
    pub last_day: String,
    /// `None`: there was no call.
    pub columns: Option<Columns>,
    /// Newest first, without days that have no call.
    pub days: Vec<CountRow>,
    /// Most calls first.
    pub routes: Vec<RouteRow>,
    pub may_make_keys: bool,
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
    /// How it ends at its pace so far; absent if that says nothing yet.
    pub forecast: Option<String>,
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

/// A number of days to choose.
#[derive(Debug)]
pub struct Span {
    pub days: u64,
    pub is_shown: bool,
}

/// Calls of a day. Numbers are grouped.
#[derive(Debug)]
pub struct CountRow {
    pub day: String,
    pub live: String,
    pub test: String,
    pub counts: Outcomes,
}

/// Calls to a route. Numbers are grouped.
#[derive(Debug)]
pub struct RouteRow {
    /// Method and path; the path is empty for those that do not exist.
    pub method: String,
    pub path: String,
    pub mode: String,
    pub calls: String,
    pub counts: Outcomes,
    pub bar: Bar,
}

/// How calls were answered. Numbers are grouped.
#[derive(Debug)]
pub struct Outcomes {
    pub succeeded: String,
    pub refused: String,
    pub limited: String,
    pub failed: String,
}

impl AccountUsePage {
    /// Classes and names of the parts of a bar.
    fn bar_parts(&self) -> [(&'static str, &'static str); 4] {
        PARTS.map(|(class, name)| (class, self.shell.say(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes() -> Outcomes {
        Outcomes {
            succeeded: "1,200".to_owned(),
            refused: "3".to_owned(),
            limited: "1".to_owned(),
            failed: "0".to_owned(),
        }
    }

    fn page(days: usize, limit: Option<MonthLimit>) -> String {
        let counts = [1_200, 3, 1, 0];
        let page = AccountUsePage {
            shell: Shell::default(),
            account: "a".to_owned(),
            plan: "<b>Free".to_owned(),
            month: MonthShare {
                name: "2026-11".to_owned(),
                used: "1,204".to_owned(),
                limit,
                resets: "2026-12-01 00:00 UTC".to_owned(),
                forecast: Some("At this pace it will be about 3,600.".to_owned()),
            },
            spans: [7, 31]
                .map(|days| Span {
                    days,
                    is_shown: days == 31,
                })
                .into(),
            first_day: "2026-10-24".to_owned(),
            last_day: "2026-11-23".to_owned(),
            columns: Columns::new(
                "Calls".to_owned(),
                &vec![counts; days],
                "2026-10-24".to_owned(),
                "2026-11-23".to_owned(),
            ),
            days: (0..days)
                .map(|_| CountRow {
                    day: "2026-11-23".to_owned(),
                    live: "1,204".to_owned(),
                    test: "0".to_owned(),
                    counts: outcomes(),
                })
                .collect(),
            routes: (0..days)
                .map(|_| RouteRow {
                    method: "GET".to_owned(),
                    path: "/v1/games/{slug}".to_owned(),
                    mode: "live".to_owned(),
                    calls: "1,204".to_owned(),
                    counts: outcomes(),
                    bar: Bar::new(&counts, 1_204),
                })
                .collect(),
            may_make_keys: true,
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
            "At this pace",
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
    fn a_page_without_calls_says_what_to_do() {
        let html = page(0, None);
        assert!(
            html.contains("No call yet") && html.contains("/accounts/a/keys/new"),
            "{html}"
        );
        assert!(!html.contains("<rect"), "{html}");
    }

    #[test]
    fn three_months_are_small() {
        let html = page(92, None);
        assert!(html.len() < 100_000, "{}", html.len());
    }
}
