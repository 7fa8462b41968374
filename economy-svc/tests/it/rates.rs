//! Worked and market rates, and the versions of their list.

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use contracts::public::{Number, Rate};
use economy::store::games;
use kit::Fault;
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;

use crate::support::{START, report, start, start_at};

#[testing::database_test(economy::MIGRATOR)]
async fn every_pair_has_a_worked_rate_in_both_directions(pool: PgPool) {
    let economy = start(pool).await;
    assert!(economy.all_rates().await.is_empty());
    economy.listed("mancala", 7).await;
    assert!(economy.all_rates().await.is_empty(), "one has no pair");
    economy.listed("bao", 10).await;
    economy.listed("kora", 30).await;
    let rates = economy.all_rates().await;
    let pairs: Vec<(&str, &str, String)> =
        (rates.iter()).map(|rate| (&*rate.from, &*rate.to, rate.rate.to_string())).collect();
    let expected = [
        ("bao", "kora", "3"),
        ("bao", "mancala", "0.7"),
        ("kora", "bao", "0.333333333333333"),
        ("kora", "mancala", "0.233333333333333"),
        ("mancala", "bao", "1.42857142857143"),
        ("mancala", "kora", "4.28571428571429"),
    ];
    let expected = expected.map(|(from, to, rate)| (from, to, rate.to_owned()));
    assert_eq!(pairs, expected);
    let rate = &rates[0];
    assert_eq!((&*rate.currency_from, &*rate.currency_to), ("BAO", "KORA"));
    assert_eq!((&*rate.source, rate.at.0), ("worked", START));
    assert_eq!(rate.day_change_pct, None);
}

#[testing::database_test(economy::MIGRATOR)]
async fn rates_are_compared_with_those_of_a_day_before(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 10).await;
    economy.clock.advance(Duration::HOUR * 2);
    economy.report("kora", &report(12)).await.unwrap();
    let rate = economy.rate("bao", "kora").await;
    assert_eq!((rate.rate, rate.day_change_pct), (Number(1.2), None));
    // The change over a day appears when the first rate is a day old.
    economy.clock.advance(Duration::HOUR * 22);
    let rate = economy.rate("bao", "kora").await;
    assert_eq!(rate.day_change_pct, Some(Number(20.0)));
    assert_eq!(rate.at.0, START + Duration::HOUR * 2);
    economy.clock.advance(Duration::HOUR * 2);
    let rate = economy.rate("bao", "kora").await;
    assert_eq!(rate.day_change_pct, Some(Number(0.0)));
}

#[testing::database_test(economy::MIGRATOR)]
async fn enough_swaps_of_a_day_make_a_market(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 10).await;
    economy.swap("1", "ada", ("bao", 100), ("kora", 250)).await;
    economy.swap("2", "ada", ("bao", 100), ("kora", 250)).await;
    economy.swap("3", "ada", ("kora", 100), ("bao", 50)).await;
    assert_eq!(economy.rate("bao", "kora").await.source, "worked", "one party");
    economy.clock.advance(Duration::HOUR);
    economy.swap("4", "bayo", ("kora", 150), ("bao", 50)).await;
    // Both directions together: 300 units of `bao` for 750 of `kora`.
    let there = economy.rate("bao", "kora").await;
    let back = economy.rate("kora", "bao").await;
    assert_eq!((there.rate, back.rate), (Number(2.5), Number(0.4)));
    assert_eq!((&*there.source, there.at.0), ("market", START + Duration::HOUR));
    let balances: Vec<i128> = (economy.all_currencies().await.into_iter())
        .map(|currency| currency.trade_balance)
        .collect();
    assert_eq!(balances, [100, -250]);

    // A day after the first three swaps only the fourth counts, too few for a market.
    economy.clock.advance(Duration::HOUR * 23 - Duration::MICROSECOND);
    assert_eq!(economy.rate("bao", "kora").await.source, "market");
    economy.clock.advance(Duration::MICROSECOND);
    let rate = economy.rate("bao", "kora").await;
    assert_eq!((&*rate.source, rate.rate), ("worked", Number(1.0)));
    // The trade balance covers thirty days.
    economy.clock.advance(Duration::days(28));
    assert_eq!(economy.all_currencies().await[0].trade_balance, 100);
    economy.clock.advance(Duration::days(2));
    assert_eq!(economy.all_currencies().await[0].trade_balance, 0);
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_report_changes_the_rates_of_every_replica_at_once(pool: PgPool) {
    let economy = start(pool.clone()).await;
    let other = start_at(pool, economy.clock.clone()).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 10).await;
    for n in 0..5 {
        economy.clock.advance(Duration::HOUR);
        economy.report("kora", &report(11 + n)).await.unwrap();
        let (here, there) = (economy.all_rates().await, other.all_rates().await);
        assert_eq!(here, there);
        assert_eq!(here[0].rate.to_string(), format!("1.{}", n + 1));
    }
}

