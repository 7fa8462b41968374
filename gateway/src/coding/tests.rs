//! Whatever is opened and closed comes out of other people's decoders as it went in.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use proptest::collection::vec;
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

use super::*;

/// Decodes one answer, which must be all there is.
fn decoded(coding: Coding, mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    match coding {
        Coding::Zstd => {
            // The reference implementation, which refuses windows beyond what callers over HTTP take (RFC 9659).
            let mut decoder = ::zstd::stream::read::Decoder::with_buffer(&mut bytes)
                .unwrap()
                .single_frame();
            decoder.window_log_max(23).unwrap();
            decoder.read_to_end(&mut whole).unwrap();
        }
        Coding::Brotli => {
            let mut input = &mut bytes;
            ::brotli::BrotliDecompress(&mut input, &mut whole).unwrap();
        }
        Coding::Gzip => {
            let mut decoder = flate2::bufread::GzDecoder::new(&mut bytes);
            decoder.read_to_end(&mut whole).unwrap();
        }
    }
    assert_eq!(bytes, b"", "{coding:?}: something stands behind it");
    whole
}

fn assert_round(beginning: &[u8], rest: &[u8]) {
    for coding in Coding::ALL {
        let answer = coding.open(beginning).unwrap().close(rest);
        let same = decoded(coding, &answer) == [beginning, rest].concat();
        assert!(same, "{coding:?}: {} and {}", beginning.len(), rest.len());
    }
}

/// Bytes that no coding can make shorter.
pub(super) fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}

fn rows(length: usize) -> Vec<u8> {
    let rows = (0_u64..).flat_map(|n| {
        format!(r#"{{"slug":"game-{n}","title":"Game {}"}},"#, n * 7_919).into_bytes()
    });
    rows.take(length).collect()
}

#[test]
fn any_lengths_around_the_formats_bounds_come_back() {
    let lengths = [
        0, 1, 2, 1_023, 1_024, 65_534, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 300_000,
    ];
    for length in lengths {
        for beginning in [noise(length), rows(length), vec![b' '; length]] {
            assert_round(&beginning, br#","meta":{"total":1}}"#);
        }
        assert_round(br#"{"success":true,"data":[]"#, &noise(length));
        assert_round(&noise(length), &noise(length));
    }
    assert_round(b"", b"");
}

#[test]
fn a_megabyte_or_ten_comes_back() {
    assert_round(&rows(1_300_000), b"}");
    assert_round(&rows(10_000_000), b"}");
}

#[test]
fn what_can_be_shorter_is() {
    let page = rows(10_000);
    for coding in Coding::ALL {
        let answer = coding.open(&page).unwrap().close(b"}");
        assert!(
            answer.len() < page.len() / 3,
            "{coding:?}: {}",
            answer.len()
        );
    }
}

#[test]
fn the_gzip_of_the_machine_takes_it() {
    let answer = Coding::Gzip.open(&rows(100_000)).unwrap();
    let mut gzip = Command::new("gzip")
        .args(["--decompress", "--stdout"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("every Debian and Ubuntu has gzip");
    let mut input = gzip.stdin.take().unwrap();
    let writing = std::thread::spawn(move || input.write_all(&answer.close(b"}")).unwrap());
    let output = gzip.wait_with_output().unwrap();
    writing.join().unwrap();
    assert!(output.status.success());
    assert!(output.stdout == [&rows(100_000), &b"}"[..]].concat());
}

/// Prints what the README says of time and size.
#[test]
#[ignore = "a measurement: cargo test --release -p gateway what_codings_cost -- --ignored --nocapture"]
fn what_codings_cost() {
    const TIMES: u32 = 10;
    let data = include_str!("../../../deploy/data/games.ndjson");
    let lines: Vec<&str> = data.lines().collect();
    for rows in [20, lines.len()] {
        let page = format!("[{}]", lines[..rows].join(","));
        // The best of many short rounds: what is in the way on a machine only ever adds.
        let time = |what: &dyn Fn() -> usize| {
            let round = || {
                let started = std::time::Instant::now();
                let size = (0..TIMES).map(|_| std::hint::black_box(what())).max();
                (started.elapsed() / TIMES, size.unwrap_or_default())
            };
            std::iter::repeat_with(round).take(300).min().unwrap()
        };
        println!("{rows} rows, {} bytes", page.len());
        for coding in Coding::ALL {
            let opening = coding.open(page.as_bytes()).unwrap();
            let (first, size) = time(&|| coding.open(page.as_bytes()).unwrap().size());
            let (again, _) = time(&|| opening.close(&[b' '; 150]).len());
            println!("  {coding:?}: {first:?}, then {again:?}; {size} bytes");
        }
        let (hash, _) = time(&|| usize::from(xxh3_128(page.as_bytes()) == 0));
        println!("  its hash: {hash:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_come_back(
        beginning in vec(any::<u8>(), 0..2_000),
        repeated in 0..100_usize,
        rest in vec(any::<u8>(), 0..500),
    ) {
        assert_round(&beginning, &rest);
        assert_round(&beginning.repeat(repeated), &rest);
    }
}
