//! Gives a new local fleet a month of activity, for `deploy/up`: reports of the accounts' games
//! through the API, and votes on drawn pairs. The fleet's clock is a month and an hour behind at
//! first, and this program moves it by a month, day by day. It prints what it has made. Images do
//! not have it.

use std::fs;
use std::io::{self, Write as _};
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
/// The number of the last day. The first one is 0.
const MONTH: u64 = 30;
/// The votes of each day, however long they take: a week of them puts dozens of games and of
/// creators on the boards.
const MIN_VOTES: u64 = 12;
/// The votes of each day on a machine that is fast enough.
const MAX_VOTES: u64 = 65;
/// Votes at once.
const CALLERS: usize = 16;
/// How long a day may take, on average, before only [`MIN_VOTES`] are cast.
const DAY_LIMIT: Duration = Duration::from_millis(145);
/// How long services may take to see that the clock has moved, most of the time.
const CLOCK_IS_READ: Duration = Duration::from_millis(60);
/// How long a report or a vote may fail, because its service has yet to see that, or is slow.
const PATIENCE: Duration = Duration::from_secs(30);
/// The first pause before another attempt, and the longest: a report uses up the calls of its
/// account, 60 a minute.
const PAUSES: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];
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
    // An earlier start, which was interrupted, has made the days before this one.
    let first = MONTH - days_behind(&args.clock_file)?.min(MONTH);
    let mut votes = 0;
    for (count, day) in (1..).zip(first..=MONTH) {
        move_clock(&args.clock_file, MONTH - day)?;
        let made = fleet.make_day(day, &keys, started + DAY_LIMIT * count).await;
        votes += made.with_context(|| format!("{} days are missing", MONTH - day + 1))?;
    }
    let days = MONTH - first + 1;
    let reports = days * u64::try_from(keys.len())?;
    writeln!(io::stdout(), "{days} days, {votes} votes, {reports} reports")?;
    Ok(())
}

/// The services of a fleet.
struct Fleet {
    /// Where reports are sent.
    reports: String,
    http: HttpClient<HttpConnector, Full<Bytes>>,
    votes: VotesServiceClient<Client>,
}

impl Fleet {
    /// Makes the reports and the votes of a day; returns the number of votes. More than
    /// [`MIN_VOTES`] are cast only before `until`.
    async fn make_day(&self, day: u64, keys: &[String], until: Instant) -> anyhow::Result<u64> {
        let reports = (0..).zip(keys).map(|(game, key)| self.report(game, key, day));
        let (first, end) = (day * MAX_VOTES, (day + 1) * MAX_VOTES);
        // Cast while the reports wait for the clock. A pair that was drawn before the clock moved
        // is rejected.
        let more = stream::iter(first + MIN_VOTES..end)
            .map(async |voter| Instant::now() < until && self.vote(voter).await.is_ok())
            .buffer_unordered(CALLERS)
            .filter(|is_cast| std::future::ready(*is_cast));
        let (reported, more) = tokio::join!(try_join_all(reports), more.count());
        reported?;
        // Once the reports are accepted: a vote that is cast before the clock has moved is one of
        // the day before.
        let votes = first..first + MIN_VOTES;
        try_join_all(votes.map(|voter| retry("a vote", async move || self.vote(voter).await)))
            .await?;
        Ok(MIN_VOTES + u64::try_from(more)?)
    }

    /// Sends the report of a game.
    async fn report(&self, game: u64, key: &str, day: u64) -> anyhow::Result<()> {
        let body = Bytes::from(report_of(game, day).to_string());
        sleep(CLOCK_IS_READ).await;
        retry("a report", async || {
            let request = Request::post(&self.reports)
                .header("authorization", format!("Bearer {key}"))
                // The response to the first attempt may be lost.
                .header("idempotency-key", format!("day-{day}"))
                .body(Full::new(body.clone()))?;
            let response = self.http.request(request).await?;
            let is_success = response.status().is_success();
            let text = response.into_body().collect().await?.to_bytes();
            ensure!(is_success, "{}", String::from_utf8_lossy(&text));
            Ok(())
        })
        .await
    }

    /// A new voter judges a pair.
    async fn vote(&self, number: u64) -> anyhow::Result<()> {
        let cookie = Uuid::from_u128(VOTER + u128::from(number)).to_string();
        let voter = Some(proto::Voter {
            voter: Some(proto::voter::Voter::CookieId(cookie)),
            other_account_ids: Vec::new(),
            address: format!("192.0.2.{}", number % 254 + 1),
        });
        let kind = if number.is_multiple_of(3) { "creators" } else { "games" };
        let mut votes = self.votes.clone();
        let draw =
            proto::DrawPairRequest { voter: voter.clone(), kind: kind.to_owned(), at_least: None };
        let drawn = votes.draw_pair(draw).await?.into_inner();
        let pair = name(drawn.first).zip(name(drawn.second));
        let mut pair: [String; 2] = pair.context("a pair has no names")?.into();
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
        votes.cast_vote(vote).await?;
        Ok(())
    }
}

/// Makes a call again while it fails.
async fn retry(
    what: &'static str,
    mut call: impl AsyncFnMut() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let give_up = Instant::now() + PATIENCE;
    let [mut pause, longest] = PAUSES;
    loop {
        match call().await {
            Err(_) if Instant::now() < give_up => sleep(pause).await,
            result => return result.with_context(|| format!("{what} failed")),
        }
        pause = longest.min(pause * 2);
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

/// The report of a day of a growing economy whose prices rise slowly, and differ a little from day
/// to day.
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

/// Sets the clock an hour and some days back. The file is replaced whole: the services take an
/// empty one for the present.
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
