//! The executable.

use std::process::ExitCode;

fn main() -> ExitCode {
    staff::main()
}
