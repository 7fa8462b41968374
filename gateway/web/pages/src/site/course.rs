//! The course of a rate, drawn as a small SVG by the server.

use askama::Template;
use askama::filters::HtmlSafe;
use fluent_bundle::FluentArgs;
use time::{Date, Duration};

use super::amount::Amount;
use crate::texts::Texts;

/// The drawing area in units of the SVG, with room for the width of the line.
const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 32.0;
const EDGE: f64 = 2.0;

/// A line through the rates of the last 30 days.
#[derive(Debug, Clone, Template)]
#[template(
    source = r#"<svg class="course" viewBox="0 0 120 32" role="img" aria-label="{{ label }}"><polyline points="{{ points }}"></polyline></svg>"#,
    ext = "html"
)]
pub struct Course {
    label: String,
    points: String,
    /// The first day of the line, if it begins within the 30 days.
    pub since: Option<String>,
}

// Its template escapes every value.
impl HtmlSafe for Course {}

impl Course {
    /// The rates of each day up to `today`; `None` on a day without one. Days without a rate leave
    /// their room empty. No line with less than two rates.
    pub fn new(texts: &Texts, days: &[Option<f64>], today: Date) -> Option<Self> {
        let rates = || days.iter().copied().flatten();
        let first = rates().next()?;
        // A line needs two points.
        rates().nth(1)?;
        let last = rates().next_back()?;
        let low = rates().fold(f64::INFINITY, f64::min);
        let high = rates().fold(f64::NEG_INFINITY, f64::max);
        let steps = u32::try_from(days.len() - 1).unwrap_or(u32::MAX);
        let step = (WIDTH - 2.0 * EDGE) / f64::from(steps);
        let mut x = EDGE;
        let mut points = Vec::new();
        for day in days {
            if let Some(rate) = day {
                // A rate that never changed is a line in the middle.
                let share = if high > low { (rate - low) / (high - low) } else { 0.5 };
                let y = HEIGHT - EDGE - share * (HEIGHT - 2.0 * EDGE);
                points.push(format!("{x:.1},{y:.1}"));
            }
            x += step;
        }
        let [first, last] = [first, last].map(|rate| Amount::new(texts, &rate.to_string()).short);
        let day = first_day(days, today).map(|day| texts.day_of_month(day));
        let mut args = FluentArgs::new();
        args.set("from", first);
        args.set("to", last);
        args.set("day", day.clone().unwrap_or_default());
        let key = if day.is_some() { "rates-course-since" } else { "rates-course" };
        Some(Self {
            label: texts.say_with(key, &args),
            points: points.join(" "),
            since: day.map(|day| texts.say_of("rates-since", &day)),
        })
    }
}

/// The first day with a rate, if there are days before it.
fn first_day(days: &[Option<f64>], today: Date) -> Option<Date> {
    let place = days.iter().position(Option::is_some).filter(|place| *place > 0)?;
    let days_ago = i64::try_from(days.len() - 1 - place).ok()?;
    today.checked_sub(Duration::days(days_ago))
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;
    use crate::language::Language;

    #[test]
    fn the_line_goes_from_the_lowest_to_the_highest_rate() {
        let texts = Texts::of(Language::English);
        let course = |days: &[Option<f64>]| Course::new(texts, days, date!(2026 - 12 - 01));
        assert!(course(&[]).is_none() && course(&[None, Some(1.0)]).is_none());
        let html = course(&[1_234.5, 3_000.0, 2_000.25].map(Some)).unwrap().render().unwrap();
        assert!(html.contains("points=\"2.0,30.0 60.0,2.0 118.0,"), "{html}");
        assert!(html.contains("1,234 ") && html.contains("2,000"), "{html}");
        let flat = course(&[Some(0.1), Some(0.1)]).unwrap();
        assert_eq!(flat.points, "2.0,16.0 118.0,16.0");
    }

    #[test]
    fn a_short_line_is_at_the_right_and_says_since_when() {
        let mut days = [None; 31];
        days[28..].copy_from_slice(&[1.0, 2.0, 3.0].map(Some));
        for (language, since) in
            [(Language::English, "since 29 November"), (Language::French, "depuis le 29 novembre")]
        {
            let texts = Texts::of(language);
            let course = Course::new(texts, &days, date!(2026 - 12 - 01)).unwrap();
            assert_eq!(course.points, "110.3,30.0 114.1,16.0 118.0,2.0");
            assert_eq!(course.since.as_deref(), Some(since));
            assert!(course.label.contains(since), "{}", course.label);
            let whole = Course::new(texts, &[Some(1.0); 31], date!(2026 - 12 - 01)).unwrap();
            assert_eq!(whole.since, None);
        }
    }
}
