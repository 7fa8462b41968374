//! Icons in lines of the colour of the text: symbols of one file, which templates refer to by name.

/// The file with the symbols.
pub(crate) const SYMBOLS: &str = include_str!("../assets/icons.svg");

/// An icon that stands for a word.
#[derive(Debug, Clone)]
pub struct Icon {
    /// The id of its symbol.
    pub name: &'static str,
    pub label: String,
}

impl Icon {
    pub fn new(group: &str, value: &str, label: impl Into<String>) -> Self {
        Self { name: name(group, value), label: label.into() }
    }
}

/// The symbol of a value of a group, such as `puzzle` of `genre`. A value without one has the symbol of the group, and a group without one
/// that of games.
pub fn name(group: &str, value: &str) -> &'static str {
    let found = find(&format!("{group}-{value}"));
    found.or_else(|| find(group)).unwrap_or("games")
}

/// All symbols.
fn names() -> impl Iterator<Item = &'static str> {
    let symbols = SYMBOLS.split("<symbol id=\"").skip(1);
    symbols.filter_map(|symbol| symbol.split('"').next())
}

fn find(name: &str) -> Option<&'static str> {
    names().find(|known| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_without_a_symbol_has_that_of_its_group() {
        assert_eq!(name("genre", "puzzle"), "genre-puzzle");
        assert_eq!(name("genre", "mancala"), "genre");
        assert_eq!(name("platform", "ouya"), "platform");
        assert_eq!(name("kind", "jam"), "kind-jam");
        assert_eq!(name("x\"", "y"), "games");
    }
}
