//! The figures of a currency: the newest counted report compared with the counted reports before it (§2.7).

use time::OffsetDateTime;

use super::ratio::Ratio;
use super::report::Report;

/// A report that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedReport {
    pub at: OffsetDateTime,
    pub report: Report,
}

/// Changes between counted reports, in percent. `None`: there is no report to compare with, or its value was 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Of the basket's cost.
    pub inflation: Option<Ratio>,
    /// Of the supply.
    pub money_growth: Option<Ratio>,
    /// Of the output per day, over each report's own interval.
    pub growth: Option<Ratio>,
}

impl Figures {
    /// Computes the figures from the newest three counted reports, the newest first. Growth needs the third: a report's output belongs to
    /// the interval since the report before.
    pub fn of(newest: &[CountedReport]) -> Self {
        let change = |of: fn(&Report) -> u64| {
            let (now, before) = (newest.first()?, newest.get(1)?);
            let amount = |counted: &CountedReport| Ratio::new(u128::from(of(&counted.report)), 1);
            amount(now)?.change_pct(amount(before)?)
        };
        Self {
            inflation: change(|report| report.basket.cost()),
            money_growth: change(|report| report.supply),
            growth: growth(newest),
        }
    }
}

fn growth(newest: &[CountedReport]) -> Option<Ratio> {
    let [now, before, first] = newest.first_chunk()?;
    output_per_time(now, before)?.change_pct(output_per_time(before, first)?)
}

/// Output per microsecond of a report's interval. The unit cancels out in the comparison.
fn output_per_time(report: &CountedReport, before: &CountedReport) -> Option<Ratio> {
    let interval = (report.at - before.at).whole_microseconds();
    let interval = u128::try_from(interval).ok()?;
    Ratio::new(u128::from(report.report.output), interval)
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::super::report::tests::body;
    use super::*;

    fn counted(hours: i64, supply: u64, meal: u64, output: u64) -> CountedReport {
        let mut report = Report::read(&body().to_string()).unwrap();
        (report.supply, report.output) = (supply, output);
        report.basket.meal = meal;
        (report.basket.ride, report.basket.wage, report.basket.rent) = (0, 0, 0);
        CountedReport {
            at: datetime!(2026-03-01 00:00 UTC) + Duration::hours(hours),
            report,
        }
    }

    fn printed(newest: &[CountedReport]) -> [Option<String>; 3] {
        let figures = Figures::of(newest);
        [figures.inflation, figures.money_growth, figures.growth]
            .map(|figure| figure.map(|figure| figure.to_string()))
    }

    #[test]
    fn each_figure_needs_its_reports() {
        let reports = [
            counted(72, 1_100, 12, 600),
            counted(48, 1_000, 10, 800),
            counted(0, 5, 5, 5),
        ];
        assert_eq!(printed(&[]), [None, None, None]);
        assert_eq!(printed(&reports[..1]), [None, None, None]);
        let two = [Some("20".to_owned()), Some("10".to_owned()), None];
        assert_eq!(printed(&reports[..2]), two);
        // 600 in one day against 800 in two: 600 a day against 400.
        let three = printed(&reports);
        assert_eq!(three[2].as_deref(), Some("50"));
    }

    #[test]
    fn against_nothing_there_is_no_figure() {
        let reports = [
            counted(3, 1_000, 10, 10),
            counted(2, 0, 10, 0),
            counted(1, 0, 10, 0),
        ];
        assert_eq!(printed(&reports), [Some("0".to_owned()), None, None]);
    }
}
