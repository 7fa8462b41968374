//! Generates listings in the form of the feed of listings-svc. The same number of games gives the same listings.

use contracts::common::v1::Mode;
use contracts::listings::v1::{Game, Page, State};
use prost::Message as _;
use prost_types::Timestamp;
use serde_json::Value;
use uuid::Uuid;

const GAMES_PER_CREATOR: u64 = 5;
const CREATORS_PER_CITY: u64 = 100;
/// One game in this many is featured.
const FEATURED: u64 = 1_000;
const DISTINCT_WORDS: usize = 100_000;
/// One title in this many has punctuation within a word, like 12 of the 210 titles of the live directory (8 apostrophes, 5 hyphens):
/// `cat deploy/data/games{,-without-year}.ndjson | grep -o '"title": "[^"]*"' | grep -c "[[:alnum:]]['’.,/-][[:alnum:]]"`.
const MARKED: u64 = 18;
/// The text between the first two words of such a title.
const MARKS: [&str; 3] = ["'s ", "'s ", "-"];
/// The least characters of a description, and of the biography of a creator.
const DESCRIPTION: usize = 780;
const BIOGRAPHY: usize = 280;
const PLATFORMS: [&str; 6] = ["web", "android", "ios", "windows", "mac", "linux"];
const STAGES: [&str; 3] = ["released", "early_access", "in_development"];
/// The time at which the oldest game was listed: 1 January 2020, in seconds since 1970.
const OLDEST: u64 = 1_577_836_800;

/// A pseudorandom generator with a fixed seed (splitmix64).
#[derive(Debug, Clone)]
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }

    fn place(&mut self, length: usize) -> usize {
        usize::try_from(self.roll(length as u64)).unwrap()
    }

    fn pick<'a>(&mut self, from: &'a [String]) -> &'a str {
        &from[self.place(from.len())]
    }

    /// A random word. Few words are frequent and many are rare, as in real texts.
    fn word(&mut self) -> String {
        let range = 1 + self.place(DISTINCT_WORDS);
        let mut rest = self.place(range) * 7_919 + 11;
        let mut word = String::new();
        while rest > 0 {
            let letters = [b"bcdfghjklmnprstvwxyz"[rest % 20], b"aeiou"[rest / 20 % 5]];
            word.extend(letters.map(char::from));
            rest /= 100;
        }
        word
    }

    fn title(&mut self) -> String {
        let title = self.words(3);
        if self.roll(MARKED) > 0 {
            return title;
        }
        title.replacen(' ', MARKS[self.place(MARKS.len())], 1)
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }
}

#[derive(Debug)]
pub(super) enum Listing {
    Page(Page),
    Game(Game),
}

impl Listing {
    /// The entity type on the feed.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Page(_) => "page",
            Self::Game(_) => "game",
        }
    }

    pub(super) fn id(&self) -> &str {
        match self {
            Self::Page(page) => &page.id,
            Self::Game(game) => &game.id,
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Page(page) => page.encode_to_vec(),
            Self::Game(game) => game.encode_to_vec(),
        }
    }
}

/// Generates the listings of a directory with `games` games.
#[derive(Debug, Clone)]
pub(super) struct Generator {
    dice: Dice,
    pub(super) games: u64,
    /// Sentences of the live directory for the descriptions, so that these compress like real texts.
    sentences: Vec<String>,
    genres: Vec<String>,
    countries: Vec<String>,
}

impl Generator {
    pub(super) fn new(games: u64) -> Self {
        let sentences = ["games", "games-without-year", "creators"];
        Self {
            dice: Dice(7),
            games,
            sentences: sentences.map(|file| column(file, "tagline")).concat(),
            genres: column("genres", "key"),
            countries: column("countries", "code"),
        }
    }

    fn creators(&self) -> u64 {
        self.games / GAMES_PER_CREATOR
    }

    pub(super) fn creator(&mut self, number: u64) -> Page {
        let city = self.dice.roll(self.creators() / CREATORS_PER_CITY + 1);
        Page {
            id: id(1, number),
            mode: Mode::Live.into(),
            state: State::Published.into(),
            visible: true,
            revision: 1,
            handle: format!("generated-studio-{number}"),
            kind: "studio".to_owned(),
            name: self.dice.words(2),
            tagline: self.dice.pick(&self.sentences).to_owned(),
            bio: self.prose(BIOGRAPHY),
            country_code: self.dice.pick(&self.countries).to_owned(),
            city: format!("City {city}"),
            city_slug: format!("city-{city}"),
            created_at: Some(at(number)),
            updated_at: Some(at(number)),
            first_published_at: Some(at(number)),
            ..Page::default()
        }
    }

    pub(super) fn game(&mut self, number: u64) -> Game {
        let slug = slug(number);
        let mut genres: Vec<String> =
            (0..=self.dice.roll(2)).map(|_| self.dice.pick(&self.genres).to_owned()).collect();
        genres.dedup();
        let platforms = PLATFORMS
            .iter()
            .filter(|_| self.dice.roll(3) == 0)
            .map(|key| (*key).to_owned())
            .collect();
        Game {
            id: id(2, number),
            mode: Mode::Live.into(),
            state: State::Published.into(),
            visible: true,
            revision: 1,
            title: self.dice.title(),
            tagline: self.dice.words(8),
            description: self.prose(DESCRIPTION),
            cover_url: Some(format!("https://img.mchezo.example/covers/{number}.jpg")),
            genres,
            platforms,
            stage: STAGES[self.dice.place(STAGES.len())].to_owned(),
            release_year: 2026,
            links: [("website".to_owned(), format!("https://{slug}.example/"))].into(),
            featured: number % FEATURED == 1,
            page_id: id(1, self.dice.roll(self.creators())),
            created_at: Some(at(number)),
            updated_at: Some(at(number)),
            first_published_at: Some(at(number)),
            slug,
            ..Game::default()
        }
    }

    /// All creators, then all games.
    pub(super) fn listings(mut self) -> impl Iterator<Item = Listing> {
        let creators = self.creators();
        (0..creators + self.games).map(move |number| match number.checked_sub(creators) {
            None => Listing::Page(self.creator(number)),
            Some(number) => Listing::Game(self.game(number)),
        })
    }

    /// The last two words of each game's title. The first two may have a mark between them.
    pub(super) fn queries(self) -> impl Iterator<Item = String> {
        self.listings().filter_map(|listing| match listing {
            Listing::Page(_) => None,
            Listing::Game(game) => {
                let words: Vec<&str> = game.title.rsplit([' ', '-']).take(2).collect();
                Some(words.join(" "))
            }
        })
    }

    fn prose(&mut self, length: usize) -> String {
        let mut text = String::new();
        while text.len() < length {
            text.push_str(self.dice.pick(&self.sentences));
            text.push(' ');
        }
        text.pop();
        text
    }
}

fn slug(number: u64) -> String {
    format!("generated-game-{number}")
}

fn id(kind: u128, number: u64) -> String {
    Uuid::from_u128(kind << 64 | u128::from(number)).to_string()
}

/// The time of a listing: a hundred are listed in an hour.
fn at(number: u64) -> Timestamp {
    let seconds = (OLDEST + number * 36).cast_signed();
    Timestamp { seconds, nanos: 0 }
}

/// The values of a column in a file of the live directory, without the rows that lack it.
fn column(file: &str, name: &str) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/data");
    let text = std::fs::read_to_string(format!("{folder}/{file}.ndjson")).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.filter_map(|row| row[name].as_str().map(str::to_owned))
        .filter(|value| !value.is_empty())
        .collect()
}
