//! The pictures of listings without one: patterns after textiles, murals and tiles of their countries.
//!
//! A drawing follows from the kind, the country and the name of its listing, so that it is the same everywhere. The page of credits names a
//! source for each family.

mod built;
mod drawing;
mod dyed;
mod printed;
mod random;
mod tile;
mod woven;

pub use drawing::Drawing;

use random::Random;

/// Raise this number when listings are drawn differently: it is a part of the addresses, which browsers store for ever.
const VERSION: &str = "1";

/// The path of the drawing of a listing. `kind` is the first part of the path of its page, such as `games`.
pub fn address(kind: &str, country: &str, name: &str) -> String {
    format!("/pictures/drawn/{VERSION}/{kind}/{country}/{name}.svg")
}

/// Whether this may be the number of a release.
pub fn is_version(version: &str) -> bool {
    (1..=4).contains(&version.len()) && version.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the addresses of this release have this number.
pub fn is_current(version: &str) -> bool {
    version == VERSION
}

/// The picture of a listing.
pub fn draw(kind: &str, country: &str, name: &str) -> Drawing {
    let mut random = Random::of(&format!("{kind}/{country}/{name}"));
    Family::of(country).draw(&mut random)
}

/// A manner of drawing, after textiles, walls or tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Kente,
    Adire,
    Bogolan,
    Panu,
    Ndebele,
    Shweshwe,
    Kanga,
    Tibeb,
    Zellige,
    Khayamiya,
    Kuba,
    Lamba,
}

impl Family {
    pub(crate) const ALL: [Self; 12] = [
        Self::Kente,
        Self::Adire,
        Self::Bogolan,
        Self::Panu,
        Self::Ndebele,
        Self::Shweshwe,
        Self::Kanga,
        Self::Tibeb,
        Self::Zellige,
        Self::Khayamiya,
        Self::Kuba,
        Self::Lamba,
    ];

    /// How listings of a country are drawn.
    fn of(country: &str) -> Self {
        match country {
            "CI" | "GH" | "TG" => Self::Kente,
            "BJ" | "CM" | "NG" => Self::Adire,
            "BF" | "GN" | "LR" | "ML" | "NE" | "SL" | "TD" => Self::Bogolan,
            "CV" | "GM" | "GW" | "SN" | "ST" => Self::Panu,
            "ZA" | "ZW" => Self::Ndebele,
            "BW" | "LS" | "NA" | "SZ" => Self::Shweshwe,
            "DJ" | "ER" | "ET" | "SO" => Self::Tibeb,
            "DZ" | "LY" | "MA" | "MR" | "TN" => Self::Zellige,
            "EG" | "SD" => Self::Khayamiya,
            "AO" | "CD" | "CF" | "CG" | "GA" | "GQ" => Self::Kuba,
            "KM" | "MG" | "MU" | "SC" => Self::Lamba,
            // BI, KE, MW, MZ, RW, SS, TZ, UG and ZM.
            _ => Self::Kanga,
        }
    }

