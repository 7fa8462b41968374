//! The launcher: brings a whole fleet up on one machine, stops it, says how it is, and runs the tests against one.
//!
//! It starts PostgreSQL, Redis and the five services as children, keeps them alive, and ends them in order. Everything it
//! writes lies in one state folder ([`folder`]), so that several fleets can run side by side. See `deploy/README.md`.

mod cargo;
mod database;
mod down;
mod fleet;
mod folder;
mod manifest;
mod packages;
mod ports;
mod postgres;
mod prepare;
mod process;
mod program;
mod random;
mod ready;
mod redis;
mod say;
mod seed;
mod services;
mod status;
mod stop;
mod supervise;
mod test;
mod up;
mod wait;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use anyhow::Error;
use clap::Parser;

use crate::wait::Interrupted;

/// Runs the whole fleet on this machine.
#[derive(Debug, Parser)]
#[command(version)]
enum Command {
    /// Bring PostgreSQL, Redis and the five services up, filled and ready
    Up(Box<up::Args>),
    /// Stop a fleet; data and keys are kept
    Down(down::Args),
    /// Say who runs and what they wait for
    Status(status::Args),
    /// Run every check and test
    Test(test::Args),
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Up(args) => up::run(&args),
        Command::Down(args) => down::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Test(args) => test::run(&args),
    };
    done.unwrap_or_else(|error| {
        drop(writeln!(io::stderr(), "fleet: {}", sentence(&error)));
        ExitCode::from(if error.is::<Interrupted>() { 130 } else { 1 })
    })
}

/// An error and its causes as one sentence.
fn sentence(error: &Error) -> String {
    let full = error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == ErrorKind::StorageFull)
    });
    if full {
        return format!("{error:#}: make room on that disk, or choose another place with --dir");
    }
    format!("{error:#}")
}
