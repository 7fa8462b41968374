#![doc = include_str!("../README.md")]
#![expect(clippy::print_stderr, reason = "a command-line tool")]

mod api;
mod check;
mod client;
mod clock;
mod listen;
mod signature;

use std::io::{self, Write as _};
use std::process::{self, ExitCode};

use clap::Parser;

/// The exit status of a program that SIGPIPE ends, as shells report it.
const BROKEN_PIPE: u8 = 141;

/// Tools for developers of receivers of Mchezo's webhooks
#[derive(Debug, Parser)]
#[command(name = "webhook", version)]
enum Command {
    Listen(listen::Options),
    Check(check::Options),
}

#[tokio::main]
async fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Listen(options) => listen::run(options).await,
        Command::Check(options) => check::run(options).await,
    };
    done.unwrap_or_else(|error| {
        eprintln!("webhook: {error:#}");
        ExitCode::from(2)
    })
}

/// Prints a line. A terminal would interpret control characters.
fn show(line: &str) {
    let control = |c: char| c.is_control() && c != '\n';
    print(&format!("{}\n", line.replace(control, " ")));
}

/// Prints a text. If it cannot be written, the program ends: quietly if the reader is gone
/// (`webhook listen … | head -1`).
#[expect(clippy::exit, reason = "nothing that the command would still do has a reader")]
fn print(text: &str) {
    let mut stdout = io::stdout();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    let Err(error) = written else {
        return;
    };
    if error.kind() == io::ErrorKind::BrokenPipe {
        process::exit(BROKEN_PIPE.into());
    }
    eprintln!("webhook: the output cannot be written: {error}. Free space, or write it elsewhere.");
    process::exit(2);
}
