//! An attacker with one address who wants votes for one game.

use catalogue::write::Limits;
use contracts::catalogue::v1 as proto;
use kit::{Clock, Code};
use sqlx::PgPool;
use time::Duration;

use super::draws::{games_until, slug};
use super::support::{Replica, START, account_of, cookie, id_at};

/// The limits of the product.
const LIMITS: Limits = Limits { ipv4_daily: 5_000, ipv6_daily: 200, hourly: 100, daily: 300 };
/// With as many games.
const GAMES: u32 = 300;
/// The accounts that one address can create in an hour, with as many mails.
const ACCOUNTS_PER_HOUR: u32 = 240;
const TARGET: &str = "game-7";
/// The voters who may judge one pair of a bucket.
const VOTERS_OF_PAIR: u32 = 20;

struct Attacker {
    replica: Replica,
    /// The address for a number.
    address: fn(u32) -> String,
    /// The voters so far: each is a new cookie or account.
    voters: u32,
    /// The accounts of this hour that have not voted.
    accounts: u32,
    wins: u32,
}

/// The network has no more votes today.
#[derive(Debug)]
struct LimitReached;

/// A pair that was drawn: both games, and the signed draw.
type Drawn = (String, String, String);

fn has_target((first, second, _): &Drawn) -> bool {
    [first, second].iter().any(|game| *game == TARGET)
}

impl Attacker {
    /// A voter who has judged nothing, in the bucket of a number.
    fn new_voter(&mut self, bucket: u32) -> proto::Voter {
        self.voters += 1;
        let number = 16 * self.voters + bucket % 16;
        let address = (self.address)(self.voters);
        if self.accounts == 0 {
            return cookie(number, &address);
        }
        self.accounts -= 1;
        account_of(id_at(self.replica.clock.now(), number), &address)
    }

    async fn draw(&self, voter: &proto::Voter) -> Drawn {
        let pair = self.replica.draw(voter.clone(), "games").await.unwrap();
        (slug(pair.first), slug(pair.second), pair.draw)
    }

    /// Votes for the game if it is one of the pair, and otherwise for any. Returns whether the vote
    /// was accepted.
    async fn vote(&mut self, voter: &proto::Voter, pair: &Drawn) -> Result<bool, LimitReached> {
        let (first, second, draw) = pair;
        let named = if second == TARGET { (&**second, &**first) } else { (&**first, &**second) };
        let cast = self.replica.try_vote_on(voter.clone(), named, draw.clone()).await;
        match cast {
            Ok(repeated) => assert!(!repeated),
            Err(refused) if refused.code == Code::RateLimited => return Err(LimitReached),
            Err(refused) => {
                assert!(refused.fields.contains_key("draw"), "{refused}");
                return Ok(false);
            }
        }
        self.wins += u32::from(has_target(pair));
        Ok(true)
    }

    /// Looks at the pairs that a voter draws who has judged one, and votes while they have the
    /// game.
    async fn go_on(&mut self, voter: &proto::Voter) -> Result<(), LimitReached> {
        loop {
            let pair = self.draw(voter).await;
            if !has_target(&pair) {
                return Ok(());
            }
            self.vote(voter, &pair).await?;
        }
    }

    /// Judges the pair of a bucket: for the game as often as possible, and otherwise once, so that
    /// another pair comes.
    async fn judge(&mut self, bucket: u32) -> Result<(), LimitReached> {
        let voter = self.new_voter(bucket);
        let pair = self.draw(&voter).await;
        let mut drawn = vec![(voter, pair)];
        if has_target(&drawn[0].1) {
            for _ in 1..VOTERS_OF_PAIR {
                let voter = self.new_voter(bucket);
                let pair = self.draw(&voter).await;
                drawn.push((voter, pair));
            }
        }
        for (voter, pair) in drawn {
            if self.vote(&voter, &pair).await? {
                self.go_on(&voter).await?;
            }
        }
        Ok(())
    }

    /// The wins of a day, whose votes are those of its first hours. In each hour there are new
    /// accounts, which try again.
    async fn attack(&mut self) -> u32 {
        let before = self.wins;
        for _hour in 0..24 {
            self.accounts = ACCOUNTS_PER_HOUR;
            for bucket in 0.. {
                if self.judge(bucket).await.is_err() {
                    break;
                }
                assert!(self.wins - before < 400, "the network has no limit");
            }
            self.replica.clock.advance(Duration::HOUR);
        }
        self.wins - before
    }
}

/// The wins of an attacker, on average of these days, with a share of the games and of the votes of
/// a network.
async fn wins_of_day(pool: &PgPool, address: fn(u32) -> String, days: u32, share: u32) -> u32 {
    let limits = Limits {
        ipv4_daily: LIMITS.ipv4_daily / share,
        ipv6_daily: LIMITS.ipv6_daily / share,
        ..LIMITS
    };
    let midnight = START.replace_time(time::Time::MIDNIGHT);
    let mut replica = Replica::start_with(pool, Clock::fixed(midnight), limits).await;
    replica.list(&games_until(GAMES / share));
    let mut attacker = Attacker { replica, address, voters: 0, accounts: 0, wins: 0 };
    for _ in 0..days {
        attacker.attack().await;
    }
    attacker.wins / days
}

fn ipv4(_voter: u32) -> String {
    "192.0.2.1".to_owned()
}

/// Another network of a site for each voter.
fn ipv6(voter: u32) -> String {
    format!("2001:db8:1:{:x}::1", voter % 0x1_0000)
}

/// A tenth of the votes, with a tenth of the games: as many wins.
#[testing::database_test(catalogue::MIGRATOR)]
async fn one_address_gives_a_game_a_hundred_votes_a_day(pool: PgPool) {
    let wins = wins_of_day(&pool, ipv4, 2, 10).await;
    println!("an IPv4 address: {wins}");
    assert!((60..=140).contains(&wins), "{wins}");
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn an_ipv6_site_gives_a_game_twenty_votes_a_day(pool: PgPool) {
    let wins = wins_of_day(&pool, ipv6, 8, 10).await;
    println!("a /48: {wins}");
    assert!((10..=30).contains(&wins), "{wins}");
}

/// The figures of DECISIONS §2.5.
#[testing::database_test(catalogue::MIGRATOR)]
#[ignore = "long: a week of an attacker's votes, 5,000 a day"]
async fn an_attacker_gives_a_game_as_many_votes_as_the_decisions_say(pool: PgPool) {
    let wins = wins_of_day(&pool, ipv4, 7, 1).await;
    println!("an IPv4 address: {wins}");
    assert!((80..=110).contains(&wins), "{wins}");
}

#[testing::database_test(catalogue::MIGRATOR)]
#[ignore = "long: two weeks of an attacker's votes, 1,000 a day"]
async fn an_attacker_with_a_site_gives_a_game_as_many_votes_as_the_decisions_say(pool: PgPool) {
    let wins = wins_of_day(&pool, ipv6, 14, 1).await;
    println!("an IPv6 /48: {wins}");
    assert!((15..=25).contains(&wins), "{wins}");
}
