//! Benchmarks of a running fleet: `cargo bench -p e2e -- games`. What they found, and the command, is in the README of this folder.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark that cannot go on says so and ends; it prints what it found"
)]

mod cpu;
mod games;
mod hop;
mod side;
mod wrk;

fn main() {
    // Cargo adds `--bench`.
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        match args[..] {
            ["games"] => games::run().await,
            ["hop-back", listen, body] => hop::back(listen, body).await,
            ["hop-front", listen, back] => hop::front(listen, back).await,
            _ => println!(
                "Which benchmark? `games`: GET /games through the whole path beside a bare axum→tonic hop"
            ),
        }
    });
}
