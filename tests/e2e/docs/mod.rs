//! The documentation: every example runs against the fleet in its language, and prints what the documentation says; `docs_url` of an error leads to
//! the paragraph about its code.

mod blocks;
mod matcher;
mod readers;

use std::path::{Path, PathBuf};

use e2e::{Client, Fleet};

use blocks::{Block, Keys, Kind, blocks};
use readers::{Reader, Run};

/// A library that the page about webhooks shows.
const PYTHON_LIBRARY: &str = "standardwebhooks==1.1.0";
const GENERATOR: &str = "the module `clients` runs these generators, at the versions that it pins";
const PART: &str = "a part of a program; the module `clients` compiles the like";
const LIBRARY: &str = "it needs a package and a message; a test of its own gives it both";

/// Blocks that nobody can run, by page and first line, with the reason.
const NOT_RUN: [(&str, &str, &str); 13] = [
    ("clients", "npm install openapi-fetch", GENERATOR),
    ("clients", "pip install openapi-python-client", GENERATOR),
    ("clients", "const change = response.data.data;", PART),
    (
        "economy",
        "cost = 60 × meal + 40 × ride + 20 × wage + 1 × rent",
        "a formula; the examples around it have its results",
    ),
    (
        "first-call",
        "export API={{api_url}}",
        "it names a key that does not exist; the test sets these variables",
    ),
    (
        "pictures",
        "<img src=\"https://…/pictures/….jpg\" srcset=\"https://…/pictures/…-small.jpg 600w, https://…/pictures/….jpg 1200w\"",
        "an element of a page",
    ),
    (
        "versioning",
        "Deprecation: @1798761600",
        "headers of a case that there is not yet",
    ),
    (
        "webhooks",
        "POST /hooks/mchezo HTTP/1.1",
        "the fleet sends it, to a public address; receivers are tested in the crate `receiver`",
    ),
    (
        "webhooks",
        "from standardwebhooks.webhooks import Webhook",
        LIBRARY,
    ),
    (
        "webhooks",
        "import { Webhook } from 'standardwebhooks';",
        LIBRARY,
    ),
    (
        "webhooks",
        "webhook, err := standardwebhooks.NewWebhook(strings.TrimPrefix(secret, \"svc_\"))",
        "a machine with Go and its packages is rare; the lines for other languages run",
    ),
    (
        "webhooks",
        "export SERVICE_WEBHOOK_SECRET=svc_whsec_… PORT=9400",
        "it runs until it is stopped; the tests of the crate `receiver` start the programs so",
    ),
    (
        "webhooks",
        "export SERVICE_WEBHOOK_SECRET=svc_whsec_…",
        "it runs until it is stopped; the tests of messages and of the crate `receiver` start it",
    ),
];

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap().to_owned()
}

/// The texts by the names of their pages.
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
fn every_block_runs_or_says_why_not() {
    let (mut not_run, mut unmarked) = (Vec::new(), Vec::new());
    for (page, text) in texts() {
        let found = blocks(&text);
        assert!(!found.is_empty() || page == "changelog", "{page}");
        for (at, block) in found.iter().enumerate() {
            let Block { kind, code, .. } = block;
            let next = found.get(at + 1).map(|next| &next.kind);
            match kind {
                Kind::Run(_) => assert_eq!(next, Some(&Kind::Answer), "{page}: {code}"),
                Kind::Answer => {
                    let before = at.checked_sub(1).map(|at| &found[at].kind);
                    assert!(matches!(before, Some(Kind::Run(_))), "{page}: {code}");
                }
                Kind::NotRun => {
                    let line = code.lines().next().unwrap();
                    not_run.push((page.clone(), line.to_owned()));
                }
                Kind::Unmarked => unmarked.push(code.clone()),
                // The tests of the crate `receiver` start these.
                Kind::Receiver => assert_eq!(page, "webhooks"),
            }
        }
    }
    assert_eq!(unmarked, Vec::<String>::new());
    let known = NOT_RUN.map(|(page, line, reason)| {
        assert!(reason.len() > 10);
        (page.to_owned(), line.to_owned())
    });
    assert_eq!(not_run, known);
}

/// Runs the examples of a page in their order, in one folder.
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
        match reader
            .run(&pair[0].language, &code, keys, folder.path())
            .await
        {
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

/// A message whose work always fails must not stop the ones behind it.
#[tokio::test]
async fn the_programs_that_pull_set_aside_a_message_that_always_fails() {
    let reader = Reader::new().await;
    let (_, text) = texts()
        .into_iter()
        .find(|(page, _)| page == "webhooks")
        .unwrap();
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

/// Signs a message as the service does, by the standard library of the language.
const SIGNED_IN_PYTHON: &str = r#"
import base64, hashlib, hmac, time

key, time = bytes(range(32)), str(int(time.time()))
secret = "svc_whsec_" + base64.b64encode(key).decode()
body = '{"id":"a","event":"ping"}'
code = hmac.new(key, f"a.{time}.{body}".encode(), hashlib.sha256).digest()
headers = {"webhook-id": "a", "webhook-timestamp": time, "webhook-signature": "v1," + base64.b64encode(code).decode()}
"#;
const SIGNED_IN_NODE: &str = r#"
import { createHmac } from 'node:crypto';

const [key, time] = [Buffer.alloc(32, 7), String(Math.floor(Date.now() / 1000))];
const secret = 'svc_whsec_' + key.toString('base64');
const body = '{"id":"a","event":"ping"}';
const code = createHmac('sha256', key).update(`a.${time}.${body}`).digest('base64');
const headers = { 'webhook-id': 'a', 'webhook-timestamp': time, 'webhook-signature': `v1,${code}` };
"#;

#[tokio::test]
#[ignore = "long: libraries from package indexes"]
async fn a_library_of_standard_webhooks_verifies_by_the_lines_that_are_shown() {
    let environments = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let environment = testing::python::environment(environments, PYTHON_LIBRARY, &[]).await;
    let python = environment.unwrap().join("bin/python");
    let folder = tempfile::tempdir().unwrap();
    let packages = crate::clients::npm_packages().await;
    std::os::unix::fs::symlink(packages, folder.path().join("node_modules")).unwrap();
    let text = texts().into_iter().find(|(page, _)| page == "webhooks");
    let found = blocks(&text.unwrap().1);
    for (language, program, file, before, after) in [
        (
            "python",
            python.as_path(),
            "verify.py",
            SIGNED_IN_PYTHON,
            "print(message['event'])",
        ),
        (
            "js",
            Path::new("node"),
            "verify.mjs",
            SIGNED_IN_NODE,
            "console.log(message.event);",
        ),
    ] {
        let mut of_language = found.iter().filter(|block| block.language == language);
        let shown = of_language.find(|block| block.code.contains("standardwebhooks"));
        let code = format!("{before}\n{}\n{after}\n", shown.unwrap().code);
        std::fs::write(folder.path().join(file), code).unwrap();
        let mut command = tokio::process::Command::new(program);
        let output = command.arg(file).current_dir(&folder).output();
        let output = output.await.unwrap();
        let complained = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.stdout, b"ping\n", "{language}: {complained}");
    }
}
