//! Operations that a person tries on the site: the same request from a program, with a real test key, gets the same answer.

use std::process::Stdio;

use e2e::{Fleet, WebClient, WebPage, eventually};
use serde_json::Value;
use tokio::process::Command;

/// The page after a form was sent.
struct Tried {
    page: WebPage,
    status: u16,
    /// As the page shows it; null if it is longer than that.
    answer: Value,
}

/// A member of an account, in a browser.
struct Member {
    fleet: Fleet,
    browser: WebClient,
    /// The path of the account's pages.
    account: String,
}

impl Member {
    async fn new() -> Self {
        let fleet = Fleet::shared();
        let mut browser = WebClient::new(&fleet);
        let account = browser.sign_in(fleet.account("build")).await;
        Self {
            fleet,
            browser,
            account,
        }
    }

    /// Opens the form of an operation from its page in the reference, and sends it.
    async fn send(&mut self, operation: &str, fields: &[(&str, &str)]) -> Tried {
        let page = self
            .browser
            .get(&format!("/docs/reference/{operation}"))
            .await;
        let link = format!("/try/{operation}");
        assert!(
            page.text.contains(&format!("href=\"{link}\"")),
            "{}",
            page.text
        );
        let form = self.browser.get(&link).await.location;
        assert_eq!(form, format!("{}{link}", self.account));
        assert_eq!(self.browser.get(&form).await.status, 200);
        let page = self.browser.post(&form, fields).await;
        assert_eq!(page.status, 200, "{operation}: {}", page.text);
        assert!(!page.text.contains("svc_"), "{}", page.text);
        let status = page.element("status");
        let answer = unescaped(&page.element("answer"));
        Tried {
            status: status[..3].parse().unwrap(),
            answer: serde_json::from_str(&answer).unwrap_or_default(),
            page,
        }
    }
}

