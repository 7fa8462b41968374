//! Bars: calls by day, drawn as SVG by the server.

use askama::Template;
use askama::filters::HtmlSafe;

use crate::when;

/// The drawing area in units of the SVG.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 28.0;
/// The share of its place that a column fills.
const FILL: f64 = 0.8;
/// The approximate number of lines in the grid.
const LINES: f64 = 4.0;

#[derive(Debug)]
struct Rect {
    x: String,
    y: String,
    width: String,
    height: String,
}

#[derive(Debug)]
struct GridLine {
    y: String,
    label: String,
}

/// A column for each day.
#[derive(Debug, Template)]
#[template(path = "part/columns.html")]
pub struct Columns {
    title: String,
    rects: Vec<Rect>,
    grid: Vec<GridLine>,
    first: String,
    last: String,
}

// Its template escapes every value.
impl HtmlSafe for Columns {}

impl Columns {
    /// `None` without any call. `first` and `last` name the ends.
    pub fn new(title: String, days: &[u64], first: String, last: String) -> Option<Self> {
        let highest = days.iter().copied().max().filter(|calls| *calls > 0)?;
        let (high, step) = bounds(length(highest));
        let count = length(u64::try_from(days.len()).unwrap_or(u64::MAX));
        let place = (WIDTH - LEFT - RIGHT) / count;
        let y = |value: f64| TOP + (high - value) / high * (HEIGHT - TOP - BOTTOM);
        let mut rects = Vec::new();
        let mut left = LEFT + place * (1.0 - FILL) / 2.0;
        for calls in days {
            if *calls > 0 {
                let top = y(length(*calls));
                rects.push(Rect {
                    x: units(left),
                    y: units(top),
                    width: units(place * FILL),
                    height: units(y(0.0) - top),
                });
            }
            left += place;
        }
        let lines = std::iter::successors(Some(0.0), |line| Some(line + step));
        let grid = lines.take_while(|line| *line <= high + step / 2.0).map(|line| GridLine {
            y: units(y(line)),
            label: when::grouped_decimal(&format!("{line:.0}")),
        });
        Some(Self { title, rects, grid: grid.collect(), first, last })
    }
}

/// A count as a length. More than four billion calls are drawn as so many.
fn length(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The highest line of the grid, and the distance between two lines, which is 1, 2 or 5 times a power of ten: calls are whole. A column of one
/// call is low, also in a picture without higher ones.
fn bounds(highest: f64) -> (f64, f64) {
    let highest = highest.max(LINES);
    let raw = highest / LINES;
    let power = 10_f64.powf(raw.log10().floor());
    let factor = match raw / power {
        it if it <= 1.0 => 1.0,
        it if it <= 2.0 => 2.0,
        it if it <= 5.0 => 5.0,
        _ => 10.0,
    };
    let step = power * factor;
    ((highest / step).ceil() * step, step)
}

fn units(position: f64) -> String {
    format!("{position:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(days: &[u64]) -> Option<Columns> {
        Columns::new(
            "<b>calls".to_owned(),
            days,
            "1 November 2026".to_owned(),
            "30 November 2026".to_owned(),
        )
    }

    #[test]
    fn every_column_is_inside_the_picture() {
        for days in [&[1][..], &[7, 0, 50_007], &[u64::from(u32::MAX), u64::MAX], &[4; 92]] {
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
    fn a_chart_is_labelled_and_absent_without_calls() {
        assert!(columns(&[]).is_none() && columns(&[0; 31]).is_none());
        let html = columns(&[9_000, 0, 1]).unwrap().render().unwrap();
        assert!(html.contains("role=\"img\"") && !html.contains("<b>"), "{html}");
        for part in ["1 November 2026", "30 November 2026", ">10,000<"] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert_eq!(html.matches("<rect").count(), 2, "{html}");
    }

    #[test]
    fn grid_lines_are_whole_calls() {
        assert_eq!(bounds(1.0), (4.0, 1.0));
        assert_eq!(bounds(5.0), (6.0, 2.0));
        assert_eq!(bounds(90.0), (100.0, 50.0));
    }
}
