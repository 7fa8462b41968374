//! Sample contexts of the pages of votes and boards.

use askama::Template as _;

use super::part_samples::{Rendered, frame, link, pager, picture, rank, text};
use crate::language::Language;
use crate::site::cards::Tab;
use crate::site::games::BoardRank;
use crate::site::rankings::{Board, BoardPage, BoardRow, BoardsPage, Direction};
use crate::site::voting::{Candidate, Pair, RankedListing, VotePage};

fn tab() -> Tab {
    Tab {
        link: link("/vote"),
        is_current: true,
    }
}

fn row() -> BoardRow {
    BoardRow {
        rank: "1".to_owned(),
        link: link("/games/kora"),
        tagline: text(),
        facts: text(),
        picture: picture(),
        wins: text(),
        share: text(),
        moved: text(),
        direction: Direction::Up,
    }
}

fn candidate(pick: &'static str) -> Candidate {
    Candidate {
        pick,
        slug: "kora".to_owned(),
        link: link("/games/kora"),
        tagline: text(),
        country: text(),
        picture: picture(),
        key: "ArrowLeft",
    }
}

fn ranked(ranks: Vec<BoardRank>) -> RankedListing {
    RankedListing {
        link: link("/games/kora"),
        ranks,
    }
}

fn vote(language: Language) -> VotePage {
    VotePage {
        frame: frame(language),
        tabs: vec![tab()],
        notice: Some(text()),
        refusal: Some(text()),
        outcome: vec![ranked(vec![rank()]), ranked(Vec::new())],
        problem: Some(text()),
        pair: Some(Pair {
            path: "/vote".to_owned(),
            draw: text(),
            candidates: ["first", "second"].map(candidate),
        }),
        account: Some(text()),
        sign_in: "/sign-in?next=/vote".to_owned(),
        ranked: vec![ranked(Vec::new()), ranked(vec![rank()])],
        board: link("/rankings/games/week"),
    }
}

fn board(language: Language, rows: Vec<BoardRow>) -> BoardPage {
    BoardPage {
        frame: frame(language),
        kinds: vec![tab()],
        windows: vec![tab()],
        vote: "/vote".to_owned(),
        count: text(),
        rows,
        pager: pager(),
    }
}

pub(super) fn pages(language: Language) -> Vec<Rendered> {
    let boards = BoardsPage {
        frame: frame(language),
        boards: vec![
            Board {
                link: link("/rankings/games/week"),
                rows: vec![row()],
                is_repeated: false,
            },
            Board {
                link: link("/rankings/games/month"),
                rows: vec![row()],
                is_repeated: true,
            },
            Board {
                link: link("/rankings/creators/all"),
                rows: Vec::new(),
                is_repeated: false,
            },
        ],
    };
    let no_boards = BoardsPage {
        frame: frame(language),
        boards: vec![Board {
            link: link("/rankings/games/week"),
            rows: Vec::new(),
            is_repeated: false,
        }],
    };
    let without_account = VotePage {
        account: None,
        pair: None,
        ..vote(language)
    };
    vec![
        ("vote", vote(language).render()),
        ("vote without an account", without_account.render()),
        ("boards", boards.render()),
        ("empty boards", no_boards.render()),
        ("board", board(language, vec![row()]).render()),
        ("empty board", board(language, Vec::new()).render()),
    ]
}
