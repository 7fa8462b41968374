//! Measures the catalogue in memory: `cargo run --release -p catalogue --example million [games]`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a measuring program for people"
)]

use std::time::{Duration, Instant};

use catalogue::domain::facet::Facet;
use catalogue::domain::keyword::Keyword;
use catalogue::domain::listing::Mode;
use catalogue::domain::order::GameKey;
use catalogue::domain::words;
use catalogue::index::entity::Entity;
use catalogue::index::{CHUNK_ROWS, Catalogue, Document as _, Query, Search, Writer};
use contracts::listings::v1 as listings;
use kit::feed::Position;
use prost::Message as _;
use uuid::Uuid;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const GENRES: u64 = 22;
const CITIES: u64 = 2_000;
const PLATFORMS: [&str; 6] = ["web", "android", "ios", "windows", "mac", "linux"];
const STAGES: [&str; 3] = ["released", "early_access", "in_development"];
const DISTINCT_WORDS: u64 = 100_000;

/// Numbers that look random and are the same each time (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }

    /// Words as texts have them: few that are everywhere, many that are rare.
    fn word(&mut self) -> String {
        let range = 1 + self.roll(DISTINCT_WORDS);
        let number = self.roll(range);
        let mut word = String::new();
        let mut rest = number * 7_919 + 11;
        while rest > 0 {
            word.push(char::from(b'a' + (rest % 20) as u8));
            word.push(char::from(b"aeiou"[(rest / 20 % 5) as usize]));
            rest /= 100;
        }
        word
    }

    fn text(&mut self, count: u64) -> String {
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }
}

fn id(kind: u128, number: u64) -> String {
    Uuid::from_u128(kind << 64 | u128::from(number)).to_string()
}

/// A row as the schema has it.
struct Row {
    kind: &'static str,
    id: String,
    body: Vec<u8>,
}

impl Row {
    fn convert(&self) -> Entity {
        let entity = Entity::read(self.kind, &self.id, 1, &self.body);
        entity.unwrap().unwrap()
    }
}

fn page(dice: &mut Dice, number: u64) -> Row {
    let city = dice.roll(CITIES);
    let page = listings::Page {
        mode: 1,
        state: 2,
        handle: format!("studio-{number}"),
        name: dice.text(2),
        country_code: format!("A{}", char::from(b'A' + (dice.roll(18)) as u8)),
        city: format!("City {city}"),
        city_slug: format!("city-{city}"),
        created_at: Some(prost_types::Timestamp::default()),
        ..listings::Page::default()
    };
    row("page", id(1, number), page.encode_to_vec())
}

fn game(dice: &mut Dice, number: u64, pages: u64) -> Row {
    let title = dice.text(3);
    let slug = format!("game-with-a-slug-of-its-own-{number}");
    let at = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
    let game = listings::Game {
        mode: 1,
        state: 2,
        tagline: dice.text(8),
        description: dice.text(40),
        cover_url: Some(format!("https://img.mchezo.example/covers/{number}.jpg")),
        genres: (0..=dice.roll(2))
            .map(|_| format!("genre-{}", dice.roll(GENRES)))
            .collect(),
        platforms: PLATFORMS
            .iter()
            .filter(|_| dice.roll(3) == 0)
            .map(|p| (*p).to_owned())
            .collect(),
        stage: STAGES[dice.roll(3) as usize].to_owned(),
        release_year: 2026,
        featured: dice.roll(1_000) == 0,
        page_id: id(1, dice.roll(pages)),
        url: format!("https://mchezo.example/games/{slug}"),
        created_at: at((number / 50).cast_signed()),
        updated_at: at((number / 50).cast_signed()),
        title,
        slug,
        ..listings::Game::default()
    };
    row("game", id(2, number), game.encode_to_vec())
}

fn row(kind: &'static str, id: String, body: Vec<u8>) -> Row {
    Row { kind, id, body }
}

/// Bytes of memory this process holds.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    let kilobytes: u32 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    f64::from(kilobytes) * 1_024.0
}

