//! A fake service or staff tool for the tests of the launcher, depending on the name of its file: it reads the same settings, listens on its
//! ports and reports that it is ready. It fails when a test asks for it.

use std::env::{self, VarError};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::ExitCode;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let called = env::args().next().unwrap_or_default();
    let name = Path::new(&called)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let done = if name == "staff" {
        staff()
    } else {
        serve(&name)
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(io::stderr(), "{name}: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a fake service has no settings of its own"
)]
fn setting(name: &str) -> Result<String, VarError> {
    env::var(name)
}

fn serve(name: &str) -> Result<(), Failure> {
    if setting("STAND_IN_FAILS").is_ok_and(|which| which == name) {
        return Err("a test makes this start fail".into());
    }
    let prefix = name.trim_end_matches("-svc").to_uppercase();
    let own = |what: &str| {
        setting(&format!("{prefix}_{what}")).map_err(|error| format!("{prefix}_{what}: {error}"))
    };
    for needed in ["DATABASE_URL", "FLEET_TOKEN", "STAFF_TOKEN", "CLOCK_FILE"] {
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

fn answer(mut stream: TcpStream, ready: bool) -> Result<(), Failure> {
    let mut head = BufReader::new(stream.try_clone()?).lines();
    while head
        .next()
        .transpose()?
        .is_some_and(|line| !line.is_empty())
    {}
    let (status, body) = if ready {
        ("200 OK", r#"{"ready":true,"missing":[]}"#)
    } else {
        ("503 -", r#"{"ready":false,"missing":["feed"]}"#)
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    Ok(())
}

fn staff() -> Result<(), Failure> {
    for needed in ["STAFF_TOKEN", "STAFF_GATEWAY", "STAFF_LISTINGS"] {
        setting(needed)?;
    }
    let args: Vec<String> = env::args().skip(1).filter(|arg| arg != "--json").collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let text = match words[..] {
        ["account", "list", ..] => "[]".to_owned(),
        ["account", "create", "--name", name, ..] => format!(r#"{{"id":"id-of-{name}"}}"#),
        ["key", "create", "--account", account, "--name", name, ..] => {
            format!(
                r#"{{"id":"key-id","secret":"svc_{account}_{name}_{}"}}"#,
                std::process::id()
            )
        }
        ["key", "revoke", ..] | ["page", "add-owner", ..] | ["currency", "set", ..] => {
            "{}".to_owned()
        }
        ["listing", "import", file] => {
            let refused = file.contains("without") || file.contains("incomplete");
            format!(
                r#"{{"created":1,"refused":{}}}"#,
                if refused { 9 } else { 0 }
            )
        }
        _ => return Err(format!("unknown command: {}", words.join(" ")).into()),
    };
    writeln!(io::stdout(), "{text}")?;
    Ok(())
}
