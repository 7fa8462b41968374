//! The economy of an account's games: currencies, reports and rates.

use askama::Template;

use crate::field::{Field, Fields};
use crate::listings::StateText;
use crate::plot::Plot;
use crate::shell::{Sentence, Shell};

/// The games of an account with their currencies.
#[derive(Debug, Template)]
#[template(path = "economy/list.html")]
pub struct GamesPage {
    pub shell: Shell,
    pub account: String,
    pub games: Vec<GameRow>,
    /// The URL of the page with the games after these.
    pub more: Option<String>,
    pub may_change: bool,
}

#[derive(Debug)]
pub struct GameRow {
    pub slug: String,
    pub title: String,
    /// `None`: no currency is registered.
    pub currency: Option<String>,
    pub is_public: bool,
}

/// The currency of one game.
#[derive(Debug, Template)]
#[template(path = "economy/game.html")]
pub struct CurrencyPage {
    pub shell: Shell,
    pub errors: Fields,
    pub account: String,
    pub slug: String,
    pub title: String,
    pub is_public: bool,
    pub names: Vec<NameRow>,
    /// `None`: the viewer may not name it.
    pub name: Option<Field>,
    pub closed: Option<&'static str>,
    pub reports: Vec<ReportRow>,
    /// The address of earlier reports.
    pub earlier: Option<String>,
    pub rates: Rates,
}

impl CurrencyPage {
    fn has_currency(&self) -> bool {
        !self.names.is_empty()
    }
}

#[derive(Debug)]
pub struct NameRow {
    pub name: String,
    pub since: String,
    /// An owner or staff, in words.
    pub by: &'static str,
}

#[derive(Debug)]
pub struct ReportRow {
    pub at: String,
    pub state: StateText,
    /// Why it is or was held, and why staff rejected it.
    pub notes: Vec<Sentence>,
    pub cost: String,
    pub supply: String,
    pub output: String,
    pub players: String,
}

/// The rates from a game's currency.
#[derive(Debug, Default)]
pub struct Rates {
    /// Why there are none.
    pub problem: Option<&'static str>,
    /// The parameter of this page of the list; absent on the first.
    pub place: Option<String>,
    /// The parameter of the next page.
    pub next: Option<String>,
    pub rows: Vec<RateRow>,
    pub series: Option<Series>,
}

#[derive(Debug)]
pub struct RateRow {
    pub slug: String,
    pub currency: String,
    pub rate: String,
    pub source: String,
    pub at: String,
    pub day_change: String,
    /// Whether the plot shows it.
    pub is_shown: bool,
}

/// The rate to one currency over time.
#[derive(Debug)]
pub struct Series {
    pub heading: String,
    pub plot: Option<Plot>,
    /// Time, rate and source; newest first.
    pub rows: Vec<(String, String, String)>,
    /// The API call that gives one of the figures.
    pub call: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "\"'><script>alert(1)</script>";

    fn hostile() -> String {
        HOSTILE.to_owned()
    }

    fn currency(rates: Rates) -> CurrencyPage {
        CurrencyPage {
            shell: Shell::default(),
            errors: Fields::general(hostile()),
            account: "a".to_owned(),
            slug: "okoto".to_owned(),
            title: hostile(),
            is_public: true,
            names: vec![NameRow {
                name: hostile(),
                since: "2026-11-23 14:05 UTC".to_owned(),
                by: "an owner",
            }],
            name: Some(Field::text("name", "Name").value(HOSTILE)),
            closed: None,
            reports: vec![ReportRow {
                at: "2026-11-23 14:05 UTC".to_owned(),
                state: StateText {
                    text: "held",
                    tone: "",
                },
                notes: vec![Sentence::of_service(hostile())],
                cost: "1,200".to_owned(),
                supply: "1".to_owned(),
                output: "1".to_owned(),
                players: "1".to_owned(),
            }],
            earlier: None,
            rates,
        }
    }

    fn rates() -> Rates {
        let start = time::macros::datetime!(2026-11-01 00:00 UTC);
        let values = [(start, 1.0), (start + time::Duration::DAY, 1.5)];
        Rates {
            problem: None,
            place: None,
            next: None,
            rows: vec![RateRow {
                slug: "kora".to_owned(),
                currency: hostile(),
                rate: "1.5".to_owned(),
                source: "worked".to_owned(),
                at: "2026-11-23 14:05 UTC".to_owned(),
                day_change: "none".to_owned(),
                is_shown: true,
            }],
            series: Some(Series {
                heading: hostile(),
                plot: Plot::new(hostile(), &values),
                rows: vec![(
                    "2026-11-02 00:00 UTC".to_owned(),
                    "1.5".to_owned(),
                    "worked".to_owned(),
                )],
                call: hostile(),
            }),
        }
    }

    #[test]
    fn names_that_a_studio_gives_are_escaped() {
        let html = currency(rates()).render().unwrap();
        assert!(!html.contains("<script>alert"), "{html}");
        // They may be written in the other direction.
        assert!(html.contains("<h1>Economy of <bdi>"), "{html}");
        assert!(html.contains("<tr><td><bdi>"), "{html}");
        assert!(
            html.contains("<svg") && html.contains("<polyline"),
            "{html}"
        );
        let games = GamesPage {
            shell: Shell::default(),
            account: "a".to_owned(),
            games: vec![GameRow {
                slug: "okoto".to_owned(),
                title: hostile(),
                currency: Some(hostile()),
                is_public: false,
            }],
            more: Some("/accounts/a/economy?cursor=next".to_owned()),
            may_change: true,
        };
        let html = games.render().unwrap();
        assert!(!html.contains("<script>alert"), "{html}");
        assert!(html.contains("cursor=next\">More games"), "{html}");
    }

    #[test]
    fn only_a_public_game_is_asked_for_its_currency() {
        for is_public in [true, false] {
            let page = GamesPage {
                shell: Shell::default(),
                account: "a".to_owned(),
                games: vec![GameRow {
                    slug: "okoto".to_owned(),
                    title: "Okoto".to_owned(),
                    currency: None,
                    is_public,
                }],
                more: None,
                may_change: true,
            };
            let html = page.render().unwrap();
            assert_eq!(html.contains("aria-label=\"Register"), is_public, "{html}");
        }
    }

    #[test]
    fn a_page_without_figures_says_what_to_do() {
        let page = CurrencyPage {
            names: Vec::new(),
            reports: Vec::new(),
            ..currency(Rates {
                problem: Some("No rates yet."),
                ..Rates::default()
            })
        };
        let html = page.render().unwrap();
        assert!(
            html.contains("Register it here") && html.contains("No rates yet."),
            "{html}"
        );
        let games = GamesPage {
            shell: Shell::default(),
            account: "a".to_owned(),
            games: Vec::new(),
            more: None,
            may_change: true,
        };
        assert!(games.render().unwrap().contains("Submit a game"));
    }
}