    /// Its name on the page of credits.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kente => "Kente",
            Self::Adire => "Adire",
            Self::Bogolan => "Bogolan",
            Self::Panu => "Pano d’obra",
            Self::Ndebele => "Ndebele murals",
            Self::Shweshwe => "Shweshwe",
            Self::Kanga => "Kanga",
            Self::Tibeb => "Tibeb",
            Self::Zellige => "Zellige",
            Self::Khayamiya => "Khayamiya",
            Self::Kuba => "Kuba raffia",
            Self::Lamba => "Lamba",
        }
    }

    /// A country whose listings have it.
    pub(crate) fn country(self) -> &'static str {
        match self {
            Self::Kente => "GH",
            Self::Adire => "NG",
            Self::Bogolan => "ML",
            Self::Panu => "CV",
            Self::Ndebele => "ZA",
            Self::Shweshwe => "LS",
            Self::Kanga => "KE",
            Self::Tibeb => "ET",
            Self::Zellige => "MA",
            Self::Khayamiya => "EG",
            Self::Kuba => "CD",
            Self::Lamba => "MG",
        }
    }

    fn draw(self, random: &mut Random) -> Drawing {
        match self {
            Self::Kente => woven::kente(random),
            Self::Adire => dyed::adire(random),
            Self::Bogolan => dyed::bogolan(random),
            Self::Panu => woven::panu(random),
            Self::Ndebele => built::ndebele(random),
            Self::Shweshwe => printed::shweshwe(random),
            Self::Kanga => printed::kanga(random),
            Self::Tibeb => woven::tibeb(random),
            Self::Zellige => built::zellige(random),
            Self::Khayamiya => built::khayamiya(random),
            Self::Kuba => woven::kuba(random),
            Self::Lamba => woven::lamba(random),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fmt::Write as _;

    use super::*;

    const MOST_BYTES: usize = 2_048;

    /// One country of each family.
    fn countries() -> [&'static str; 12] {
        Family::ALL.map(Family::country)
    }

    fn thousand() -> Vec<String> {
        let countries = countries();
        let names = (0..1_000).zip(countries.iter().cycle());
        names
            .map(|(number, country)| draw("games", country, &format!("game-{number}")).svg())
            .collect()
    }

    #[test]
    fn no_two_of_a_thousand_are_alike() {
        let drawings = thousand();
        let distinct: HashSet<&String> = drawings.iter().collect();
        assert_eq!(distinct.len(), drawings.len());
    }

    /// The families in the table of an article about credits.
    fn credited(article: &str) -> Vec<&str> {
        let (_, table) = article.split_once("\n## ").unwrap();
        let rows = table.lines().filter_map(|line| line.strip_prefix("| "));
        let names = rows.filter_map(|row| row.split(" | ").next());
        // After the heading and the line below it.
        names.skip(2).collect()
    }

    #[test]
    fn every_family_is_on_the_page_of_credits() {
        for outline in crate::site::africa::Outline::all() {
            let family = Family::of(outline.code);
            assert!(Family::ALL.contains(&family), "{family:?}");
        }
        for family in Family::ALL {
            assert_eq!(Family::of(family.country()), family);
        }
        let english = include_str!("../../articles/credits.en.md");
        let french = include_str!("../../articles/credits.fr.md");
        assert_eq!(credited(english), Family::ALL.map(Family::name));
        let in_french = Family::ALL.map(|family| match family {
            Family::Ndebele => "Peintures murales des Ndebele",
            Family::Kuba => "Raphia des Kuba",
            other => other.name(),
        });
        assert_eq!(credited(french), in_french);
    }

    #[test]
    fn every_drawing_is_small() {
        for country in countries() {
            for number in 0..1_000 {
                let name = format!("game-{number}");
                let bytes = draw("games", country, &name).svg().len();
                assert!(bytes <= MOST_BYTES, "{country} {name}: {bytes} bytes");
            }
        }
    }

    #[test]
    fn a_drawing_follows_from_kind_country_and_name() {
        let drawn = |kind, country, name| draw(kind, country, name).svg();
        let okoto = drawn("games", "NG", "okoto");
        assert_eq!(okoto, drawn("games", "NG", "okoto"));
        for other in [
            drawn("creators", "NG", "okoto"),
            drawn("games", "GH", "okoto"),
            drawn("games", "NG", "okoto-2"),
            // A country that nobody foresaw.
            drawn("games", "XX", "okoto"),
        ] {
            assert_ne!(okoto, other);
        }
    }

    /// Writes the drawings to the file that `PATTERN_SHEET` names.
    #[test]
    #[ignore = "by hand: makes a sheet of a thousand drawings, to look at"]
    fn by_hand_a_sheet_of_a_thousand() {
        let file = std::env::var_os("PATTERN_SHEET").unwrap();
        let mut sheet = String::from("<style>svg{width:160px;height:90px;margin:2px}</style>");
        for (number, svg) in thousand().iter().enumerate() {
            // One document has one of each id.
            let svg = svg
                .replace("id=\"", &format!("id=\"p{number}"))
                .replace("url(#", &format!("url(#p{number}"));
            writeln!(sheet, "{svg}").unwrap();
        }
        std::fs::write(file, sheet).unwrap();
    }
}
