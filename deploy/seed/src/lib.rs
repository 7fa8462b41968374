//! What the programs of this crate share: they read JSON from standard input, and report their error.

use std::process::ExitCode;

use anyhow::Context as _;
use serde::de::DeserializeOwned;

/// Reads JSON from standard input.
pub fn read_input<T: DeserializeOwned>() -> anyhow::Result<T> {
    serde_json::from_reader(std::io::stdin()).context("standard input")
}

/// The exit code of a program. An error is reported to the launcher that started it.
#[expect(
    clippy::print_stderr,
    reason = "the error of the process, for the launcher that started it"
)]
pub fn exit_code(program: &str, result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{program}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
