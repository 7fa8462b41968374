//! Benchmarks: `cargo bench -p e2e -- games`, and others. Each writes what it found to `results.csv` of this folder; `tests/README.md` has
//! the figures that matter most.
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
mod quota;
mod results;
mod side;
mod votes;
mod web;
mod webhooks;
mod writes;
mod wrk;

use tokio::runtime::{Builder, Runtime};

use results::Report;

const WHICH: &str = "Which benchmark?
  games        GET /games through the whole path beside a bare axum→tonic hop
  quota        with 2,000 keys in turns: the quota's script against an empty one, the quota module against redis-benchmark, and
               the whole path of GET /games against the bare hop
  memory       memory of the gateway with many keys and many connections
  overload     good answers while more is asked than can be answered
  writes       changes of games beside pgbench's plain update of one row
  economy      reports and tips beside pgbench's update of two rows
  rates        GET /economy/rates of 30, 200, 300 and 1,000 currencies: first and following reads, 304, memory, beside a static body
  votes        boards and votes where 10 million votes were cast, beside none
  catalogue    a million generated games compared with 26,000: start, memory, questions over gRPC; GET /games compared with 91 games
  catalogue pages  the site with a million games: memory of web while the sitemap is read, lists compared with those of 91 games
  web          pages of the dashboard and the site beside a bare axum server that has the same bytes ready; a game's page beside
               GET /games/{slug} through the gateway
  sender       tries of webhook-svc's sender beside a bare loop of the same HTTP client
  webhooks     the same with the queue: deliveries to 1 endpoint and to 100, with 1 and 2 replicas; half of the endpoints hanging;
               from approval to arrival";

fn main() {
    // Cargo adds `--bench`.
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["games"] => measure(&many_threads(), "games", games::run),
        ["quota"] => measure(&one_thread(), "quota", quota::run),
        ["memory"] => measure(&many_threads(), "memory", memory::run),
        ["overload"] => measure(&one_thread(), "overload", overload::run),
        ["writes"] => measure(&many_threads(), "writes", writes::run),
        ["economy"] => measure(&many_threads(), "economy", economy::run),
        ["rates"] => measure(&many_threads(), "rates", economy::rates::run),
        ["static-body", listen, body] => {
            many_threads().block_on(economy::static_body::serve(listen, body));
        }
        ["votes"] => measure(&many_threads(), "votes", votes::run),
        ["catalogue"] => measure(&many_threads(), "catalogue", catalogue::run),
        ["catalogue", "pages"] => {
            measure(&many_threads(), "catalogue pages", catalogue::pages::run);
        }
        ["web"] => measure(&many_threads(), "web", web::run),
        ["sender"] => measure(&many_threads(), "sender", webhooks::sender::run),
        ["webhooks"] => measure(&many_threads(), "webhooks", webhooks::run),
        ["webhook-receiver", listen] => many_threads().block_on(webhooks::receiver::serve(listen)),
        ["hop-back", listen, body] => many_threads().block_on(hop::back(listen, body)),
        ["hop-front", listen, back] => many_threads().block_on(hop::front(listen, back)),
        _ => println!("{WHICH}"),
    }
}

/// Runs a benchmark, and keeps its figures.
fn measure(runtime: &Runtime, name: &str, run: impl AsyncFnOnce(&mut Report)) {
    let mut report = Report::new(name);
    runtime.block_on(run(&mut report));
    report.save();
}

fn many_threads() -> Runtime {
    Builder::new_multi_thread().enable_all().build().unwrap()
}

fn one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}
