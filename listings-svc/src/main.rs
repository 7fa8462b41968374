//! The process of listings-svc.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    kit::boot::run_with_data(listings::start, &listings::MIGRATOR, listings::samples::load)
}
