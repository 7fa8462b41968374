//! The launcher: starts and stops a whole fleet on one machine, and shows its status.
//!
//! It runs PostgreSQL, Redis and the services as children, restarts them, and ends them in order. It writes to one state folder only
//! ([`folder`]), so that several fleets can run on one machine. See `deploy/README.md`.

mod activity;
mod cargo;
mod database;
mod down;
mod fleet;
mod folder;
mod lock;
mod logs;
mod manifest;
mod ports;
mod postgres;
mod process;
mod random;
mod ready;
mod redis;
mod say;
mod seed;
mod services;
mod status;
mod supervise;
mod up;
mod wait;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::wait::Interrupted;

/// Runs the whole fleet on this machine
#[derive(Debug, Parser)]
#[command(version)]
enum Command {
    /// Start PostgreSQL, Redis and the services, with data
    Up(Box<up::Args>),
    /// Stop a fleet; data and keys are kept
    Down(down::Args),
    /// Show the processes and the conditions that they wait for
    Status(status::Args),
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Up(args) => up::run(&args),
        Command::Down(args) => down::run(&args),
        Command::Status(args) => status::run(&args),
    };
    done.unwrap_or_else(|error| {
        drop(writeln!(io::stderr(), "fleet: {error:#}"));
        ExitCode::from(if error.is::<Interrupted>() { 130 } else { 1 })
    })
}
