//! A fake service or staff tool for the tests of the launcher, depending on the name of its file: it reads the same settings, listens on its
//! ports and reports that it is ready. It fails when a test asks for it.

use std::env::{self, VarError};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::ExitCode;

/// The keys of an account.
const KEYS: [&str; 8] = [
    "live",
    "live_public",
    "live_secret",
    "live_write",
    "revoked",
    "test",
    "test_secret",
    "test_write",
];

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let called = env::args().next().unwrap_or_default();
    let name = Path::new(&called).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let done = match name.as_str() {
        "staff" => staff(),
        "local-people" => people(),
        "local-activity" => activity(&name),
        _ if env::args().nth(1).as_deref() == Some("migrate") => migrate(&name),
        _ => serve(&name),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(io::stderr(), "{name}: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a fake service has no settings of its own")]
fn setting(name: &str) -> Result<String, VarError> {
    env::var(name)
}

fn fail_for_test(name: &str) -> Result<(), Failure> {
    if setting("STAND_IN_FAILS").is_ok_and(|which| which == name) {
        return Err("a test makes this start fail".into());
    }
    Ok(())
}

fn serve(name: &str) -> Result<(), Failure> {
    fail_for_test(name)?;
    let prefix = name.trim_end_matches("-svc").to_uppercase();
    let own = |what: &str| {
        setting(&format!("{prefix}_{what}")).map_err(|error| format!("{prefix}_{what}: {error}"))
    };
    for needed in ["DATABASE_URL", "FLEET_TOKEN", "STAFF_TOKEN", "STAFF_MEMBERS", "CLOCK_FILE"] {
        own(needed)?;
    }
    let _grpc = TcpListener::bind(own("GRPC_LISTEN")?)?;
    let _http = own("HTTP_LISTEN").ok().map(TcpListener::bind).transpose()?;
    let ready = !setting("STAND_IN_WAITS").is_ok_and(|which| which == name);
    for stream in TcpListener::bind(own("ADMIN_LISTEN")?)?.incoming() {
        answer(stream?, ready)?;
    }
    Ok(())
}

fn migrate(name: &str) -> Result<(), Failure> {
    let prefix = name.trim_end_matches("-svc").to_uppercase();
    setting(&format!("{prefix}_DATABASE_URL"))?;
    Ok(())
}

fn answer(mut stream: TcpStream, ready: bool) -> Result<(), Failure> {
    let mut head = BufReader::new(stream.try_clone()?).lines();
    while head.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    writeln!(io::stdout(), "asked")?;
    let (status, body) = if ready {
        ("200 OK", r#"{"ready":true,"missing":[]}"#)
    } else {
        ("503 -", r#"{"ready":false,"missing":["feed"]}"#)
    };
    write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len())?;
    Ok(())
}

fn people() -> Result<(), Failure> {
    setting("WEB_DATABASE_URL")?;
    let text = io::read_to_string(io::stdin())?;
    if !text.contains(r#""account":"id-of-free""#) {
        return Err(format!("no account is in {text}").into());
    }
    Ok(())
}

fn activity(name: &str) -> Result<(), Failure> {
    fail_for_test(name)?;
    setting("ACTIVITY_FLEET_TOKEN")?;
    let keys = io::read_to_string(io::stdin())?;
    if !keys.starts_with("[\"svc_live_secret_") {
        return Err(format!("no key is in {keys}").into());
    }
    let clock = env::args().next_back().unwrap_or_default();
    let offset = std::fs::read_to_string(clock)?;
    if offset != "-2595600" {
        return Err(format!("the clock is at `{offset}`").into());
    }
    writeln!(io::stdout(), "31 days, 400 votes, 31 reports")?;
    Ok(())
}

fn staff() -> Result<(), Failure> {
    for needed in ["STAFF_TOKEN", "STAFF_GATEWAY", "STAFF_LISTINGS"] {
        setting(needed)?;
    }
    let args: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let ["--json", "apply", "--secrets", secrets, _file] = words[..] else {
        return Err(format!("unknown command: {}", words.join(" ")).into());
    };
    let keys: Vec<String> = KEYS
        .iter()
        .map(|name| format!(r#""{name}":"svc_{name}_{}""#, std::process::id()))
        .collect();
    let keys = keys.join(",");
    std::fs::write(secrets, format!(r#"{{"id-of-free":{{{keys}}}}}"#))?;
    let text = r#"{"files":[{"file":"/data/games-without-year.ndjson","created":1,"updated":0,"unchanged":0,"refused":9}],
        "accounts":[{"id":"id-of-free","name":"free","plan":"free","pages":["a-page"],"games":["a-game"]}]}"#;
    writeln!(io::stdout(), "{text}")?;
    Ok(())
}
