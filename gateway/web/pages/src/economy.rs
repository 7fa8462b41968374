//! The economy of an account's games: currencies and reports.

use askama::Template;

use crate::field::{Field, Fields};
use crate::frame::Frame;
use crate::state::StateText;

/// The games of an account with their currencies.
#[derive(Debug, Template)]
#[template(path = "economy/list.html")]
pub struct GamesPage {
    pub frame: Frame,
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
    pub frame: Frame,
    pub errors: Fields,
    pub account: String,
    pub slug: String,
    pub title: String,
    pub is_public: bool,
    /// `None`: no currency is registered.
    pub registered: Option<NameRow>,
    /// `None`: the viewer may not name it.
    pub name: Option<Field>,
    pub reports: Vec<ReportRow>,
    /// The address of earlier reports.
    pub earlier: Option<String>,
}

impl CurrencyPage {
    fn has_currency(&self) -> bool {
        self.registered.is_some()
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
    pub notes: Vec<String>,
    pub cost: String,
    pub supply: String,
    pub output: String,
    pub players: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "\"'><script>alert(1)</script>";

    fn hostile() -> String {
        HOSTILE.to_owned()
    }

    fn currency() -> CurrencyPage {
        CurrencyPage {
            frame: Frame::default(),
            errors: Fields::general(hostile()),
            account: "a".to_owned(),
            slug: "okoto".to_owned(),
            title: hostile(),
            is_public: true,
            registered: Some(NameRow {
                name: hostile(),
                since: "2026-11-23 14:05 UTC".to_owned(),
                by: "an owner",
            }),
            name: Some(Field::text("name", "Name").value(HOSTILE)),
            reports: vec![ReportRow {
                at: "2026-11-23 14:05 UTC".to_owned(),
                state: StateText {
                    text: "held",
                    tone: "",
                },
                notes: vec![hostile()],
                cost: "1,200".to_owned(),
                supply: "1".to_owned(),
                output: "1".to_owned(),
                players: "1".to_owned(),
            }],
            earlier: None,
        }
    }

    #[test]
    fn names_that_a_studio_gives_are_escaped() {
        let html = currency().render().unwrap();
        assert!(!html.contains("<script>alert"), "{html}");
        // They may be written in the other direction.
        assert!(html.contains("<h1>Economy of <bdi>"), "{html}");
        assert!(html.contains("<dd><bdi>"), "{html}");
        let games = GamesPage {
            frame: Frame::default(),
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
                frame: Frame::default(),
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
            registered: None,
            reports: Vec::new(),
            ..currency()
        };
        let html = page.render().unwrap();
        assert!(html.contains("Register it here"), "{html}");
        let games = GamesPage {
            frame: Frame::default(),
            account: "a".to_owned(),
            games: Vec::new(),
            more: None,
            may_change: true,
        };
        assert!(games.render().unwrap().contains("Submit a game"));
    }
}
