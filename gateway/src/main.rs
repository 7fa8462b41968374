//! The gateway process.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    kit::boot::run(gateway::start, &gateway::MIGRATOR)
}
