//! What an account uses of its plan: the share of the month, and calls by day and by route.

use std::collections::BTreeMap;

use axum::extract::Query;
use contracts::gateway::v1 as proto;
use pages::bars::{Bar, Columns, Counts};
use pages::site::Texts;
use pages::usage::{AccountUsePage, CountRow, MonthLimit, MonthShare, Outcomes, RouteRow, Span};
use pages::when;
use serde::Deserialize;
use time::macros::format_description;
use time::{Date, OffsetDateTime};

use super::keys::mode_name;
use super::member_request::MemberRequest;
use super::other_accounts;
use crate::domain::pace::{Month, Projection};
use crate::domain::role::Permission;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::render::ok;
use crate::upstream::{minute_of, time_of};
use crate::viewer::Section;

/// Numbers of days to choose from, with the current one.
const SPANS: [u32; 3] = [7, 31, 92];
const DEFAULT_SPAN: u32 = 31;

#[derive(Debug, Default, Deserialize)]
pub struct UseQuery {
    #[serde(default)]
    days: String,
}

pub async fn show(request: MemberRequest, Query(query): Query<UseQuery>) -> PageResult {
    let days = query.days.parse().ok();
    let days = days
        .filter(|days| SPANS.contains(days))
        .unwrap_or(DEFAULT_SPAN);
    let (gateway, scope) = (&request.app.gateway, &request.scope);
    let language = request.language();
    let texts = language.texts();
    let (found, used, others) = futures::join!(
        gateway.account(scope.id),
        gateway.use_of(scope.id, days),
        other_accounts::of(&request.app, scope),
    );
    let (found, used) = (found?, used?);
    let account = found.account.ok_or_else(PageError::not_found)?;
    let shell = scope.shell(&request.viewer, &account.name, others, Section::Usage);
    let by_day = by_day(&used);
    let counts: Vec<Counts> = by_day.values().map(DayCounts::counts).collect();
    let (first, last) = (used.first_day.clone(), used.last_day.clone());
    let (first_day, last_day) = (texts.day(&first), texts.day(&last));
    let title = texts.say_of_two("usage-chart", &first_day, &last_day);
    let columns = Columns::new(title, &counts, first, last);
    let (used_month, now) = (found.month.unwrap_or_default(), request.app.clock.now());
    Ok(ok(&AccountUsePage {
        shell,
        account: scope.id.to_string(),
        plan: found.plan.map_or(account.plan, |plan| plan.title),
        month: month(texts, &used_month, now),
        spans: SPANS
            .map(|span| Span {
                days: span.into(),
                is_shown: span == days,
            })
            .into(),
        columns: columns.map(|columns| columns.in_language(texts)),
        days: day_rows(texts, &by_day),
        routes: route_rows(language, &used.rows),
        first_day,
        last_day,
        may_make_keys: request.may(Permission::Develop),
    }))
}

/// The calls of a month in words.
pub(super) fn month(texts: &Texts, month: &proto::MonthUse, now: OffsetDateTime) -> MonthShare {
    let limit = |limit| month_limit(texts, month.used, limit);
    let name = time_of(month.starts_at).map(|at| texts.month_of(at.date()));
    MonthShare {
        name: name.unwrap_or_default(),
        used: texts.number(month.used),
        limit: month.limit.map(limit),
        resets: minute_of(texts, month.resets_at),
        forecast: forecast(texts, month, now),
    }
}

/// How the month ends at its pace so far.
fn forecast(texts: &Texts, month: &proto::MonthUse, now: OffsetDateTime) -> Option<String> {
    let counted = Month {
        starts_at: time_of(month.starts_at)?,
        resets_at: time_of(month.resets_at)?,
        used: month.used,
        limit: month.limit,
    };
    let Projection { calls, limit_at } = counted.pace(now)?;
    let calls = texts.number(calls);
    let limit_at = limit_at.map(|at| when::day(texts, at));
    Some(match (month.limit, limit_at) {
        (_, Some(day)) => texts.say_of_two("usage-forecast-used-up", &day, &calls),
        (Some(_), None) => texts.say_of("usage-forecast-within", &calls),
        (None, None) => texts.say_of("usage-forecast", &calls),
    })
}

