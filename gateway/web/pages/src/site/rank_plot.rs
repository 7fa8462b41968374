//! The ranks of a listing over some weeks, drawn as SVG by the server: the best rank is at the top.

use askama::Template;
use askama::filters::HtmlSafe;
use time::OffsetDateTime;

use crate::texts::Texts;

/// The drawing area in units of the SVG.
const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 96.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 26.0;

/// The ranks of a listing.
#[derive(Debug, Clone, Template)]
#[template(path = "part/rank_plot.html")]
pub struct RankPlot {
    /// What it shows, in words.
    label: String,
    /// The points of the line, as SVG takes them.
    line: String,
    /// The last point.
    end: (String, String),
    best: String,
    worst: String,
    first: String,
    last: String,
}

// Its template escapes every value.
impl HtmlSafe for RankPlot {}

impl RankPlot {
    /// `None` with ranks of less than two days. `ranks` are oldest first.
    pub fn new(texts: &Texts, ranks: &[(OffsetDateTime, u32)]) -> Option<Self> {
        let (&(first, first_rank), &(last, last_rank)) = (ranks.first()?, ranks.last()?);
        let span = (last - first).as_seconds_f64();
        if span <= 0.0 {
            return None;
        }
        let all = ranks.iter().map(|(_, rank)| *rank);
        let (best, worst) = (all.clone().min()?, all.max()?);
        // A rank that never changed is a line at the top.
        let height = f64::from((worst - best).max(1));
        let point = |(at, rank): &(OffsetDateTime, u32)| {
            let x = LEFT + (*at - first).as_seconds_f64() / span * (WIDTH - LEFT - RIGHT);
            let y = TOP + f64::from(rank - best) / height * (HEIGHT - TOP - BOTTOM);
            (format!("{x:.1}"), format!("{y:.1}"))
        };
        let points: Vec<(String, String)> = ranks.iter().map(point).collect();
        let line: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
        let day = |at: OffsetDateTime| texts.date(at.date());
        let rank = |rank: u32| texts.number(rank.into());
        let from = texts.say_of_two("rank-on", &rank(first_rank), &day(first));
        let to = texts.say_of_two("rank-on", &rank(last_rank), &day(last));
        Some(Self {
            label: texts.say_of_two("rank-plot", &from, &to),
            line: line.join(" "),
            end: points.last()?.clone(),
            best: rank(best),
            worst: if worst == best {
                String::new()
            } else {
                rank(worst)
            },
            first: day(first),
            last: day(last),
        })
    }
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::*;
    use crate::language::Language;

    const START: OffsetDateTime = datetime!(2026-11-01 04:00 UTC);

    fn plot(ranks: &[u32]) -> Option<RankPlot> {
        let days = (0_i64..).map(|day| START + Duration::days(day));
        let ranks: Vec<(OffsetDateTime, u32)> = days.zip(ranks.iter().copied()).collect();
        RankPlot::new(Texts::of(Language::English), &ranks)
    }

    #[test]
    fn the_best_rank_is_at_the_top() {
        let plot = plot(&[12, 3, 1]).unwrap();
        assert_eq!(plot.line, "44.0,70.0 178.0,22.5 312.0,12.0");
        assert_eq!((plot.best.as_str(), plot.worst.as_str()), ("1", "12"));
        let html = plot.render().unwrap();
        assert!(html.contains("from 12 on 1 November 2026"), "{html}");
        assert!(html.contains("to 1 on 3 November 2026"), "{html}");
    }

    #[test]
    fn a_plot_needs_two_days() {
        assert!(plot(&[]).is_none() && plot(&[4]).is_none());
        let level = plot(&[4, 4]).unwrap();
        assert_eq!(level.line, "44.0,12.0 312.0,12.0");
        assert_eq!(level.worst, "");
    }
}
