//! Gives a new local fleet a month of activity, for `deploy/up`: reports of the accounts' games through the API, and votes on drawn pairs. The
//! fleet's clock is a month and an hour behind at first, and this program moves it by a month, day by day. Images do not have it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use clap::Parser;
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::candidate::NameInAddress;
use contracts::catalogue::v1::votes_service_client::VotesServiceClient;
use futures::future::try_join_all;
use futures::stream::{self, StreamExt as _};
use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kit::config::Secret;
use kit::rpc::client::{self, Client, Transport};
use serde_json::json;
use tokio::time::{Instant, sleep};
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_64;

const DAY: u64 = 86_400;
const HOUR: u64 = 3_600;
/// The votes of a day of the fleet.
const VOTES: u64 = 65;
/// Votes at once.
const CALLERS: usize = 16;
/// How long it may take in all: on a slow machine, fewer votes are cast.
const LIMIT: Duration = Duration::from_millis(4_500);
/// How long services may take to see that the clock has moved, most of the time.
const CLOCK_IS_READ: Duration = Duration::from_millis(60);
/// How long a report may be refused because its service has yet to see that.
const PATIENCE: Duration = Duration::from_secs(2);
const RETRY: Duration = Duration::from_millis(20);
/// The id of the first voter. The addresses of the voters are of 192.0.2.0/24, which are nobody's.
const VOTER: u128 = 0x0193_0000_0000_7000_8000_0001_0000_0000;

/// Reads the secret keys of games as JSON from standard input.
#[derive(Debug, Parser)]
struct Args {
    /// Base URL of the API
    #[arg(long)]
    api: String,
    /// Address of catalogue-svc
    #[arg(long)]
    catalogue: String,
    /// The clock file of the fleet, with the days by which it is behind
    #[arg(long)]
    clock_file: PathBuf,
    /// The token of the fleet
    #[arg(long, env = "ACTIVITY_FLEET_TOKEN", hide_env_values = true)]
    fleet_token: Secret,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    seed::exit_code("local-activity", run(Args::parse()).await)
}

async fn run(args: Args) -> anyhow::Result<()> {
    let started = Instant::now();
    let keys: Vec<String> = seed::read_input()?;
    let catalogue = client::dial(&args.catalogue, Transport::plain(), &args.fleet_token).await?;
    let fleet = Fleet {
        reports: format!("{}/economy/report", args.api),
        http: HttpClient::builder(TokioExecutor::new()).build_http(),
        votes: VotesServiceClient::new(catalogue),
    };
    let behind = days_behind(&args.clock_file)?;
    let mut votes = 0;
    for day in 0..=behind {
        move_clock(&args.clock_file, behind - day)?;
        let games = (0..).zip(&keys);
        let reports = try_join_all(games.map(|(game, key)| fleet.report(game, key, day)));
        let until = started + LIMIT.mul_f64(fraction(day + 1, behind + 1));
        let voters = stream::iter(day * VOTES..(day + 1) * VOTES);
        let cast = voters.map(|voter| fleet.vote_until(until, voter)).buffer_unordered(CALLERS);
        let cast = cast.filter(|cast| std::future::ready(*cast)).count();
        // Votes are cast while the reports wait for the clock.
        let (reported, cast) = tokio::join!(reports, cast);
        reported?;
        votes += cast;
    }
    ensure!(votes > 0, "no vote was cast");
    Ok(())
}

fn fraction(part: u64, whole: u64) -> f64 {
    let [part, whole] =
        [part, whole].map(|days| f64::from(u32::try_from(days).unwrap_or(u32::MAX)));
    part / whole
}

/// The services of a fleet.
struct Fleet {
    /// Where reports are sent.
    reports: String,
    http: HttpClient<HttpConnector, Full<Bytes>>,
    votes: VotesServiceClient<Client>,
}

impl Fleet {
    /// Sends the report of a game, again while it is refused.
    async fn report(&self, game: u64, key: &str, day: u64) -> anyhow::Result<()> {
        let body = Bytes::from(report_of(game, day).to_string());
        let give_up = Instant::now() + PATIENCE;
        sleep(CLOCK_IS_READ).await;
        loop {
            let request = Request::post(&self.reports)
                .header("authorization", format!("Bearer {key}"))
                .body(Full::new(body.clone()))?;
            let answer = self.http.request(request).await?;
            if answer.status().is_success() {
                return Ok(());
            }
            let text = answer.into_body().collect().await?.to_bytes();
            let text = String::from_utf8_lossy(&text);
            ensure!(Instant::now() < give_up, "a report is refused: {text}");
            sleep(RETRY).await;
        }
    }