#[testing::database_test(economy::MIGRATOR)]
async fn the_same_rates_have_the_same_version_and_are_sent_once(pool: PgPool) {
    let economy = start(pool.clone()).await;
    let other = start_at(pool, economy.clock.clone()).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 10).await;
    let (version, rows) = economy.rates_of(proto::ListRatesRequest::default()).await;
    assert_eq!(rows.len(), 2);
    let known = proto::ListRatesRequest {
        mode: Mode::Live.into(),
        known_version: version.clone(),
        ..proto::ListRatesRequest::default()
    };
    let answer = other.rates.clone().list_rates(known.clone()).await.unwrap().into_inner();
    assert_eq!((&answer.version, &answer.json), (&version, &None));
    assert_eq!(answer.page.unwrap().total, 2);
    // The known version belongs to another list, so that the rows are sent.
    let of_one = proto::ListRatesRequest { from: "bao".to_owned(), ..known };
    assert_eq!(other.rates_of(of_one).await.1.len(), 1);
    // A tip changes no rate, and hence not the version.
    let tip = serde_json::json!({"player": "ada", "amount": 5});
    economy.tip("bao", &tip, "").await.unwrap();
    let all = proto::ListRatesRequest::default;
    assert_eq!(other.rates_of(all()).await.0, version);
    // Time alone changes the version: after a day `day_change_pct` appears.
    economy.clock.advance(Duration::DAY);
    let (later, rows) = other.rates_of(all()).await;
    assert_ne!(later, version);
    assert_eq!(rows[0].day_change_pct, Some(Number(0.0)));
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_time_at_which_no_rate_changes_leaves_the_version(pool: PgPool) {
    let economy = start(pool.clone()).await;
    let other = start_at(pool, economy.clock.clone()).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 10).await;
    let at = START - Duration::days(20);
    let (bao, kora) = (("bao", 3), ("kora", 4));
    economy.swap_at("1", "ada", bao, kora, at).await;
    economy.clock.advance(Duration::days(2));
    economy.report("bao", &report(12)).await.unwrap();
    economy.clock.advance(Duration::days(2));
    let all = proto::ListRatesRequest::default;
    let (version, _) = economy.rates_of(all()).await;
    // A week after the first reports: the one of `kora` is its newest, and that of `bao` is not. Thirty days after the swap.
    let mut figures = Vec::new();
    for days in [7, 10] {
        economy.clock.advance(START + Duration::days(days) - economy.clock.now());
        for replica in [&economy, &other] {
            assert_eq!(replica.rates_of(all()).await.0, version, "{days}");
        }
        let currencies = economy.all_currencies().await;
        figures.extend(currencies.iter().map(|it| (it.late, it.trade_balance)));
    }
    assert_eq!(figures, [(false, 3), (true, -4), (true, 0), (true, 0)]);
}