fn report(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let median = times[times.len() / 2].as_secs_f64() * 1e6;
    let slowest = times[times.len() * 99 / 100].as_secs_f64() * 1e6;
    println!("{what:<44} median {median:>9.1} µs   99 % {slowest:>9.1} µs");
}

fn main() {
    let games: u64 = std::env::args()
        .nth(1)
        .map_or(1_000_000, |n| n.parse().unwrap());
    let pages = (games / 5).max(1);
    let mut dice = Dice(7);
    let epoch = Uuid::from_u128(1);
    // Rows are converted portion by portion, as a start reads them, by two threads in turn.
    let (mut spent, mut encoded) = (Duration::ZERO, 0);
    let mut entities = Vec::new();
    let before = resident();
    let numbers: Vec<u64> = (0..pages + games).collect();
    for portion in numbers.chunks(8_192) {
        let rows = portion
            .iter()
            .map(|number| match number.checked_sub(pages) {
                None => page(&mut dice, *number),
                Some(number) => game(&mut dice, number, pages),
            });
        let rows: Vec<Row> = rows.collect();
        encoded += rows.iter().map(|row| row.body.len()).sum::<usize>();
        let started = Instant::now();
        entities.extend(convert(&rows));
        spent += started.elapsed();
    }
    let started = Instant::now();
    let position = Position { epoch, seq: 0 };
    let mut writer = Writer::build(position, CHUNK_ROWS, entities).unwrap();
    let catalogue = Catalogue::default();
    catalogue.publish(writer.snapshot());
    println!(
        "{games} games converted in {:.1} s and indexed in {:.1} s",
        spent.as_secs_f64(),
        started.elapsed().as_secs_f64()
    );
    println!(
        "{:.0} bytes a game, for {:.0} on the feed",
        (resident() - before) / games as f64,
        encoded as f64 / games as f64
    );
    ask(&catalogue, &mut dice);
    change(&catalogue, &mut writer, &mut dice, games, pages);
}

fn convert(rows: &[Row]) -> Vec<Entity> {
    let (first, second) = rows.split_at(rows.len() / 2);
    let converted = |rows: &[Row]| rows.iter().map(Row::convert).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| converted(first));
        let second = converted(second);
        [first.join().unwrap(), second].concat()
    })
}

/// Asks a thousand questions of one kind.
fn measure(
    catalogue: &Catalogue,
    dice: &mut Dice,
    what: &str,
    mut question: impl FnMut(&mut Dice) -> Query<GameKey>,
) {
    let (mut times, mut total) = (Vec::new(), 0);
    for _ in 0..1_000 {
        let question = Query {
            limit: 20,
            ..question(dice)
        };
        let started = Instant::now();
        let state = catalogue.snapshot().unwrap();
        total += state.dataset(Mode::Live).games.search(&question).total;
        times.push(started.elapsed());
    }
    let what = format!("{what} (total {} on average)", total / 1_000);
    report(&what, &mut times);
}

fn ask(catalogue: &Catalogue, dice: &mut Dice) {
    let state = catalogue.snapshot().unwrap();
    let shelf = &state.dataset(Mode::Live).games;
    let facets = |facets| Query {
        facets,
        ..Query::default()
    };
    let genre = |dice: &mut Dice| {
        let key = format!("genre-{}", dice.roll(GENRES));
        state.genres.facet(&key).unwrap()
    };
    let country = |dice: &mut Dice| Facet::Country([b'A', b'A' + dice.roll(18) as u8]);
    let far = Query {
        limit: 100_000,
        ..Query::default()
    };
    let keys: Vec<_> = shelf
        .search(&far)
        .rows
        .iter()
        .map(|row| row.key.clone())
        .collect();
    measure(catalogue, dice, "first page", |_| Query::default());
    measure(catalogue, dice, "page behind a cursor", |dice| Query {
        after: Some(keys[dice.roll(keys.len() as u64) as usize].clone()),
        ..Query::default()
    });
    measure(catalogue, dice, "genre", |dice| facets(vec![genre(dice)]));
    measure(catalogue, dice, "genre, platform, country", |dice| {
        facets(vec![genre(dice), Facet::Platform(1), country(dice)])
    });
    measure(catalogue, dice, "creator", |dice| Query {
        keywords: vec![Keyword::Creator(
            format!("studio-{}", dice.roll(1_000)).into(),
        )],
        ..Query::default()
    });
    search(catalogue, dice);
    let mut times = Vec::new();
    for key in keys.iter().step_by(97).take(1_000) {
        let started = Instant::now();
        let state = catalogue.snapshot().unwrap();
        let row = state.dataset(Mode::Live).games.get(&key.slug).unwrap();
        assert!(!row.text().json().to_vec().is_empty());
        times.push(started.elapsed());
    }
    report("single game", &mut times);
}