fn month_limit(texts: &Texts, used: u64, limit: u64) -> MonthLimit {
    let permille = u128::from(used) * 1_000 / u128::from(limit.max(1));
    let permille = u64::try_from(permille).unwrap_or(u64::MAX);
    let percent = texts.decimal(&format!("{}.{}", permille / 10, permille % 10));
    MonthLimit {
        calls: texts.number(limit),
        left: texts.number(limit.saturating_sub(used)),
        share: texts.say_of("usage-percent", &percent),
        permille: permille.min(1_000),
    }
}

/// The calls of one day; `live` counts those with live keys.
#[derive(Debug, Default)]
struct DayCounts {
    live: u64,
    sum: RouteCounts,
}

impl DayCounts {
    fn counts(&self) -> Counts {
        self.sum.counts()
    }
}

/// The sum of several rows.
#[derive(Debug, Default, Clone, Copy)]
struct RouteCounts {
    calls: u64,
    refused: u64,
    limited: u64,
    failed: u64,
}

impl RouteCounts {
    fn add(&mut self, row: &proto::RouteUse) {
        self.calls += row.calls;
        self.refused += row.client_errors;
        self.limited += row.rate_limited;
        self.failed += row.server_errors;
    }

    fn succeeded(&self) -> u64 {
        let others = self.refused + self.limited + self.failed;
        self.calls.saturating_sub(others)
    }

    fn counts(&self) -> Counts {
        [self.succeeded(), self.refused, self.limited, self.failed]
    }

    fn outcomes(&self, texts: &Texts) -> Outcomes {
        Outcomes {
            succeeded: texts.number(self.succeeded()),
            refused: texts.number(self.refused),
            limited: texts.number(self.limited),
            failed: texts.number(self.failed),
        }
    }
}

/// Every day of the list, also those without calls.
fn by_day(used: &proto::AccountsServiceListUseResponse) -> BTreeMap<Date, DayCounts> {
    let format = format_description!("[year]-[month]-[day]");
    let parse = |day: &str| Date::parse(day, format).ok();
    let mut days = BTreeMap::new();
    let (first, last) = (parse(&used.first_day), parse(&used.last_day));
    let all = std::iter::successors(first, |day| day.next_day());
    for day in all.take_while(|day| last.is_some_and(|last| *day <= last)) {
        days.insert(day, DayCounts::default());
    }
    for row in &used.rows {
        let Some(day) = parse(&row.day).and_then(|day| days.get_mut(&day)) else {
            continue;
        };
        day.sum.add(row);
        if row.mode == "live" {
            day.live += row.calls;
        }
    }
    days
}

/// The days with calls, newest first.
fn day_rows(texts: &Texts, days: &BTreeMap<Date, DayCounts>) -> Vec<CountRow> {
    let newest_first = days.iter().rev();
    let called = newest_first.filter(|(_, counts)| counts.sum.calls > 0);
    let rows = called.map(|(day, counts)| CountRow {
        day: texts.date(*day),
        live: texts.number(counts.live),
        test: texts.number(counts.sum.calls.saturating_sub(counts.live)),
        counts: counts.sum.outcomes(texts),
    });
    rows.collect()
}

