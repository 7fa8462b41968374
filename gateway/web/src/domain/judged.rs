//! The listings of a voter's last votes, stored in a cookie. The cookie is not signed: with a forged one, a visitor sees the ranks of other
//! public listings only.

/// The votes of a round, after which the page shows the ranks of their listings.
const ROUND: usize = 5;
const MAX_NAME: usize = 100;
const SEPARATOR: char = '.';

/// The votes of the current round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// `games` or `creators`.
    kind: String,
    /// Winner and loser of each vote, oldest first.
    names: Vec<String>,
}

impl Judged {
    pub fn new(kind: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            names: Vec::new(),
        }
    }

    /// Parses the cookie. Without votes if the cookie is about the other kind or malformed.
    pub fn read(kind: &str, value: Option<&str>) -> Self {
        let none = Self::new(kind);
        let Some((of, names)) = value.and_then(|value| value.split_once(SEPARATOR)) else {
            return none;
        };
        let names: Vec<String> = names.split(SEPARATOR).map(ToOwned::to_owned).collect();
        let is_round = names.len().is_multiple_of(2) && names.len() <= 2 * ROUND;
        if of != kind || !is_round || !names.iter().all(|name| is_name(name)) {
            return none;
        }
        Self { names, ..none }
    }

    /// Adds a vote; after a whole round, a new one begins.
    #[must_use]
    pub fn with(self, winner: &str, loser: &str) -> Self {
        let begin = if self.is_round_over() {
            Self::new(&self.kind)
        } else {
            self
        };
        // Only such a name can be that of a listing.
        if !is_name(winner) || !is_name(loser) {
            return begin;
        }
        let mut names = begin.names;
        names.extend([winner, loser].map(ToOwned::to_owned));
        Self { names, ..begin }
    }

    pub fn is_round_over(&self) -> bool {
        self.names.len() >= 2 * ROUND
    }

    /// The listings of the round, each once, newest first.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.names.iter().rev() {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// The listings of the last vote, the winner first; empty before the first vote.
    pub fn last_vote(&self) -> Vec<&str> {
        let before = self.names.len().saturating_sub(2);
        self.names.iter().skip(before).map(String::as_str).collect()
    }

    /// The value of the cookie.
    pub fn value(&self) -> String {
        let separator = SEPARATOR.to_string();
        let names = self.names.join(&separator);
        format!("{}{separator}{names}", self.kind)
    }
}

/// Whether this may be a slug or a handle, and so stand in a cookie.
fn is_name(name: &str) -> bool {
    let may_be = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(may_be)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn votes(count: usize) -> Judged {
        (0..count).fold(Judged::new("games"), |judged, vote| {
            judged.with(&format!("winner-{vote}"), "the-same")
        })
    }

    #[test]
    fn a_round_has_five_votes_and_then_a_new_one_begins() {
        let four = votes(4);
        assert!(!four.is_round_over());
        assert_eq!(Judged::read("games", Some(&four.value())), four);
        let five = Judged::read("games", Some(&four.value())).with("a", "b");
        assert!(five.is_round_over());
        let names = [
            "b", "a", "the-same", "winner-3", "winner-2", "winner-1", "winner-0",
        ];
        assert_eq!(five.names(), names);
        assert_eq!(five.last_vote(), ["a", "b"]);
        assert_eq!(Judged::new("games").last_vote(), [""; 0]);
        assert_eq!(Judged::read("games", Some(&five.value())), five);
        let six = five.with("c", "d");
        assert_eq!(six.names(), ["d", "c"]);
        assert!(!six.is_round_over());
    }

    #[test]
    fn a_forged_cookie_is_no_round() {
        let none = Judged::new("games");
        let long = format!("games.{}.b", "a".repeat(101));
        let many = format!("games.{}", ["a"; 12].join("."));
        for forged in [
            "",
            "games",
            "games.",
            "games.a",
            "games.a.b.c",
            "games..",
            "creators.a.b",
            "games.a;b.c",
            "games.../a.b",
            &long,
            &many,
        ] {
            assert_eq!(Judged::read("games", Some(forged)), none, "{forged}");
        }
        assert_eq!(Judged::read("games", None), none);
        assert_eq!(none.clone().with("a b", "c"), none);
    }
}