fn search(catalogue: &Catalogue, dice: &mut Dice) {
    let asked = |dice: &mut Dice, letters: usize, count: usize, facets| {
        let mut begin = || dice.word().chars().take(letters).collect::<String>();
        let words: Vec<String> = (0..count).map(|_| begin()).collect();
        Query {
            words: words::of_query(&words.join(" "), 10),
            facets,
            ..Query::default()
        }
    };
    let android = || vec![Facet::Platform(1)];
    measure(catalogue, dice, "word", |dice| asked(dice, 9, 1, vec![]));
    measure(catalogue, dice, "two words", |dice| {
        asked(dice, 9, 2, vec![])
    });
    measure(catalogue, dice, "two beginnings of 4 letters", |dice| {
        asked(dice, 4, 2, vec![])
    });
    measure(
        catalogue,
        dice,
        "beginning of 4 letters, platform",
        |dice| asked(dice, 4, 1, android()),
    );
    measure(catalogue, dice, "letter", |dice| asked(dice, 1, 1, vec![]));
    measure(catalogue, dice, "letter, platform", |dice| {
        asked(dice, 1, 1, android())
    });
    measure(catalogue, dice, "ten letters", |dice| {
        asked(dice, 1, 10, vec![])
    });
    let mut everywhere = |what: &str, letters, count| {
        let (mut times, mut total) = (Vec::new(), 0);
        for _ in 0..1_000 {
            let search = Search {
                words: asked(dice, letters, count, vec![]).words.unwrap(),
                limit: 20,
                ..Search::default()
            };
            let started = Instant::now();
            let state = catalogue.snapshot().unwrap();
            total += state.dataset(Mode::Live).search(&search).total;
            times.push(started.elapsed());
        }
        let what = format!("{what} (total {} on average)", total / 1_000);
        report(&what, &mut times);
    };
    everywhere("search: a word", 9, 1);
    everywhere("search: two words", 9, 2);
    everywhere("search: two beginnings of 4 letters", 4, 2);
    everywhere("search: two letters", 1, 2);
    everywhere("search: ten letters", 1, 10);
}

fn change(catalogue: &Catalogue, writer: &mut Writer, dice: &mut Dice, games: u64, pages: u64) {
    let mut publish = |what: &str, batches: Vec<Vec<Row>>| {
        let mut times = Vec::new();
        for batch in batches {
            let started = Instant::now();
            for row in batch {
                writer.apply(row.convert());
            }
            writer.flush(1).unwrap();
            catalogue.publish(writer.snapshot());
            times.push(started.elapsed());
        }
        report(what, &mut times);
    };
    let some = |dice: &mut Dice, from: u64| {
        (0..2_000)
            .map(|n| vec![game(dice, from + n, pages)])
            .collect()
    };
    publish("a new game until it is visible", some(dice, games));
    publish(
        "all words of a game changed, until visible",
        some(dice, games),
    );
    let batches = (0..20).map(|_| {
        (0..500)
            .map(|_| {
                let n = dice.roll(games);
                game(dice, n, pages)
            })
            .collect()
    });
    publish(
        "500 games anywhere renamed, until visible",
        batches.collect(),
    );
    let renamed = (0..1_000).map(|n| vec![page(dice, n)]).collect();
    publish("a page renamed, until visible", renamed);
}
