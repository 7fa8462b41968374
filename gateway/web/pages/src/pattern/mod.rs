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
    family(country)(&mut random)
}

/// How listings of a country are drawn.
fn family(country: &str) -> fn(&mut Random) -> Drawing {
    match country {
        "CI" | "GH" | "TG" => woven::kente,
        "BJ" | "CM" | "NG" => dyed::adire,
        "BF" | "GN" | "LR" | "ML" | "NE" | "SL" | "TD" => dyed::bogolan,
        "CV" | "GM" | "GW" | "SN" | "ST" => woven::panu,
        "ZA" | "ZW" => built::ndebele,
        "BW" | "LS" | "NA" | "SZ" => printed::shweshwe,
        "DJ" | "ER" | "ET" | "SO" => woven::tibeb,
        "DZ" | "LY" | "MA" | "MR" | "TN" => built::zellige,
        "EG" | "SD" => built::khayamiya,
        "AO" | "CD" | "CF" | "CG" | "GA" | "GQ" => woven::kuba,
        "KM" | "MG" | "MU" | "SC" => woven::lamba,
        // BI, KE, MW, MZ, RW, SS, TZ, UG and ZM.
        _ => printed::kanga,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fmt::Write as _;

    use super::*;

    /// One country of each family.
    const COUNTRIES: [&str; 12] = [
        "GH", "NG", "ML", "CV", "ZA", "LS", "KE", "ET", "MA", "EG", "CD", "MG",
    ];
    const MOST_BYTES: usize = 2_048;

    fn thousand() -> Vec<String> {
        let names = (0..1_000).zip(COUNTRIES.iter().cycle());
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

    #[test]
    fn every_drawing_is_small() {
        for country in COUNTRIES {
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

    #[test]
    fn points_and_shapes_agree() {
        for country in COUNTRIES {
            let drawing = draw("games", country, "okoto");
            let points = (0..400_u16).map(|at| {
                let (across, down) = (f32::from(at % 20), f32::from(at / 20));
                drawing.colour_at((across + 0.5) / 20.0, (down + 0.5) / 20.0)
            });
            let colours: HashSet<[u8; 3]> = points.collect();
            let svg = drawing.svg();
            assert!(colours.len() > 1, "{country}");
            for colour in colours {
                let colour = format!("#{}", hex::encode(colour));
                assert!(svg.contains(&colour), "{country}: {colour}");
            }
        }
    }

    /// Writes the drawings to the file that `PATTERN_SHEET` names.
    #[test]
    #[ignore = "makes a sheet of a thousand drawings, to look at"]
    fn a_sheet_of_a_thousand() {
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
