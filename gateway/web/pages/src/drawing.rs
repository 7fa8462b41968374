//! Pictures for listings without one: patterns after textiles, walls and tiles of their countries. The page of credits names the sources.
//!
//! Each family of patterns is a file in `assets/drawings`. It is larger than a picture, and has the colours of the first palette. A hash of
//! the listing chooses a palette, a part of the pattern, and whether it is mirrored: a listing has the same picture everywhere.

use xxhash_rust::xxh3::xxh3_64;

/// Raise this number when listings are drawn differently: it is a part of the addresses, which browsers store for ever.
const VERSION: &str = "2";

struct Family {
    svg: &'static str,
    /// How many of the first colours of a palette may change places, 1 if none may.
    exchanged: usize,
    /// The steps to the parts of the pattern, and how many parts there are.
    across: (usize, usize),
    down: (usize, usize),
    palettes: &'static [&'static str],
}

macro_rules! families {
    ($($family:ident: $file:literal, $exchanged:literal, $across:expr, $down:expr, [$($palette:literal),* $(,)?];)*) => {$(
        const $family: Family = Family {
            svg: include_str!(concat!("../assets/drawings/", $file, ".svg")),
            exchanged: $exchanged,
            across: $across,
            down: $down,
            palettes: &[$($palette),*],
        };
    )*};
}

families! {
    KENTE: "kente", 3, (20, 4), (15, 4), [
        "f4b41a 1d7a3e c8202f 17130f",
        "f4b41a 1f3f94 b8212b 10131f",
        "ef9c1b 17713f c23a22 17130f",
        "e8b021 7a1f3d 20603b 160f12",
    ];
    ADIRE: "adire", 1, (30, 4), (30, 3), [
        "1b2a63 4f74b8 dfe8f6",
        "16224f 6d8fcb e8eefb",
        "20307a 93aede f1f4fb",
        "123052 4a86b0 e3f0f4",
        "0f1d45 5f7fc4 f4f1e6",
        "17406b 7fb0cf eef6f5",
    ];
    BOGOLAN: "bogolan", 1, (32, 7), (1, 1), [
        "2b1c12 e8d6b0 b46c30",
        "1c1714 efe2c6 a85c2e",
        "4a2b17 f0dcb2 b9812f",
        "33211a d9b67f a85c2e",
        "1c1714 e8d6b0 e8d6b0",
        "4a2b17 efe2c6 efe2c6",
    ];
    PANU: "panu", 1, (32, 4), (45, 2), [
        "14161f f3efe6 8a93a8",
        "1a2148 eef0f6 9c2c3a",
        "101820 f1e9d8 b5832c",
        "241432 f3ecf5 7f6aa0",
    ];
    NDEBELE: "ndebele", 7, (40, 2), (30, 6), [
        "1f5fbf 1b9a59 f5c518 d7263d f08bb0 8a4a22 16a3b8 fbf7ee",
        "d7263d 16a3b8 f5c518 1b9a59 8a4a22 1f5fbf f08bb0 fdf3dc",
        "f5c518 8a4a22 1f5fbf f08bb0 16a3b8 d7263d 1b9a59 f4efe6",
    ];
    SHWESHWE: "shweshwe", 1, (20, 4), (18, 2), [
        "a9c3ee 1d2f6f",
        "f6f1e4 14234f",
        "e8a27c 6b3a1e",
        "f2c14e a4243b",
        "a9c3ee 0f5d63",
        "f2c14e 2f4f2a",
        "f2c14e 1d2f6f",
        "a9c3ee a4243b",
    ];
    KANGA: "kanga", 2, (10, 8), (90, 4), [
        "fff4dc f4b41a c8202f 17130f",
        "6a1b2d fff6df f2a516 17130f",
        "fdf0d2 f28c28 12675b 0d1f1c",
        "fce9c8 f4b41a 5b2a86 1c0f2a",
        "fff2da f25c3b 1559a6 0d1a33",
        "fff4e0 1d3a6b d9480f 2b130a",
    ];
    TIBEB: "tibeb", 2, (20, 4), (90, 4), [
        "f2b632 c3272b 1b7a43",
        "f2b632 b3242f 1f3f94",
        "e6a23a 1d6a5b 7a1f5c",
        "e8b23a 20201f b3242f",
        "f0b73a d0532a 0f6f86",
    ];
    ZELLIGE: "zellige", 3, (30, 4), (30, 2), [
        "0f5e8c 14806e d99a2b f5efe0 17202a",
        "0b6b5d 1f3f94 b5552b f8f4ea 1c2320",
        "14708a 8a2f2f e0a83c e9eef0 16222b",
        "1d4f9c 3a8f5c e3b23c efe6d0 101a2c",
        "0f5e8c 14806e d99a2b fbf9f2 efe6d0",
        "0b6b5d 1f3f94 b5552b fbf9f2 f5efe0",
        "14708a 8a2f2f e0a83c fbf9f2 e9eef0",
        "1d4f9c 3a8f5c e3b23c fbf9f2 f8f4ea",
    ];
    KHAYAMIYA: "khayamiya", 2, (54, 2), (45, 2), [
        "1d3f7f e6ad3a a8252b f8f1e0",
        "b3272c e9b44c 1d3a73 f7f0de",
        "b3272c efbf55 17604d f9f3e4",
        "b0262b 1d4f7f f3e6c8 2b1b14",
        "c0392b e2a93b 20242f f6efdf",
    ];
    KUBA: "kuba", 1, (40, 3), (30, 3), [
        "d9b97a 2a1a10 9a4f24",
        "e3c88f 1d1410 7d2f1d",
        "caa564 24170f efe0bb",
        "d2b48a 3a1d14 b06a2c",
        "dcc59a 23201c 8f3b1f",
        "c9a878 1b1512 6d2018",
    ];
    LAMBA: "lamba", 4, (20, 8), (90, 4), [
        "7a1f3d e0a52e 2f5d3a 1d2b53 f2e3c2",
        "b0302b f0b83c 15616d 3a1d4f f4e9d2",
        "4b1d52 d98c1f 1f6f54 b8293f f1dfb8",
        "1c3f6e c8452b e6b23a 2b7a5b f5ead3",
    ];
}

