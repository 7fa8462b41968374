//! Plots: a line of values over time, drawn as SVG by the server.

use askama::Template;
use askama::filters::HtmlSafe;
use time::{OffsetDateTime, UtcOffset};

use crate::language::Language;
use crate::texts::Texts;

/// The drawing area in units of the SVG.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 28.0;
/// About so many lines of the grid.
const LINES: f64 = 4.0;

/// A line over time.
#[derive(Debug, Template)]
#[template(path = "part/plot.html")]
pub struct Plot {
    title: String,
    /// Where its figures are.
    hint: String,
    /// The points of the line, as SVG takes them.
    line: String,
    dots: Vec<(String, String)>,
    grid: Vec<GridLine>,
    first: String,
    last: String,
}

// Its template escapes every value.
impl HtmlSafe for Plot {}

#[derive(Debug)]
pub(crate) struct GridLine {
    pub(crate) y: String,
    pub(crate) label: String,
}

impl Plot {
    /// `None` with fewer than two values.
    pub fn new(title: String, values: &[(OffsetDateTime, f64)]) -> Option<Self> {
        let finite = values.iter().filter(|(_, value)| value.is_finite());
        let values: Vec<(OffsetDateTime, f64)> = finite.copied().collect();
        let ((first, _), (last, _)) = (values.first()?, values.last()?);
        let span = (*last - *first).as_seconds_f64();
        if span <= 0.0 {
            return None;
        }
        let lowest = values
            .iter()
            .map(|(_, value)| *value)
            .fold(f64::INFINITY, f64::min);
        let highest = values
            .iter()
            .map(|(_, value)| *value)
            .fold(f64::NEG_INFINITY, f64::max);
        let (low, high, step) = scale(lowest, highest);
        let x = |at: OffsetDateTime| {
            LEFT + (at - *first).as_seconds_f64() / span * (WIDTH - LEFT - RIGHT)
        };
        let y = |value: f64| TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM);
        let dots: Vec<(String, String)> = values
            .iter()
            .map(|(at, value)| (units(x(*at)), units(y(*value))))
            .collect();
        let pairs: Vec<String> = dots.iter().map(|(x, y)| format!("{x},{y}")).collect();
        let lines = std::iter::successors(Some(low), |line| Some(line + step));
        let grid = lines
            .take_while(|line| *line <= high + step / 2.0)
            .map(|line| GridLine {
                y: units(y(line)),
                label: label(line, step),
            });
        let day = |at: OffsetDateTime| at.to_offset(UtcOffset::UTC).date().to_string();
        Some(Self {
            title,
            hint: Texts::of(Language::English).say("plot-hint").to_owned(),
            line: pairs.join(" "),
            dots,
            grid: grid.collect(),
            first: day(*first),
            last: day(*last),
        })
    }

    /// The same plot on a page of the dashboard in the language of these texts.
    #[must_use]
    pub fn in_language(self, texts: &Texts) -> Self {
        self.localized(texts, texts.say("plot-hint"))
    }

    /// The same plot with numbers and dates as these readers write them. `hint` says where its figures are.
    #[must_use]
    pub fn localized(mut self, texts: &Texts, hint: &str) -> Self {
        hint.clone_into(&mut self.hint);
        for line in &mut self.grid {
            line.label = texts.decimal(&line.label);
        }
        for day in [&mut self.first, &mut self.last] {
            *day = texts.day(day);
        }
        self
    }
}

/// Bounds around two values and the distance between lines of the grid, which is 1, 2 or 5 times a power of ten.
pub(crate) fn scale(lowest: f64, highest: f64) -> (f64, f64, f64) {
    // A level line needs some room too.
    let span = (highest - lowest).max(highest.abs() * 0.02).max(1e-12);
    let raw = span / LINES;
    let power = 10_f64.powf(raw.log10().floor());
    let factor = match raw / power {
        it if it <= 1.0 => 1.0,
        it if it <= 2.0 => 2.0,
        it if it <= 5.0 => 5.0,
        _ => 10.0,
    };
    let step = power * factor;
    let low = (lowest / step).floor() * step;
    let high = ((highest / step).ceil() * step).max(low + step);
    (low, high, step)
}

fn units(position: f64) -> String {
    format!("{position:.1}")
}

/// A value of the grid, with as many decimals as its step has; very large and very small ones with an exponent.
fn label(value: f64, step: f64) -> String {
    if value.abs() >= 1e7 || (step < 1e-6 && value != 0.0) {
        return format!("{value:.2e}");
    }
    let decimals = (0..7).find(|decimals| step * 10_f64.powi(*decimals) >= 0.999);
    let decimals = usize::try_from(decimals.unwrap_or(7)).unwrap_or_default();
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    const START: OffsetDateTime = datetime!(2026-11-01 00:00 UTC);

    fn plot(values: &[f64]) -> Option<Plot> {
        let days = (0_i64..).map(|day| START + Duration::days(day));
        let values: Vec<(OffsetDateTime, f64)> = days.zip(values.iter().copied()).collect();
        Plot::new("<b>rates".to_owned(), &values)
    }

    #[test]
    fn bounds_are_round_and_hold_every_value() {
        for (lowest, highest, expected) in [
            (0.0, 10.0, (0.0, 10.0, 5.0)),
            (1.25, 1.9, (1.2, 2.0, 0.2)),
            (98.0, 102.0, (98.0, 102.0, 1.0)),
        ] {
            let (low, high, step) = scale(lowest, highest);
            assert!(
                low <= lowest + 1e-9 && high >= highest - 1e-9,
                "{low} {high}"
            );
            let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
            let (a, b, c) = expected;
            assert!(
                near(low, a) && near(high, b) && near(step, c),
                "{low} {high} {step}"
            );
        }
    }

    #[test]
    fn every_value_is_inside_the_picture() {
        for values in [
            &[1.0, 2.0, 1.5][..],
            &[3.0, 3.0],
            &[0.0, 0.0],
            &[1e-9, 3e-9, 2e-9],
            &[1e14, 9e14],
            &[-5.0, 5.0],
        ] {
            let plot = plot(values).unwrap();
            assert_eq!(plot.dots.len(), values.len());
            for (x, y) in &plot.dots {
                let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
                assert!((LEFT..=WIDTH - RIGHT).contains(&x), "{values:?}: {x}");
                assert!(
                    (TOP - 0.1..=HEIGHT - BOTTOM + 0.1).contains(&y),
                    "{values:?}: {y}"
                );
            }
            assert!(
                (2..=12).contains(&plot.grid.len()),
                "{values:?}: {}",
                plot.grid.len()
            );
        }
    }

    #[test]
    fn a_plot_needs_two_values_and_is_named() {
        assert!(plot(&[]).is_none() && plot(&[1.0]).is_none());
        assert!(plot(&[f64::NAN, 1.0]).is_none());
        let html = plot(&[1.0, 2.0]).unwrap().render().unwrap();
        assert!(
            html.contains("role=\"img\"") && !html.contains("<b>"),
            "{html}"
        );
        assert!(
            html.contains("2026-11-01") && html.contains("2026-11-02"),
            "{html}"
        );
        let french = plot(&[1_000.5, 9_000.5]).unwrap();
        let french = french.localized(Texts::of(Language::French), "mêmes chiffres");
        let html = french.render().unwrap();
        for part in ["1er novembre 2026", ">2\u{202f}000<", "mêmes chiffres"] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }
}
