//! The deliveries to an address by day, on the page of the address.

use crate::bars::{Columns, Counts, PARTS};
use crate::site::Texts;

/// The last days, as a drawing and in figures.
#[derive(Debug)]
pub struct DeliveryDays {
    /// The number of days.
    pub count: u64,
    /// Absent if no delivery has ended on these days.
    pub columns: Option<Columns>,
    /// Classes and names of the parts of a column.
    pub legend: [(&'static str, &'static str); 2],
    /// The days with deliveries, newest first.
    pub rows: Vec<DayRow>,
    /// Older deliveries were not counted.
    pub is_cut_off: bool,
}

/// Numbers are grouped.
#[derive(Debug)]
pub struct DayRow {
    pub day: String,
    pub delivered: String,
    pub failed: String,
}

/// The deliveries of one day, such as `2026-11-30`, by how they ended.
#[derive(Debug, Clone)]
pub struct DayCounts {
    pub day: String,
    pub delivered: u64,
    pub failed: u64,
}

impl DayCounts {
    /// As the parts of a column, which may also be of calls.
    fn counts(&self) -> Counts {
        [self.delivered, 0, 0, self.failed]
    }

    fn is_empty(&self) -> bool {
        self.delivered == 0 && self.failed == 0
    }
}

impl DeliveryDays {
    /// `days` are all days of the drawing, oldest first; `None` without one.
    pub fn new(texts: &'static Texts, days: &[DayCounts], is_cut_off: bool) -> Option<Self> {
        let (first, last) = (days.first()?, days.last()?);
        let title = texts.say_of_two(
            "delivery-days",
            &texts.day(&first.day),
            &texts.day(&last.day),
        );
        let counts: Vec<Counts> = days.iter().map(DayCounts::counts).collect();
        let columns = Columns::new(title, &counts, first.day.clone(), last.day.clone());
        let rows = days.iter().rev().filter(|day| !day.is_empty());
        let [(delivered, _), _, _, (failed, _)] = PARTS;
        Some(Self {
            count: u64::try_from(days.len()).unwrap_or(u64::MAX),
            columns: columns.map(|columns| columns.in_language(texts)),
            legend: [
                (delivered, texts.say("delivery-state-delivered")),
                (failed, texts.say("delivery-state-failed")),
            ],
            rows: rows
                .map(|day| DayRow {
                    day: texts.day(&day.day),
                    delivered: texts.number(day.delivered),
                    failed: texts.number(day.failed),
                })
                .collect(),
            is_cut_off,
        })
    }
}

#[cfg(test)]
mod tests {
    use askama::Template as _;

    use super::*;
    use crate::site::Language;

    fn days(counts: &[(u64, u64)]) -> Option<DeliveryDays> {
        let days = (1..)
            .zip(counts)
            .map(|(day, (delivered, failed))| DayCounts {
                day: format!("2026-11-{day:02}"),
                delivered: *delivered,
                failed: *failed,
            });
        let days: Vec<DayCounts> = days.collect();
        DeliveryDays::new(Texts::of(Language::English), &days, false)
    }

    #[test]
    fn days_without_a_delivery_have_no_row() {
        let days = days(&[(4_000, 0), (0, 0), (0, 2)]).unwrap();
        let rows = days.rows.iter();
        let rows: Vec<_> = rows
            .map(|row| {
                (
                    row.day.as_str(),
                    row.delivered.as_str(),
                    row.failed.as_str(),
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                ("3 November 2026", "0", "2"),
                ("1 November 2026", "4,000", "0")
            ]
        );
        let html = days.columns.unwrap().render().unwrap();
        // As in the legend.
        for (class, _) in days.legend {
            let part = format!("<rect class=\"{class}\"");
            assert_eq!(html.matches(&part).count(), 1, "{html}");
        }
    }

    #[test]
    fn days_without_any_delivery_have_no_drawing() {
        let none = days(&[(0, 0); 14]).unwrap();
        assert!(none.columns.is_none() && none.rows.is_empty());
        assert_eq!(none.count, 14);
        assert!(days(&[]).is_none());
    }
}
