//! Benchmarks, such as `cargo bench -p e2e -- games`. Each writes its figures to `results.csv` in this folder; `tests/README.md` has the most
//! important ones.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark that cannot go on says so and ends; it prints what it found"
)]

mod catalogue;
mod child;
mod collector;
mod economy;
mod fleet;
mod games;
mod hop;
mod http1;
mod memory;
mod overload;
mod pgbench;
mod results;
mod side;
mod static_body;
mod votes;
mod web;
mod webhooks;
mod writes;
mod wrk;

use tokio::runtime::{Builder, Runtime};

use results::Report;

const WHICH: &str = "Which benchmark?
  games        GET /games through the whole path beside a bare axum→tonic hop, with 2,000 keys in turns and many requests
  quota        the same with one request
  memory       memory of the gateway with many keys and many connections
  overload     good answers while more is asked than can be answered
  writes       changes of games beside pgbench's plain update of one row
  economy      reports and tips beside pgbench's update of two rows
  rates        GET /economy/rates of 200 and 600 currencies: following reads beside a static body, and memory
  votes        boards and votes where 10 million votes were cast, beside none
  catalogue    a million generated games compared with 26,000: start, memory, questions over gRPC; GET /games compared with 91 games;
               memory of web while the sitemap is read
  web          a page of the dashboard and the start page beside a bare axum server that has the same bytes ready; a game's page
               beside GET /games/{slug} through the gateway
  webhooks     deliveries to 1 endpoint and to 100 beside a bare loop of the same HTTP client; half of the endpoints hanging";

fn main() {
    // Cargo adds `--bench`.
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let many = || Builder::new_multi_thread().enable_all().build().unwrap();
    match args[..] {
        ["games"] => measure(&many(), "games", games::run),
        ["quota"] => measure(&many(), "quota", games::quota),
        ["memory"] => measure(&many(), "memory", memory::run),
        ["overload"] => {
            let one = Builder::new_current_thread().enable_all().build().unwrap();
            measure(&one, "overload", overload::run);
        }
        ["writes"] => measure(&many(), "writes", writes::run),
        ["economy"] => measure(&many(), "economy", economy::run),
        ["rates"] => measure(&many(), "rates", economy::rates::run),
        ["votes"] => measure(&many(), "votes", votes::run),
        ["catalogue"] => measure(&many(), "catalogue", catalogue::run),
        ["web"] => measure(&many(), "web", web::run),
        ["webhooks"] => measure(&many(), "webhooks", webhooks::run),
        ["static-body", listen, body] => many().block_on(static_body::serve(listen, body)),
        ["webhook-receiver", listen] => many().block_on(webhooks::receiver::serve(listen)),
        ["hop-back", listen, body] => many().block_on(hop::back(listen, body)),
        ["hop-front", listen, back] => many().block_on(hop::front(listen, back)),
        _ => println!("{WHICH}"),
    }
}

fn measure(runtime: &Runtime, name: &str, run: impl AsyncFnOnce(&mut Report)) {
    let mut report = Report::new(name);
    runtime.block_on(run(&mut report));
    report.save();
}
