//! The outlines of the countries, for maps. `deploy/data/SOURCES.md` says where they come from.

use std::sync::LazyLock;

/// The size of the map of all countries.
pub const SIZE: (u32, u32) = (6_570, 5_990);
/// Countries of small islands, which get a dot on the map of all.
const ISLANDS: [&str; 5] = ["CV", "KM", "MU", "SC", "ST"];

/// The outline of a country on the map of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    pub code: &'static str,
    x: u32,
    y: u32,
    width: u32,
    height: u32,
    /// As SVG takes it.
    pub path: &'static str,
}

static OUTLINES: LazyLock<Vec<Outline>> = LazyLock::new(|| {
    let lines = include_str!("../../assets/africa.csv").lines();
    lines.filter_map(Outline::read).collect()
});

impl Outline {
    /// All, by their codes. One of them, `EH`, is no country of the directory.
    pub fn all() -> &'static [Self] {
        &OUTLINES
    }

    /// A test holds that every line of the file can be read.
    fn read(line: &'static str) -> Option<Self> {
        let mut parts = line.split(',');
        let code = parts.next()?;
        let mut number = || parts.next()?.parse().ok();
        let (x, y, width, height) = (number()?, number()?, number()?, number()?);
        Some(Self { code, x, y, width, height, path: parts.next()? })
    }

    /// The dot of a country that is too small to see or to click.
    pub fn dot(&self) -> Option<(u32, u32)> {
        let (x, y) = (self.x + self.width / 2, self.y + self.height / 2);
        ISLANDS.contains(&self.code).then_some((x, y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::texts::Texts;

    #[test]
    fn every_country_of_the_directory_has_an_outline() {
        let texts = Texts::of(Language::English);
        let all = Outline::all();
        assert_eq!(all.len(), include_str!("../../assets/africa.csv").lines().count());
        for outline in all {
            let is_named = texts.find(&format!("country-{}", outline.code)).is_some();
            assert_eq!(is_named, outline.code != "EH", "{}", outline.code);
            assert!(outline.path.starts_with('M') && outline.path.ends_with('z'));
            assert!(outline.x + outline.width <= SIZE.0, "{}", outline.code);
            assert!(outline.y + outline.height <= SIZE.1, "{}", outline.code);
        }
        assert_eq!(all.len(), 55);
        let dots = all.iter().filter(|outline| outline.dot().is_some());
        assert_eq!(dots.count(), ISLANDS.len());
    }
}