fn unescaped(html: &str) -> String {
    let characters = [
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&#60;", "<"),
        ("&#62;", ">"),
        ("&#38;", "&"),
    ];
    characters
        .into_iter()
        .fold(html.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// An answer without what differs each time.
fn comparable(answer: &Value) -> Value {
    let mut answer = answer.clone();
    answer["meta"]["request_id"] = Value::Null;
    answer
}

/// Runs a snippet of the page with a key; returns status and body of the answer.
async fn run(snippet: &str, command: &[&str], variable: &str, key: &str) -> (u16, Value) {
    let (program, options) = command.split_first().unwrap();
    let mut child = Command::new(program);
    child.args(options).arg(snippet).env(variable, key);
    let output = child.stdin(Stdio::null()).output().await.unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{snippet}: {complaint}");
    let printed = String::from_utf8(output.stdout).unwrap();
    // curl prints the head, and the others the status, before the body.
    let (head, body) = match printed.split_once("\r\n\r\n") {
        Some((head, body)) => (head.split(' ').nth(1).unwrap(), body),
        None => printed.split_once(' ').unwrap(),
    };
    (head.parse().unwrap(), serde_json::from_str(body).unwrap())
}

/// All snippets of the page get its answer.
async fn assert_repeated(tried: &Tried, variable: &str, key: &str) {
    for (id, status, answer) in repeated(tried, variable, key).await {
        assert_eq!(status, tried.status, "{id}");
        assert_eq!(comparable(&answer), comparable(&tried.answer), "{id}");
    }
}

/// Each snippet of the page, with the status and the body that it gets.
async fn repeated(tried: &Tried, variable: &str, key: &str) -> Vec<(&'static str, u16, Value)> {
    let mut repeated = Vec::new();
    for (id, command) in [
        ("curl", ["sh", "-c"].as_slice()),
        ("python", &["python3", "-c"]),
        ("javascript", &["node", "--input-type=module", "-e"]),
    ] {
        let snippet = unescaped(&tried.page.element(id));
        assert!(snippet.contains(variable), "{snippet}");
        let (status, answer) = run(&snippet, command, variable, key).await;
        repeated.push((id, status, answer));
    }
    repeated
}

#[tokio::test]
async fn a_read_gets_what_a_test_key_gets() {
    let mut member = Member::new().await;
    let key = member.fleet.account("build").keys.test.clone();
    let fields = [
        ("query.country", "KE"),
        ("query.limit", "2"),
        ("query.q", "o'\"$(id)"),
    ];
    for fields in [&fields[..2], &fields[..]] {
        let tried = member.send("listGames", fields).await;
        assert_eq!(tried.status, 200);
        assert_eq!(tried.answer["meta"]["mode"], "test");
        assert_repeated(&tried, "SERVICE_API_KEY", &key).await;
    }
    let missing = member.send("getGame", &[("path.slug", "né/../x")]).await;
    assert_eq!(missing.status, 404);
    assert_repeated(&missing, "SERVICE_API_KEY", &key).await;
}

#[tokio::test]
async fn a_write_is_checked_as_with_a_test_key_and_nothing_is_stored() {
    let mut member = Member::new().await;
    let key = member.fleet.account("build").keys.test_write.clone();
    let good = "{\n  \"creator\": \"sample-karoo-giants\",\n  \"title\": \"It's \\\"Karoo\\\" `$HOME` é\"\n}";
    let bad = "{\"creator\": \"sample-karoo-giants\", \"titel\": \"\"}";
    for (body, status) in [(good, 200), (bad, 400), ("no JSON", 400), ("", 400)] {
        let tried = member.send("submitGame", &[("body", body)]).await;
        assert_eq!(tried.status, status, "{}", tried.answer);
        assert_repeated(&tried, "SERVICE_WRITE_KEY", &key).await;
    }
    let change = [
        ("path.slug", "sample-seed-bank"),
        ("body", "{\"tagline\": \"Longer.\"}"),
    ];
    let tried = member.send("updateGame", &change).await;
    assert_eq!(tried.answer["data"]["dry_run"], true, "{}", tried.answer);
    assert_repeated(&tried, "SERVICE_WRITE_KEY", &key).await;
}

#[tokio::test]
async fn the_economy_is_tried_as_with_the_key_of_a_game() {
    let mut member = Member::new().await;
    let key = member.fleet.account("build").keys.test_secret.clone();
    // The samples change with the hour: what was asked in two hours is not compared.
    let answers = eventually("an answer in one hour", async || {
        let tried = member.send("listCurrencies", &[]).await;
        assert_eq!(tried.status, 200, "{}", tried.answer);
        let answers = repeated(&tried, "SERVICE_SECRET_KEY", &key).await;
        let again = member.send("listCurrencies", &[]).await;
        let [tried, again] = [tried, again].map(|it| comparable(&it.answer));
        (tried == again).then_some((tried, answers))
    });
    let (tried, answers) = answers.await;
    for (id, status, answer) in answers {
        assert_eq!((status, comparable(&answer)), (200, tried.clone()), "{id}");
    }
}

/// Each form as it is opened is sent with the values in it, and the API understands it.
#[tokio::test]
async fn every_form_has_a_good_example() {
    let mut member = Member::new().await;
    let document = reqwest::get(&member.fleet.openapi_url).await.unwrap();
    let document: Value = document.json().await.unwrap();
    for methods in document["paths"].as_object().unwrap().values() {
        for operation in methods.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            let path = format!("{}/try/{id}", member.account);
            let form = member.browser.get(&path).await.text;
            let fields = fields(&form);
            let fields: Vec<(&str, &str)> = fields
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            let tried = member.send(id, &fields).await;
            assert_eq!(tried.status, 200, "{id}: {}", tried.answer);
        }
    }
}

/// The fields of the form with what stands in them: of choices the chosen one.
fn fields(form: &str) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    let attribute = |tag: &str, name: &str| {
        let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
        Some(unescaped(rest.split('"').next()?))
    };
    for part in form.split("name=\"").skip(1) {
        let name = part.split('"').next().unwrap().to_owned();
        if !name.contains('.') && name != "body" {
            continue;
        }
        let tag = part.split('>').next().unwrap();
        let value = if name == "body" {
            let (_, rest) = part.split_once(">\n").unwrap();
            unescaped(rest.split("</textarea>").next().unwrap())
        } else if tag.contains("type=\"text\"") {
            attribute(tag, "value").unwrap_or_default()
        } else if tag.contains("value=\"true\"") {
            continue;
        } else {
            let chosen = part.split("<option ").find(|it| it.contains(" selected>"));
            let chosen = chosen.unwrap_or_else(|| part.split("<option ").nth(1).unwrap());
            attribute(&format!(" {chosen}"), "value").unwrap()
        };
        fields.push((name, value));
    }
    fields
}
