//! A board and votes of 26,000 games with 10 million votes in the last 30 days, compared with no votes. Two fleets run, which are asked in
//! alternation.

use std::time::Duration;

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::catalogue::v1::rankings_service_client::RankingsServiceClient;
use contracts::common::v1::Mode;
use e2e::{Fleet, SmallFleet, Staff, cast_vote, eventually};
use kit::rpc::client::Client as Channel;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::time::Instant;

use crate::results::{Measure, Report};
use crate::side::{WARM_UP, median, rate, ratios};

const GAMES: usize = 26_000;
const PAGES: usize = 2_600;
/// Rows per import.
const AT_ONCE: usize = 1_000;
const VOTES: u32 = 10_000_000;
const ROUNDS: usize = 11;
/// Reads of a board in a round.
const READS: u32 = 500;
const CALLERS: usize = 16;
/// The length of a round of votes in seconds.
const SECONDS: u32 = 3;

pub(crate) async fn run(report: &mut Report) {
    let (mut one, mut other) = (SmallFleet::new(), SmallFleet::new());
    let none = Votes::start(&mut one).await;
    let many = Votes::start(&mut other).await;
    many.fill().await;
    other.down().await;
    let many = Votes::new(other.up().await).await;
    // Only boards with rows are comparable, so the fleet without votes gets a few.
    none.cast_for(WARM_UP).await;
    many.cast_for(WARM_UP).await;
    let (mut reads, mut casts) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for _ in 0..ROUNDS {
        for (place, votes) in [&none, &many].into_iter().enumerate() {
            reads[place].push(votes.read_time().await.as_secs_f64() * 1e6);
            casts[place].push(votes.cast_for(SECONDS).await);
        }
    }
    let of = |values: &Vec<f64>| median(values, |value| *value);
    let found = |[none, many]: &[Vec<f64>; 2]| ratios(many, none, |value| *value);
    let measure = Measure::new(format!(
        "ListRanking (20 rows of the week) at one catalogue-svc with {GAMES} games, with 10 million votes of the last 30 days compared with none; time"
    ));
    let details = format!("{:.0} and {:.0} µs a board", of(&reads[1]), of(&reads[0]));
    report.ratio(measure.required("1"), &found(&reads), &details);
    let measure = Measure::new(format!(
        "votes of {CALLERS} callers at one catalogue-svc with {GAMES} games, each by a new voter on a drawn pair, with 10 million votes of the last 30 days compared with none; votes/s"
    ));
    let details = format!("{:.0} and {:.0} votes/s", of(&casts[1]), of(&casts[0]));
    report.ratio(measure.required("1"), &found(&casts), &details);
}

struct Votes {
    fleet: Fleet,
    catalogue: Channel,
}

impl Votes {
    async fn new(fleet: Fleet) -> Self {
        let catalogue = fleet.rpc_client("catalogue-svc").await;
        Self { fleet, catalogue }
    }

    async fn start(small: &mut SmallFleet) -> Self {
        let fleet = small.up().await;
        let staff = Staff::new(&fleet).await;
        let pages: Vec<Value> = (0..PAGES)
            .map(|page| {
                let handle = format!("bench-maker-{page}");
                json!({"handle": handle, "name": handle, "kind": "studio", "country_code": "NG", "city": "Lagos"})
            })
            .collect();
        let games: Vec<Value> = (0..GAMES)
            .map(|game| {
                let slug = format!("bench-game-{game}");
                let creator = format!("bench-maker-{}", game % PAGES);
                json!({"slug": slug, "title": slug, "release_year": 2024, "creator": creator})
            })
            .collect();
        for (entity, rows) in [("page", &pages), ("game", &games)] {
            for rows in rows.chunks(AT_ONCE) {
                staff.import(entity, rows).await;
            }
        }
        let votes = Self::new(fleet).await;
        eventually("catalogue-svc has the games", async || {
            let request = proto::GetGameRequest {
                mode: Mode::Live.into(),
                slug: format!("bench-game-{}", GAMES - 1),
                ..proto::GetGameRequest::default()
            };
            let mut games = GamesServiceClient::new(votes.catalogue.clone());
            games.get_game(request).await.ok()
        })
        .await;
        votes
    }

    /// Fills the tables with votes of the last 30 days and their totals, as those votes would have left them.
    #[expect(clippy::disallowed_methods, reason = "the benchmarks have no schema of their own")]
    async fn fill(&self) {
        let mut connection = PgConnection::connect(&self.fleet.database_url).await.unwrap();
        // Some games are much more popular than others. Each voter casts 50 votes.
        let fill = format!(
            "set work_mem = '256MB';
             create temp table listing as
                 select row_number() over (order by id) - 1 as n, id from listings.listing where entity = 'game';
             create temp table cast_vote as
                 select md5('voter ' || n / 50)::uuid as voter_id, now() - random() * interval '30 days' as at, random() < 0.5 as low_won,
                     floor(power(random(), 2) * (select count(*) from listing))::bigint as a,
                     floor(random() * (select count(*) from listing))::bigint as b
                 from generate_series(1, {VOTES}) as n;
             analyze listing;
             analyze cast_vote;
             insert into catalogue.vote (voter_id, day, low, high, low_won, in_network, kind, at, network, site)
                 select voter_id, (at at time zone 'UTC')::date, least(a.id, b.id), greatest(a.id, b.id), low_won, false, 'games', at,
                     '192.0.2.1', '192.0.2.1'
                 from cast_vote join listing a on a.n = a join listing b on b.n = b where a.id <> b.id
                 on conflict do nothing;
             drop table cast_vote;
             insert into catalogue.voter (id, first_seen_at) select voter_id, min(at) from catalogue.vote group by 1 on conflict do nothing;
             insert into catalogue.tally_hour (listing_id, hour, wins, losses)
                 select id, floor(extract(epoch from at) / 3600)::integer, count(*) filter (where won), count(*) filter (where not won)
                 from (
                     select low as id, low_won as won, at from catalogue.vote where at < now() - interval '2 hours'
                     union all
                     select high, not low_won, at from catalogue.vote where at < now() - interval '2 hours'
                 ) as of_listing
                 group by 1, 2
                 on conflict (listing_id, hour) do nothing;
             insert into catalogue.tally (listing_id, kind, wins, losses)
                 select listing_id, 'games', sum(wins), sum(losses) from catalogue.tally_hour group by 1
                 on conflict (listing_id) do update set wins = excluded.wins, losses = excluded.losses;
             drop table listing;"
        );
        sqlx::raw_sql(AssertSqlSafe(fill)).execute(&mut connection).await.unwrap();
        sqlx::raw_sql("vacuum analyze").execute(&mut connection).await.unwrap();
    }

    /// Reads the first page of the board of the week.
    async fn read(&self) {
        let request = proto::ListRankingRequest {
            mode: Mode::Live.into(),
            kind: "games".to_owned(),
            board: "week".to_owned(),
            ..proto::ListRankingRequest::default()
        };
        let mut rankings = RankingsServiceClient::new(self.catalogue.clone());
        rankings.list_ranking(request).await.unwrap();
    }

    /// The mean latency of a first page over a round.
    async fn read_time(&self) -> Duration {
        let start = Instant::now();
        for _ in 0..READS {
            self.read().await;
        }
        start.elapsed() / READS
    }

    /// Votes per second.
    async fn cast_for(&self, seconds: u32) -> f64 {
        let channel = self.catalogue.clone();
        rate(CALLERS, seconds, move |_, _| {
            let vote = cast_vote(channel.clone());
            async { assert!(vote.await.is_ok()) }
        })
        .await
    }
}