impl Family {
    /// How listings of a country are drawn.
    const fn of(country: &str) -> Self {
        match country.as_bytes() {
            b"CI" | b"GH" | b"TG" => KENTE,
            b"BJ" | b"CM" | b"NG" => ADIRE,
            b"BF" | b"GN" | b"LR" | b"ML" | b"NE" | b"SL" | b"TD" => BOGOLAN,
            b"CV" | b"GM" | b"GW" | b"SN" | b"ST" => PANU,
            b"ZA" | b"ZW" => NDEBELE,
            b"BW" | b"LS" | b"NA" | b"SZ" => SHWESHWE,
            b"DJ" | b"ER" | b"ET" | b"SO" => TIBEB,
            b"DZ" | b"LY" | b"MA" | b"MR" | b"TN" => ZELLIGE,
            b"EG" | b"SD" => KHAYAMIYA,
            b"AO" | b"CD" | b"CF" | b"CG" | b"GA" | b"GQ" => KUBA,
            b"KM" | b"MG" | b"MU" | b"SC" => LAMBA,
            // BI, KE, MW, MZ, RW, SS, TZ, UG and ZM.
            _ => KANGA,
        }
    }
}

/// The path of the drawing of a listing. `kind` is the first part of the path of its page, such as `games`.
pub fn address(kind: &str, country: &str, name: &str) -> String {
    format!("/pictures/drawn/{VERSION}/{kind}/{country}/{name}.svg")
}

/// Whether the addresses of this release have this number.
pub fn is_current(version: &str) -> bool {
    version == VERSION
}

/// The picture of a listing, as an SVG file.
pub fn draw(kind: &str, country: &str, name: &str) -> String {
    let family = Family::of(country);
    let hash = xxh3_64(format!("{kind}/{country}/{name}").as_bytes()) >> 32;
    let mut hash = usize::try_from(hash).unwrap_or_default();
    let mut below = |count: usize| {
        let number = hash % count;
        hash /= count;
        number
    };
    let of_file: Vec<&str> = family.palettes[0].split(' ').collect();
    let mut palette: Vec<&str> = family.palettes[below(family.palettes.len())].split(' ').collect();
    palette[..family.exchanged].rotate_left(below(family.exchanged));
    let [x, y] = [family.across, family.down].map(|(step, count)| step * below(count));
    let mirrored = ["", " scale(-1 1)"][below(2)];
    let moved = format!("<g transform=\"translate(-{x} -{y}){mirrored}\">");
    let moved = family.svg.replacen("<g>", &moved, 1);
    let mut parts = moved.split('#');
    let mut svg = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut colours = of_file.iter().zip(&palette);
        let found = colours.find_map(|(old, new)| Some((*new, part.strip_prefix(*old)?)));
        let (colour, rest) = found.unwrap_or(("", part));
        svg.extend(["#", colour, rest]);
    }
    svg
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const FAMILIES: [Family; 12] = [
        KENTE, ADIRE, BOGOLAN, PANU, NDEBELE, SHWESHWE, KANGA, TIBEB, ZELLIGE, KHAYAMIYA, KUBA,
        LAMBA,
    ];

    #[test]
    fn palettes_have_the_colours_of_their_files() {
        for family in FAMILIES {
            let usual: Vec<&str> = family.palettes[0].split(' ').collect();
            for colour in &usual {
                assert!(family.svg.contains(&format!("#{colour}")), "{colour}");
            }
            for palette in family.palettes {
                let is_colour = |it: &str| it.len() == 6 && u32::from_str_radix(it, 16).is_ok();
                assert!(palette.split(' ').all(is_colour), "{palette}");
                assert_eq!(palette.split(' ').count(), usual.len(), "{palette}");
            }
        }
    }

    #[test]
    fn a_drawing_is_determined_by_kind_country_and_name() {
        let okoto = draw("games", "NG", "okoto");
        assert_eq!(okoto, draw("games", "NG", "okoto"));
        assert_ne!(okoto, draw("games", "GH", "okoto"));
        // An unknown country code.
        assert_ne!(okoto, draw("games", "XX", "okoto"));
        let names = (0..100).map(|number| draw("games", "NG", &format!("game-{number}")));
        assert!(names.collect::<HashSet<_>>().len() > 50);
    }

    /// A family that is drawn is also credited.
    #[test]
    fn the_page_of_credits_names_every_family() {
        for credits in
            [include_str!("../articles/credits.en.md"), include_str!("../articles/credits.fr.md")]
        {
            let table = credits.rsplit("| --- | --- |\n").next().unwrap();
            let families = table.lines().take_while(|line| line.starts_with('|'));
            assert_eq!(families.count(), FAMILIES.len(), "{table}");
        }
    }
}
