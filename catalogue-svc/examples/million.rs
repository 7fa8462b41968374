//! Measures a start, its memory and changes in process: `cargo run --release -p catalogue --example million [games]`. The benchmark
//! `catalogue` asks the queries.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a measuring program for people"
)]

use std::time::{Duration, Instant};

use catalogue::index::entity::Entity;
use catalogue::index::{Catalogue, IndexWriter};
use kit::feed::Position;
use uuid::Uuid;

use generate::{Dice, Generator, Listing};

/// The listings of the benchmark `catalogue`.
#[path = "../../tests/bench/catalogue/generate.rs"]
mod generate;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A listing as the feed has it.
struct Row {
    kind: &'static str,
    id: String,
    body: Vec<u8>,
}

impl From<Listing> for Row {
    fn from(listing: Listing) -> Self {
        Self {
            kind: listing.kind(),
            id: listing.id().to_owned(),
            body: listing.encode(),
        }
    }
}

impl Row {
    fn convert(&self) -> Entity {
        let entity = Entity::read(self.kind, &self.id, &self.body, "https://mchezo.example");
        entity.unwrap().unwrap()
    }
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
    let last = times[times.len() - 1].as_secs_f64() * 1e6;
    println!("{what:<44} median {median:>9.1} µs   99 % {slowest:>9.1} µs   all {last:>9.1} µs");
}

fn main() {
    let games: u64 = std::env::args()
        .nth(1)
        .map_or(1_000_000, |n| n.parse().unwrap());
    let generator = Generator::new(games);
    let mut dice = Dice(7);
    let epoch = Uuid::from_u128(1);
    // Rows are converted portion by portion, as a start reads them, by two threads.
    let (mut spent, mut encoded) = (Duration::ZERO, 0);
    let position = Position { epoch, seq: 0 };
    let mut writer = IndexWriter::new(position);
    let before = resident();
    let mut listings = generator.clone().listings().map(Row::from);
    loop {
        let rows: Vec<Row> = listings.by_ref().take(8_192).collect();
        if rows.is_empty() {
            break;
        }
        encoded += rows.iter().map(|row| row.body.len()).sum::<usize>();
        let started = Instant::now();
        let mut entities = convert(&rows);
        writer.store_texts(&mut entities);
        for entity in entities {
            writer.store(entity);
        }
        spent += started.elapsed();
    }
    let started = Instant::now();
    let mut writer = writer.index_all(position).unwrap();
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
    change(&catalogue, &mut writer, &mut dice, generator);
}

fn convert(rows: &[Row]) -> Vec<Entity> {
    let (first, second) = rows.split_at(rows.len() / 2);
    let converted = |rows: &[Row]| rows.iter().map(Row::convert).collect::<Vec<Entity>>();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| converted(first));
        let second = converted(second);
        [first.join().unwrap(), second].concat()
    })
}

fn change(
    catalogue: &Catalogue,
    writer: &mut IndexWriter,
    dice: &mut Dice,
    mut generator: Generator,
) {
    let games = generator.games;
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
    let mut game = |number| Row::from(Listing::Game(generator.game(number)));
    let mut some = || (games..games + 2_000).map(|n| vec![game(n)]).collect();
    publish("a new game until it is visible", some());
    publish("all words of a game changed, until visible", some());
    let mut some = |dice: &mut Dice| (0..500).map(|_| game(dice.roll(games))).collect();
    let batches = (0..20).map(|_| some(dice)).collect();
    publish("500 games anywhere renamed, until visible", batches);
    // One after the other between two rows.
    let between = (0..5_000).map(|n| {
        let mut game = generator.game(games + 10_000 + n);
        game.first_published_at = generator.game(games / 2).first_published_at;
        vec![Row::from(Listing::Game(game))]
    });
    publish(
        "a new game between two others, until visible",
        between.collect(),
    );
    let renamed = (0..1_000).map(|n| vec![Row::from(Listing::Page(generator.creator(n)))]);
    publish("a page renamed, until visible", renamed.collect());
}
