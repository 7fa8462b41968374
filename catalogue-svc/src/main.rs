//! Starts catalogue-svc.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    kit::boot::run(catalogue::start, &catalogue::MIGRATOR)
}
