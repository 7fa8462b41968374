//! Other decoders read what these encoders write.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use proptest::collection::vec;
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

use super::*;

/// Decodes one body and checks that nothing follows it.
fn decoded(coding: Coding, mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    match coding {
        Coding::Zstd => {
            // The reference implementation. HTTP clients need not accept larger windows (RFC 9659).
            let mut decoder = ::zstd::stream::read::Decoder::with_buffer(&mut bytes)
                .unwrap()
                .single_frame();
            decoder.window_log_max(23).unwrap();
            decoder.read_to_end(&mut whole).unwrap();
        }
        Coding::Gzip => {
            let mut decoder = flate2::bufread::GzDecoder::new(&mut bytes);
            decoder.read_to_end(&mut whole).unwrap();
        }
    }
    assert_eq!(bytes, b"", "{coding:?}: bytes follow the encoded body");
    whole
}

fn assert_round(prefix: &[u8], rest: &[u8]) {
    for coding in Coding::ALL {
        let answer = coding.encode_prefix(prefix).unwrap().finish(rest);
        let same = decoded(coding, &answer) == [prefix, rest].concat();
        assert!(same, "{coding:?}: {} and {}", prefix.len(), rest.len());
    }
}

/// Incompressible bytes.
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
fn lengths_around_the_limits_of_the_formats_round_trip() {
    let lengths = [
        0, 1, 2, 1_023, 1_024, 65_534, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 300_000,
    ];
    for length in lengths {
        for prefix in [noise(length), rows(length), vec![b' '; length]] {
            assert_round(&prefix, br#","meta":{"total":1}}"#);
        }
        assert_round(br#"{"success":true,"data":[]"#, &noise(length));
        assert_round(&noise(length), &noise(length));
    }
    assert_round(b"", b"");
}

#[test]
fn megabytes_round_trip() {
    assert_round(&rows(1_300_000), b"}");
    assert_round(&rows(10_000_000), b"}");
}

#[test]
fn rows_are_compressed() {
    let page = rows(10_000);
    for coding in Coding::ALL {
        let answer = coding.encode_prefix(&page).unwrap().finish(b"}");
        assert!(
            answer.len() < page.len() / 3,
            "{coding:?}: {}",
            answer.len()
        );
    }
}

#[test]
fn the_system_s_gzip_decodes_it() {
    let answer = Coding::Gzip.encode_prefix(&rows(100_000)).unwrap();
    let mut gzip = Command::new("gzip")
        .args(["--decompress", "--stdout"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("every Debian and Ubuntu has gzip");
    let mut input = gzip.stdin.take().unwrap();
    let writing = std::thread::spawn(move || input.write_all(&answer.finish(b"}")).unwrap());
    let output = gzip.wait_with_output().unwrap();
    writing.join().unwrap();
    assert!(output.status.success());
    assert!(output.stdout == [&rows(100_000), &b"}"[..]].concat());
}

/// Prints what each coding costs.
#[test]
#[ignore = "by hand: cargo test --release -p gateway what_codings_cost -- --ignored --nocapture"]
fn by_hand_what_codings_cost() {
    const TIMES: u32 = 10;
    let data = include_str!("../../../deploy/data/games.ndjson");
    let lines: Vec<&str> = data.lines().collect();
    for rows in [20, lines.len()] {
        let page = format!("[{}]", lines[..rows].join(","));
        // The minimum of many short rounds: interference only adds time.
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
            let prefix = coding.encode_prefix(page.as_bytes()).unwrap();
            let (first, size) = time(&|| coding.encode_prefix(page.as_bytes()).unwrap().size());
            let (again, _) = time(&|| prefix.finish(&[b' '; 150]).len());
            println!("  {coding:?}: {first:?}, then {again:?}; {size} bytes");
        }
        let (hash, _) = time(&|| usize::from(xxh3_128(page.as_bytes()) == 0));
        println!("  its hash: {hash:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_round_trip(
        prefix in vec(any::<u8>(), 0..2_000),
        repeated in 0..100_usize,
        rest in vec(any::<u8>(), 0..500),
    ) {
        assert_round(&prefix, &rest);
        assert_round(&prefix.repeat(repeated), &rest);
    }
}
