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
mod gateways;
mod hop;
mod http1;
mod idle;
mod keys;
mod many_keys;
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
  games      GET /games through the whole path compared with a bare axum→tonic hop, with 2,000 keys in turns and many requests
  quota      the same with one request
  memory     memory of the gateway with many keys
  keys       GET /games with the keys of 80,000 accounts compared with ten; the same while keys change compared with no change
  gateways   GET /games through one, two and four gateways under the same load; transactions of a fleet without calls
  idle       CPU time of a fleet without calls
  overload   good responses while callers send more than the fleet can serve
  writes     changes of games compared with pgbench's update of one row
  economy    reports compared with pgbench's update of two rows
  rates      GET /economy/rates of 200 currencies, following reads, compared with a static body
  followers  tips at economy-svc, whose feed eight services follow, compared with one; transactions of a fleet without calls
  votes      a board and votes where 10 million votes were cast, compared with none
  catalogue  a million generated games: start and memory; a first page over gRPC compared with 26,000 games; searches over gRPC; GET /games compared with 91 games
  web        a game's page compared with GET /games/{slug} through the gateway
  webhooks   deliveries to an endpoint compared with a bare loop of the same HTTP client";

fn main() {
    // Cargo adds `--bench`.
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let many = || Builder::new_multi_thread().enable_all().build().unwrap();
    match args[..] {
        ["games"] => measure(&many(), "games", games::run),
        ["quota"] => measure(&many(), "quota", games::quota),
        ["memory"] => measure(&many(), "memory", memory::run),
        ["keys"] => measure(&many(), "keys", keys::run),
        ["gateways"] => measure(&many(), "gateways", gateways::run),
        ["idle"] => measure(&many(), "idle", idle::run),
        ["overload"] => {
            let one = Builder::new_current_thread().enable_all().build().unwrap();
            measure(&one, "overload", overload::run);
        }
        ["writes"] => measure(&many(), "writes", writes::run),
        ["economy"] => measure(&many(), "economy", economy::run),
        ["rates"] => measure(&many(), "rates", economy::rates::run),
        ["followers"] => measure(&many(), "followers", economy::followers::run),
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
