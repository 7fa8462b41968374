//! The course of a rate, drawn as a small SVG by the server.

use askama::Template;
use askama::filters::HtmlSafe;

use super::amount::Amount;
use crate::texts::Texts;

/// The drawing area in units of the SVG, with room for the width of the line.
const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 32.0;
const EDGE: f64 = 2.0;

/// A line through the values.
#[derive(Debug, Clone, Template)]
#[template(
    source = r#"<svg class="course" viewBox="0 0 120 32" role="img" aria-label="{{ label }}"><polyline points="{{ points }}"></polyline></svg>"#,
    ext = "html"
)]
pub struct Course {
    label: String,
    points: String,
}

// Its template escapes every value.
impl HtmlSafe for Course {}

impl Course {
    /// `None` with less than two values.
    pub fn new(texts: &Texts, values: &[f64]) -> Option<Self> {
        let [first, .., last] = values else {
            return None;
        };
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let steps = u32::try_from(values.len() - 1).unwrap_or(u32::MAX);
        let step = (WIDTH - 2.0 * EDGE) / f64::from(steps);
        let mut x = EDGE;
        let mut points = Vec::new();
        for value in values {
            // A rate that never changed is a line in the middle.
            let share = if high > low { (value - low) / (high - low) } else { 0.5 };
            let y = HEIGHT - EDGE - share * (HEIGHT - 2.0 * EDGE);
            points.push(format!("{x:.1},{y:.1}"));
            x += step;
        }
        let [first, last] = [first, last].map(|rate| Amount::new(texts, &rate.to_string()).short);
        Some(Self {
            label: texts.say_of_two("rates-course", &first, &last),
            points: points.join(" "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn the_line_goes_from_the_lowest_to_the_highest_rate() {
        let texts = Texts::of(Language::English);
        assert!(Course::new(texts, &[]).is_none() && Course::new(texts, &[1.0]).is_none());
        let html = Course::new(texts, &[1_234.5, 3_000.0, 2_000.25]).unwrap().render().unwrap();
        assert!(html.contains("points=\"2.0,30.0 60.0,2.0 118.0,"), "{html}");
        assert!(html.contains("1,234 ") && html.contains("2,000"), "{html}");
        let flat = Course::new(texts, &[0.1, 0.1]).unwrap();
        assert_eq!(flat.points, "2.0,16.0 118.0,16.0");
    }
}
