//! Bars: counts of calls, stacked by their answers, drawn as SVG by the server.

use askama::Template;
use askama::filters::HtmlSafe;

use crate::language::Language;
use crate::plot::{GridLine, scale};
use crate::texts::Texts;
use crate::when;

/// The drawing area in units of the SVG.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 28.0;
/// The part of a column's place that it fills.
const FILL: f64 = 0.8;

/// Classes of the parts of a bar, and the keys of their names, in the order in which they are stacked.
pub const PARTS: [(&str, &str); 4] = [
    ("success", "usage-part-succeeded"),
    ("refused", "usage-part-refused"),
    ("limited", "usage-part-limited"),
    ("failed", "usage-part-failed"),
];

/// Counts in the order of [`PARTS`].
pub type Counts = [u64; 4];

#[derive(Debug)]
struct Rect {
    class: &'static str,
    x: String,
    y: String,
    width: String,
    height: String,
}

/// A column for each day.
#[derive(Debug, Template)]
#[template(path = "part/columns.html")]
pub struct Columns {
    title: String,
    /// Where its figures are.
    hint: &'static str,
    rects: Vec<Rect>,
    grid: Vec<GridLine>,
    first: String,
    last: String,
}

// Its template escapes every value.
impl HtmlSafe for Columns {}

impl Columns {
    /// `None` without any call. `first` and `last` name the ends.
    pub fn new(title: String, days: &[Counts], first: String, last: String) -> Option<Self> {
        let highest = days.iter().map(total).max().filter(|total| *total > 0)?;
        let (high, step) = bounds(length(highest));
        let count = length(u64::try_from(days.len()).unwrap_or(u64::MAX));
        let place = (WIDTH - LEFT - RIGHT) / count;
        let y = |value: f64| TOP + (high - value) / high * (HEIGHT - TOP - BOTTOM);
        let mut rects = Vec::new();
        let mut left = LEFT + place * (1.0 - FILL) / 2.0;
        for counts in days {
            let mut below = 0_u64;
            for (count, (class, _)) in counts.iter().zip(PARTS) {
                let above = below.saturating_add(*count);
                if *count > 0 {
                    let (top, bottom) = (y(length(above)), y(length(below)));
                    rects.push(Rect {
                        class,
                        x: units(left),
                        y: units(top),
                        width: units(place * FILL),
                        height: units(bottom - top),
                    });
                }
                below = above;
            }
            left += place;
        }
        let lines = std::iter::successors(Some(0.0), |line| Some(line + step));
        let grid = lines
            .take_while(|line| *line <= high + step / 2.0)
            .map(|line| GridLine {
                y: units(y(line)),
                label: when::grouped_decimal(&format!("{line:.0}")),
            });
        Some(Self {
            title,
            hint: Texts::of(Language::English).say("plot-hint"),
            rects,
            grid: grid.collect(),
            first,
            last,
        })
    }

    /// The same columns on a page in the language of these texts.
    #[must_use]
    pub fn in_language(mut self, texts: &'static Texts) -> Self {
        self.hint = texts.say("plot-hint");
        for line in &mut self.grid {
            line.label = texts.decimal(&line.label);
        }
        for day in [&mut self.first, &mut self.last] {
            *day = texts.day(day);
        }
        self
    }
}

fn total(counts: &Counts) -> u64 {
    counts
        .iter()
        .fold(0, |sum, count| sum.saturating_add(*count))
}

/// A count as a length. More than four billion calls are drawn as so many.
fn length(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The highest line of the grid, and the distance between two lines: calls are whole.
fn bounds(highest: f64) -> (f64, f64) {
    let (_, high, step) = scale(0.0, highest);
    if step < 1.0 {
        (highest.ceil(), 1.0)
    } else {
        (high, step)
    }
}

fn units(position: f64) -> String {
    format!("{position:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(days: &[Counts]) -> Option<Columns> {
        Columns::new(
            "<b>calls".to_owned(),
            days,
            "2026-11-01".to_owned(),
            "2026-11-30".to_owned(),
        )
    }

    #[test]
    fn every_column_is_inside_the_picture() {
        let most = u64::from(u32::MAX);
        for days in [
            &[[1, 0, 0, 0]][..],
            &[[3, 2, 1, 1], [0; 4], [50_000, 0, 7, 0]],
            &[[most, 0, 0, 0], [u64::MAX, 1, 1, u64::MAX]],
            &[[1, 1, 1, 1]; 92],
        ] {
            let plot = columns(days).unwrap();
            for rect in &plot.rects {
                let number = |text: &str| text.parse::<f64>().unwrap();
                let (x, y) = (number(&rect.x), number(&rect.y));
                assert!(x >= LEFT && x + number(&rect.width) <= WIDTH - RIGHT + 0.2);
                assert!(y >= TOP - 0.1, "{days:?}: {y}");
                assert!(y + number(&rect.height) <= HEIGHT - BOTTOM + 0.2);
            }
            assert!((2..=12).contains(&plot.grid.len()), "{days:?}");
        }
    }

    #[test]
    fn columns_are_named_and_need_a_call() {
        assert!(columns(&[]).is_none() && columns(&[[0; 4]; 31]).is_none());
        let html = columns(&[[1, 0, 1, 0]]).unwrap().render().unwrap();
        assert!(
            html.contains("role=\"img\"") && !html.contains("<b>"),
            "{html}"
        );
        assert!(html.contains("2026-11-01") && html.contains("2026-11-30"));
        assert_eq!(html.matches("<rect").count(), 2, "{html}");
        let french = columns(&[[9_000, 0, 0, 0]]).unwrap();
        let french = french.in_language(Texts::of(Language::French));
        let html = french.render().unwrap();
        for part in [
            "1er novembre 2026",
            "30 novembre 2026",
            ">10\u{202f}000<",
            "Le tableau ci-dessous donne les mêmes chiffres.",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn grid_lines_are_whole_calls() {
        assert_eq!(bounds(1.0), (1.0, 1.0));
        assert_eq!(bounds(3.0), (3.0, 1.0));
        assert_eq!(bounds(90.0), (100.0, 50.0));
    }
}
