//! The figures of a currency: the newest counted report compared with the counted reports before it (§2.7).

use time::OffsetDateTime;

use super::ratio::Ratio;
use super::report::Report;

/// A report that counts.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedReport {
    pub at: OffsetDateTime,
    /// Time of the game's report before this one, whether that one counts, is held or was rejected. The first report has none.
    pub previous_at: Option<OffsetDateTime>,
    /// Whether it is the first in a new unit of the currency.
    pub new_unit: bool,
    pub report: Report,
}

/// Changes between counted reports, in percent; `None` without a report to compare with, or if its value was 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Of the basket's cost.
    pub inflation: Option<f64>,
    /// Of the supply.
    pub money_growth: Option<f64>,
    /// Of the output per day. Each report's output is divided by the time since the game's report before it, whether that one counts or not,
    /// since the output was earned in this time.
    pub growth: Option<f64>,
}

impl Figures {
    /// Compares a counted report with the counted report before it, if both have the same unit.
    pub fn new(now: &CountedReport, before: Option<&CountedReport>) -> Self {
        let before = before.filter(|_| !now.new_unit);
        let change = |of: fn(&CountedReport) -> Option<Ratio>| of(now)?.change_pct(of(before?)?);
        Self {
            inflation: change(|counted| Ratio::new(counted.report.basket.cost().into(), 1)),
            money_growth: change(|counted| Ratio::new(counted.report.supply.into(), 1)),
            growth: change(output_per_time),
        }
    }
}

/// Output per microsecond of the report's interval. The unit cancels out in the comparison.
fn output_per_time(counted: &CountedReport) -> Option<Ratio> {
    let interval = (counted.at - counted.previous_at?).whole_microseconds();
    Ratio::new(counted.report.output.into(), interval)
}

#[cfg(test)]
mod tests {
    use contracts::public::Number;
    use time::Duration;
    use time::macros::datetime;

    use super::super::report::tests::body;
    use super::*;

    const START: OffsetDateTime = datetime!(2026-03-01 00:00 UTC);

    /// A report `hours` after the start; the report before it was `interval` hours earlier, or 0 if there was none.
    fn counted(
        (hours, interval): (i64, i64),
        supply: u64,
        meal: u64,
        output: u64,
    ) -> CountedReport {
        let mut report = Report::parse(&body().to_string()).unwrap();
        (report.supply, report.output) = (supply, output);
        report.basket.meal = meal;
        (report.basket.ride, report.basket.wage, report.basket.rent) = (0, 0, 0);
        CountedReport {
            at: START + Duration::hours(hours),
            previous_at: (interval > 0).then(|| START + Duration::hours(hours - interval)),
            new_unit: false,
            report,
        }
    }

    fn printed(now: &CountedReport, before: Option<&CountedReport>) -> [Option<String>; 3] {
        let figures = Figures::new(now, before);
        [figures.inflation, figures.money_growth, figures.growth]
            .map(|figure| figure.map(|figure| Number(figure).to_string()))
    }

    #[test]
    fn a_figure_without_an_earlier_report_is_absent() {
        let first = counted((0, 0), 5, 5, 5);
        let second = counted((48, 48), 1_000, 10, 800);
        let third = counted((72, 24), 1_100, 12, 600);
        assert_eq!(printed(&first, None), [None, None, None]);
        let [_, _, growth] = printed(&second, Some(&first));
        assert_eq!(growth, None, "the first report has no interval");
        // Output of 600 in one day after 800 in two days: 600 a day after 400 a day.
        let percent = ["20", "10", "50"].map(|text| Some(text.to_owned()));
        assert_eq!(printed(&third, Some(&second)), percent);
    }

    #[test]
    fn a_report_in_a_new_unit_is_compared_with_none_before() {
        let before = counted((24, 24), 1_000, 10, 800);
        let mut now = counted((48, 24), 10, 1, 8);
        now.new_unit = true;
        assert_eq!(printed(&now, Some(&before)), [None, None, None]);
        let next = counted((72, 24), 11, 1, 16);
        let percent = ["0", "10", "100"].map(|text| Some(text.to_owned()));
        assert_eq!(printed(&next, Some(&now)), percent);
    }

    #[test]
    fn growth_uses_the_interval_of_each_report() {
        // The previous report need not be `before`: the growth rate uses the report's own interval.
        let before = counted((24, 24), 1, 1, 100);
        let now = counted((72, 24), 1, 1, 100);
        assert_eq!(printed(&now, Some(&before))[2].as_deref(), Some("0"));
    }

    #[test]
    fn a_change_from_zero_has_no_figure() {
        let (now, before) = (counted((3, 1), 1_000, 10, 10), counted((2, 1), 0, 10, 0));
        assert_eq!(printed(&now, Some(&before)), [Some("0".to_owned()), None, None]);
    }
}
