/// A genre of games (§2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Genre {
    /// Never changes.
    pub key: &'static str,
    /// For people.
    pub name: &'static str,
}

/// All genres, by key.
pub const GENRES: [Genre; 22] = [
    genre("action", "Action"),
    genre("adventure", "Adventure"),
    genre("arcade", "Arcade"),
    genre("board", "Board"),
    genre("card", "Card"),
    genre("casual", "Casual"),
    genre("educational", "Educational"),
    genre("fighting", "Fighting"),
    genre("horror", "Horror"),
    genre("music", "Music"),
    genre("party", "Party"),
    genre("platformer", "Platformer"),
    genre("puzzle", "Puzzle"),
    genre("racing", "Racing"),
    genre("roguelike", "Roguelike"),
    genre("rpg", "Role-playing"),
    genre("runner", "Runner"),
    genre("shooter", "Shooter"),
    genre("simulation", "Simulation"),
    genre("sports", "Sports"),
    genre("strategy", "Strategy"),
    genre("visual-novel", "Visual novel"),
];

const fn genre(key: &'static str, name: &'static str) -> Genre {
    Genre { key, name }
}
