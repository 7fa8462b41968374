//! The documentation: every example runs against the fleet in its language, and prints what the documentation says. `docs_url` of an error leads to
//! the paragraph about its code.

mod blocks;
mod matcher;
mod readers;

use std::path::{Path, PathBuf};

use e2e::{Client, Fleet};

use blocks::{Block, Keys, Kind, blocks};
use readers::{Reader, Run};

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap().to_owned()
}

/// The texts of the guides, by page.
fn texts() -> Vec<(String, String)> {
    let folder = root().join("gateway/web/pages/guides");
    let files = std::fs::read_dir(folder).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let mut texts: Vec<(String, String)> = paths
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    texts.sort();
    texts
}

#[test]
fn every_block_runs_or_is_marked() {
    for (page, text) in texts() {
        let found = blocks(&text);
        assert!(!found.is_empty() || page == "changelog", "{page}");
        for (at, Block { kind, code, .. }) in found.iter().enumerate() {
            let kind_at = |at: usize| found.get(at).map(|block| &block.kind);
            match kind {
                Kind::Run(_) => assert_eq!(kind_at(at + 1), Some(&Kind::Answer), "{page}: {code}"),
                Kind::Answer => {
                    let before = at.checked_sub(1).and_then(kind_at);
                    assert!(matches!(before, Some(Kind::Run(_))), "{page}: {code}");
                }
                Kind::NotRun => {}
                Kind::Unmarked => unreachable!("{page}: {code}"),
                // The tests of the crate `receiver` start these programs.
                Kind::Receiver => assert_eq!(page, "webhooks"),
            }
        }
    }
}

/// Runs the examples of a page in order, in one folder.
async fn run_page(name: &str, mut reader: Reader) {
    let (_, text) = texts().into_iter().find(|(page, _)| page == name).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut ran = 0;
    let mut problems = Vec::new();
    let found = blocks(&text);
    for pair in found.windows(2) {
        let Kind::Run(keys) = pair[0].kind else {
            continue;
        };
        let (code, expected) = (reader.fill(&pair[0].code), reader.fill(&pair[1].code));
        match reader.run(&pair[0].language, &code, keys, folder.path()).await {
            Run::NoInterpreter => {}
            Run::Printed(printed) if matcher::matches(&expected, &printed) => {
                ran += 1;
                if let Some((name, field)) = &pair[0].save {
                    reader.save(name, field, &printed);
                }
            }
            Run::Printed(printed) => {
                problems.push(format!("{code}\nprints\n{printed}\nand not\n{expected}"));
            }
        }
    }
    assert!(problems.is_empty(), "{name}:\n{}", problems.join("\n---\n"));
    assert!(ran > 0, "{name} has no example that runs");
}

macro_rules! pages {
    ($($test:ident $page:literal)*) => {
        $(#[tokio::test]
        async fn $test() {
            run_page($page, Reader::new().await).await;
        })*

        #[test]
        fn every_page_with_an_example_has_a_test() {
            let runs = |text: &str| {
                let found = blocks(text);
                found.iter().any(|block| matches!(block.kind, Kind::Run(_)))
            };
            let texts = texts().into_iter().filter(|(_, text)| runs(text));
            let names: Vec<String> = texts.map(|(name, _)| name).collect();
            let mut tested = vec![$($page),*];
            tested.sort_unstable();
            assert_eq!(names, tested);
        }
    };
}

pages! {
    examples_of_the_first_call "first-call"
    examples_of_keys "keys"
    examples_of_clients "clients"
    examples_of_going_live "go-live"
    examples_of_reading "reading"
    examples_of_writing "writing"
    examples_of_the_economy "economy"
    examples_of_webhooks "webhooks"
    examples_of_feeds "feeds"
    examples_of_limits "limits"
    examples_of_errors "errors"
    examples_of_versions "versioning"
    examples_of_support "support"
}

#[tokio::test]
async fn the_address_in_an_error_leads_to_the_paragraph_about_it() {
    let fleet = Fleet::shared();
    let error = Client::anonymous(&fleet).get("/games").await;
    let address = error.body["error"]["docs_url"].as_str().unwrap();
    let (page, anchor) = address.split_once('#').unwrap();
    assert_eq!(page, format!("{}docs/errors", fleet.dashboard_url));
    assert_eq!(anchor, "missing_key");
    let page = reqwest::get(page).await.unwrap();
    assert_eq!(page.status(), 200);
    let text = page.text().await.unwrap();
    for code in kit::Code::ALL {
        let id = format!("<h3 id=\"{}\">", code.as_str());
        assert!(text.contains(&id), "{id}");
    }
}

/// A message whose work always fails must not block the messages behind it.
#[tokio::test]
async fn the_programs_that_pull_set_aside_a_message_that_always_fails() {
    let reader = Reader::new().await;
    let (_, text) = texts().into_iter().find(|(page, _)| page == "webhooks").unwrap();
    let found = blocks(&text);
    for (language, good, bad) in [
        (
            "python",
            "def handle(message):\n",
            "sys.stderr = sys.stdout\n\n\ndef handle(message):\n    if message['event'] == 'tip.paid':\n        raise ValueError('a test')\n",
        ),
        (
            "js",
            "async function handle(message) {\n",
            "console.error = console.log;\nasync function handle(message) {\n  if (message.event === 'tip.paid') throw 'a test';\n",
        ),
    ] {
        let mut programs = found.iter().filter(|block| block.language == language);
        let program = programs.find(|block| block.code.contains(good)).unwrap();
        let code = reader.fill(&program.code.replace(good, bad));
        let folder = tempfile::tempdir().unwrap();
        let mut printed = String::new();
        for _ in 0..6 {
            let run = reader.run(language, &code, Keys::Test, folder.path());
            match run.await {
                Run::Printed(text) => printed.push_str(&text),
                Run::NoInterpreter => unreachable!("{language} is installed"),
            }
        }
        for (line, times) in [
            ("failed and is tried again: ", 4),
            ("failed and is set aside: ", 1),
            ("ranking.moved person\n", 1),
            ("tip.paid game", 0),
        ] {
            assert_eq!(printed.matches(line).count(), times, "{line}: {printed}");
        }
    }
}
