#![doc = include_str!("../README.md")]
#![expect(clippy::print_stderr, reason = "a command-line tool")]

mod api;
mod check;
mod client;
mod clock;
mod listen;
mod signature;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;

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
    // A closed pipe is not an error.
    drop(writeln!(io::stdout(), "{}", line.replace(control, " ")));
}