/// Calls by route, method and mode; most first.
fn route_rows(language: PageLanguage, rows: &[proto::RouteUse]) -> Vec<RouteRow> {
    let texts = language.texts();
    let mut routes: BTreeMap<(&str, &str, &str), RouteCounts> = BTreeMap::new();
    for row in rows {
        let key = (row.route.as_str(), row.method.as_str(), row.mode.as_str());
        routes.entry(key).or_default().add(row);
    }
    let mut routes: Vec<_> = routes.into_iter().collect();
    routes.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.calls));
    let most = routes.first().map_or(0, |(_, counts)| counts.calls);
    let rows = routes
        .into_iter()
        .map(|((route, method, mode), counts)| RouteRow {
            method: method.to_owned(),
            path: Some(route)
                .filter(|route| *route != "none")
                .unwrap_or_default()
                .to_owned(),
            mode: mode_name(language, mode),
            calls: texts.number(counts.calls),
            counts: counts.outcomes(texts),
            bar: Bar::new(&counts.counts(), most),
        });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use pages::site::Language;

    use super::*;

    fn english() -> &'static Texts {
        Texts::of(Language::English)
    }

    fn used(day: &str, mode: &str, route: &str, calls: u64) -> proto::RouteUse {
        proto::RouteUse {
            day: day.to_owned(),
            mode: mode.to_owned(),
            method: "GET".to_owned(),
            route: route.to_owned(),
            calls,
            client_errors: 2,
            rate_limited: 1,
            server_errors: 0,
        }
    }

    fn month_of_calls() -> proto::AccountsServiceListUseResponse {
        proto::AccountsServiceListUseResponse {
            rows: vec![
                used("2026-02-27", "live", "/v1/games", 10),
                used("2026-03-01", "test", "/v1/games", 4),
                used("2026-03-01", "live", "none", 20),
                // A day outside the list is left out.
                used("2026-03-02", "live", "none", 20),
            ],
            first_day: "2026-02-27".to_owned(),
            last_day: "2026-03-01".to_owned(),
        }
    }

    #[test]
    fn every_day_has_its_column_and_those_with_calls_a_row() {
        let days = by_day(&month_of_calls());
        let counts: Vec<Counts> = days.values().map(DayCounts::counts).collect();
        assert_eq!(counts, [[7, 2, 1, 0], [0; 4], [18, 4, 2, 0]]);
        let rows = day_rows(english(), &days);
        let [newest, oldest] = &rows[..] else {
            panic!("{rows:?}");
        };
        assert_eq!(
            (newest.day.as_str(), oldest.day.as_str()),
            ("1 March 2026", "27 February 2026")
        );
        assert_eq!((newest.live.as_str(), newest.test.as_str()), ("20", "4"));
    }

    #[test]
    fn routes_stand_by_their_calls() {
        let rows = route_rows(PageLanguage::default(), &month_of_calls().rows);
        let shown: Vec<(&str, &str, &str)> = rows
            .iter()
            .map(|row| (row.path.as_str(), row.mode.as_str(), row.calls.as_str()))
            .collect();
        let expected = [
            ("", "live", "40"),
            ("/v1/games", "live", "10"),
            ("/v1/games", "test", "4"),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_month_says_how_it_will_end() {
        use kit::timestamp::encode;
        use time::macros::datetime;
        let now = datetime!(2026-11-11 00:00 UTC);
        let month = |used, limit| proto::MonthUse {
            starts_at: Some(encode(datetime!(2026-11-01 00:00 UTC))),
            resets_at: Some(encode(datetime!(2026-12-01 00:00 UTC))),
            used,
            limit,
        };
        for (used, limit, words) in [
            (
                1_204,
                Some(50_000),
                "about 3,600 at the end of the month, within the plan",
            ),
            (
                30_000,
                Some(50_000),
                "used up around 17 November 2026 (UTC)",
            ),
            (1_204, None, "about 3,600 at the end of the month."),
        ] {
            let text = forecast(english(), &month(used, limit), now).unwrap();
            assert!(text.contains(words), "{text}");
        }
        assert_eq!(forecast(english(), &month(0, None), now), None);
        let french = Texts::of(Language::French);
        let text = forecast(french, &month(30_000, Some(50_000)), now).unwrap();
        assert!(
            text.contains("épuisés vers le 17 novembre 2026 (UTC)")
                && text.contains("environ 90\u{202f}000"),
            "{text}"
        );
    }

    #[test]
    fn the_share_of_the_month_has_a_tenth() {
        for (used, limit, share, left) in [
            (0, 50_000, "0.0 %", "50,000"),
            (1_204, 50_000, "2.4 %", "48,796"),
            (49_999, 50_000, "99.9 %", "1"),
            (50_010, 50_000, "100.0 %", "0"),
            (5, 0, "500.0 %", "0"),
        ] {
            let limit = month_limit(english(), used, limit);
            assert_eq!((limit.share.as_str(), limit.left.as_str()), (share, left));
            assert!(limit.permille <= 1_000);
        }
        let limit = month_limit(Texts::of(Language::French), 1_204, 50_000);
        assert_eq!(
            (limit.share.as_str(), limit.left.as_str()),
            ("2,4\u{a0}%", "48\u{202f}796")
        );
    }
}
