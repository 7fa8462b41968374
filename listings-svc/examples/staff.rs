//! The staff tool, which the tests of this crate run as a process.

use std::process::ExitCode;

fn main() -> ExitCode {
    staff::main()
}