    /// Whether a voter voted before this time. A pair that was drawn before the clock moved is refused.
    async fn vote_until(&self, until: Instant, number: u64) -> bool {
        Instant::now() < until && self.vote(number).await.is_some()
    }

    /// A new voter judges a pair.
    async fn vote(&self, number: u64) -> Option<()> {
        let cookie = proto::CookieVoter {
            id: Uuid::from_u128(VOTER + u128::from(number)).to_string(),
            address: format!("192.0.2.{}", number % 254 + 1),
        };
        let voter = Some(proto::Voter {
            voter: Some(proto::voter::Voter::Cookie(cookie)),
            other_account_ids: Vec::new(),
        });
        let kind = if number.is_multiple_of(3) { "creators" } else { "games" };
        let mut votes = self.votes.clone();
        let draw =
            proto::DrawPairRequest { voter: voter.clone(), kind: kind.to_owned(), at_least: None };
        let drawn = votes.draw_pair(draw).await.ok()?.into_inner();
        let mut pair = [name(drawn.first)?, name(drawn.second)?];
        pair.sort_unstable_by_key(|name| liking(name, number));
        let [loser, winner] = pair;
        let vote = proto::CastVoteRequest {
            voter,
            kind: kind.to_owned(),
            winner,
            loser,
            draw: drawn.draw,
            neither: false,
        };
        votes.cast_vote(vote).await.ok()?;
        Some(())
    }
}

fn name(candidate: Option<proto::Candidate>) -> Option<String> {
    let (NameInAddress::Slug(name) | NameInAddress::Handle(name)) = candidate?.name_in_address?;
    Some(name)
}

/// How much a voter likes a listing: some listings are liked more than others, by most voters.
fn liking(name: &str, voter: u64) -> u64 {
    let by_all = xxh3_64(name.as_bytes()) % 100;
    by_all + xxh3_64(format!("{voter} {name}").as_bytes()) % 100
}

/// The report of a day of a growing economy whose prices rise slowly, and differ a little from day to day.
fn report_of(game: u64, day: u64) -> serde_json::Value {
    let noise = |what: &str| xxh3_64(format!("{game} {day} {what}").as_bytes());
    let price = |name: &str, price: u64| {
        let percent = 100 + day / 2 + noise(name) % 7;
        price * (game + 1) * percent / 100
    };
    let minted = 5_000 + noise("minted") % 1_000;
    json!({
        "supply": 1_000_000 * (game + 1) + 4_000 * day,
        "minted": minted,
        "burned": minted - 4_000,
        "basket": {
            "meal": price("meal", 20), "ride": price("ride", 10),
            "wage": price("wage", 200), "rent": price("rent", 1_800),
        },
        "output": 40_000 + 500 * day + noise("output") % 5_000,
        "active_players": 100 + 4 * day + noise("players") % 40,
    })
}

fn days_behind(file: &Path) -> anyhow::Result<u64> {
    let text = fs::read_to_string(file).context("the clock file")?;
    let offset: i64 = text.trim().parse().unwrap_or_default();
    Ok(offset.min(0).unsigned_abs() / DAY)
}

/// Sets the clock an hour and some days back. The file is replaced whole: the services take an empty one for the present.
fn move_clock(file: &Path, behind: u64) -> anyhow::Result<()> {
    let next = file.with_extension("next");
    fs::write(&next, format!("-{}", behind * DAY + HOUR)).context("the clock file")?;
    fs::rename(next, file).context("the clock file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_report_of_a_game_is_held() {
        let cost = |game, day| {
            let basket = &report_of(game, day)["basket"];
            let price = |name: &str| basket[name].as_u64().unwrap();
            60 * price("meal") + 40 * price("ride") + 20 * price("wage") + price("rent")
        };
        for game in 0..4 {
            for day in 1..=31 {
                let (before, now) = (cost(game, day - 1), cost(game, day));
                assert!(now < before * 3 / 2 && now > before / 2, "{before} {now}");
            }
        }
    }
}