#[testing::database_test(economy::MIGRATOR)]
async fn rates_are_filtered_by_from_and_to(pool: PgPool) {
    let economy = start(pool).await;
    for (slug, meal) in [("bao", 10), ("kora", 20), ("mancala", 30)] {
        economy.listed(slug, meal).await;
    }
    let pairs = async |from: &str, to: &str| {
        let request = proto::ListRatesRequest {
            from: from.to_owned(),
            to: to.to_owned(),
            ..proto::ListRatesRequest::default()
        };
        let rates = economy.rates_of(request).await.1.into_iter();
        rates.map(|rate| format!("{}-{}", rate.from, rate.to)).collect::<Vec<_>>()
    };
    assert_eq!(pairs("kora", "").await, ["kora-bao", "kora-mancala"]);
    assert_eq!(pairs("", "kora").await, ["bao-kora", "mancala-kora"]);
    assert_eq!(pairs("kora", "bao").await, ["kora-bao"]);
    assert!(pairs("kora", "kora").await.is_empty());
    // The pairs (`bao`, `2-mancala`) and (`bao-2`, `mancala`) join to the same text, but their versions differ.
    for slug in ["bao-2", "2-mancala"] {
        economy.listed(slug, 10).await;
    }
    let version = async |from: &str, to: &str| {
        let request = proto::ListRatesRequest {
            from: from.to_owned(),
            to: to.to_owned(),
            ..proto::ListRatesRequest::default()
        };
        economy.rates_of(request).await.0
    };
    assert_ne!(version("bao", "2-mancala").await, version("bao-2", "mancala").await);
    let mut unknown = proto::ListRatesRequest {
        from: "nothing".to_owned(),
        to: "nobody".to_owned(),
        ..proto::ListRatesRequest::default()
    };
    unknown.set_mode(Mode::Live);
    let refused = economy.rates.clone().list_rates(unknown).await;
    let fault = Fault::from(refused.unwrap_err());
    assert_eq!(fault.fields.into_keys().collect::<Vec<_>>(), ["from", "to"]);
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_page_of_rates_has_only_its_rows(pool: PgPool) {
    let economy = start(pool).await;
    for slug in ["bao", "kora", "mancala", "oware"] {
        economy.listed(slug, 10).await;
    }
    let page = async |after: &str, limit: u32, known: &str| {
        let request = proto::ListRatesRequest {
            mode: Mode::Live.into(),
            from: "kora".to_owned(),
            known_version: known.to_owned(),
            after: after.to_owned(),
            limit,
            ..proto::ListRatesRequest::default()
        };
        let answer = economy.rates.clone().list_rates(request).await;
        answer.unwrap().into_inner()
    };
    let to = |answer: &proto::ListRatesResponse| {
        let rates = answer.json.as_deref().unwrap();
        let rates: Vec<Rate<'_>> = serde_json::from_slice(rates).unwrap();
        let to = rates.iter().map(|rate| rate.to.to_string());
        to.collect::<Vec<_>>()
    };
    for (after, limit, expected) in [
        ("", 1, &["bao"][..]),
        ("bao", 1, &["mancala"]),
        ("bao", 5_000, &["mancala", "oware"]),
        ("lamu:", 1, &["mancala"]),
        ("oware", 1, &[]),
    ] {
        let answer = page(after, limit, "").await;
        assert_eq!(to(&answer), expected, "{after} {limit}");
        assert_eq!(answer.page.unwrap().total, 3);
    }
    let first = page("", 1, "").await.version;
    assert_eq!(page("", 1, &first).await.json, None);
    assert_eq!(to(&page("", 2, &first).await), ["bao", "mancala"]);
    assert_eq!(to(&page("bao", 1, &first).await), ["mancala"]);
}

#[testing::database_test(economy::MIGRATOR)]
async fn sample_rates_are_for_test_keys(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    let request =
        proto::ListRatesRequest { mode: Mode::Test.into(), ..proto::ListRatesRequest::default() };
    let rates = economy.rates_of(request).await.1;
    assert!(rates.len() >= 12 * 11);
    assert!(rates.iter().all(|rate| rate.from.starts_with("sample-")));
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_game_that_comes_back_is_listed_at_once(pool: PgPool) {
    let economy = start(pool.clone()).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 20).await;
    let (_, rates) = economy.rates_of(proto::ListRatesRequest::default()).await;
    assert_eq!(rates.len(), 2);
    // One rebuild of the feed lacks both games; the next one has them again.
    let mut connection = pool.acquire().await.unwrap();
    games::sweep(&mut connection, Uuid::max()).await.unwrap();
    let (without, rates) = economy.rates_of(proto::ListRatesRequest::default()).await;
    assert_eq!(rates.len(), 0);
    for game in ["bao", "kora"] {
        economy.game(game, true).await;
    }
    let (version, rates) = economy.rates_of(proto::ListRatesRequest::default()).await;
    assert_eq!(rates.len(), 2);
    assert_ne!(version, without);
}

#[expect(
    clippy::disallowed_methods,
    reason = "staff give a report a new unit only while it is held"
)]
#[testing::database_test(economy::MIGRATOR)]
async fn daily_costs_go_back_thirty_days_and_not_beyond_a_new_unit(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.listed("kora", 10).await;
    let costs = async |games: &[&str]| {
        let games = games.iter().map(|game| (*game).to_owned()).collect();
        let request = proto::ListDailyCostsRequest { games };
        let answer = economy.rates.clone().list_daily_costs(request).await;
        let listed = answer.unwrap().into_inner().games.into_iter();
        listed.map(|it| (it.game, it.costs)).collect::<Vec<_>>()
    };
    assert_eq!(costs(&["none", "a\0b"]).await, []);
    economy.report("bao", &report(100)).await.unwrap();
    economy.clock.advance(Duration::days(2));
    economy.report("bao", &report(101)).await.unwrap();
    economy.clock.advance(Duration::hours(25));
    let listed = costs(&["kora", "bao"]).await;
    let [(bao, of_bao), (kora, of_kora)] = &listed[..] else {
        unreachable!("{listed:?}");
    };
    assert_eq!((bao.as_str(), kora.as_str()), ("bao", "kora"));
    assert_eq!((of_bao.len(), of_kora.len()), (31, 31));
    assert_eq!(of_bao[26..], [0., 6_000., 6_000., 6_060., 6_060.][..]);
    assert!(of_kora[27..].iter().all(|cost| *cost > 599. && *cost < 601.), "{of_kora:?}");
    let sql = "update economy.report set new_unit = true where meal = 101";
    sqlx::query(sql).execute(&economy.pool).await.unwrap();
    let listed = costs(&["bao"]).await;
    assert_eq!(listed[0].1[28..], [0., 6_060., 6_060.]);
    economy.game("bao", false).await;
    assert_eq!(costs(&["bao"]).await, []);
}
