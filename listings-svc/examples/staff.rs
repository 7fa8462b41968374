//! The staff tool, for the tests of this crate, which run it as a process.

use std::process::ExitCode;

fn main() -> ExitCode {
    staff::main()
}
