//! Rates of past moments and of earlier versions: how many are in memory at once, their versions, and the times that an answer names.

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use contracts::economy::v1::list_rates_response::Part;
use contracts::public::{HistoryRow, Timestamp};
use futures::future::join_all;
use kit::{Clock, Code, Fault, timestamp};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::Streaming;

use crate::support::{Economy, START, report, start, start_at};

/// So many that their rates do not fit into the buffers of a connection.
const CURRENCIES: usize = 100;

fn request(at: OffsetDateTime) -> proto::ListRatesRequest {
    proto::ListRatesRequest {
        mode: Mode::Live.into(),
        at: Some(timestamp::encode(at)),
        ..proto::ListRatesRequest::default()
    }
}

/// Begins to read the rates at a moment.
async fn read(
    economy: &Economy,
    at: OffsetDateTime,
) -> Result<Streaming<proto::ListRatesResponse>, Fault> {
    let answer = economy.rates.clone().list_rates(request(at)).await;
    Ok(answer?.into_inner())
}

#[testing::database_test(economy::MIGRATOR)]
async fn of_twenty_moments_at_once_two_are_held(pool: PgPool) {
    let economy = start(pool).await;
    for n in 0..CURRENCIES {
        economy.listed(&format!("game-{n}"), 10).await;
    }
    economy.clock.advance(Duration::HOUR);
    let moments = (0..20).map(|n| read(&economy, START + Duration::seconds(n)));
    let (answered, refused): (Vec<_>, Vec<_>) =
        (join_all(moments).await.into_iter()).partition(Result::is_ok);
    assert_eq!((answered.len(), refused.len()), (2, 18));
    // Callers cause it, so it is no 503.
    for fault in refused.into_iter().filter_map(Result::err) {
        assert_eq!(
            (fault.code, fault.retry_after),
            (Code::RateLimited, Some(1))
        );
    }
    // The rates of now are not among them.
    let whole = CURRENCIES * (CURRENCIES - 1);
    assert_eq!(economy.all_rates().await.len(), whole);
    // Once they are read or given up, other moments have their turn.
    drop(answered);
    let later = START + Duration::MINUTE;
    while let Err(fault) = read(&economy, later).await {
        assert_eq!(fault.code, Code::RateLimited);
    }
    // Twenty readers of one moment share its rates.
    let readers = join_all((0..20).map(|_| read(&economy, later))).await;
    assert!(readers.iter().all(Result::is_ok));
}

#[testing::database_test(economy::MIGRATOR)]
async fn of_versions_that_are_read_slowly_seven_are_held(pool: PgPool) {
    let economy = start(pool).await;
    for n in 0..CURRENCIES {
        economy.listed(&format!("game-{n}"), 10).await;
    }
    let now = proto::ListRatesRequest {
        mode: Mode::Live.into(),
        ..proto::ListRatesRequest::default()
    };
    let mut readers = Vec::new();
    for n in 0..7 {
        let answer = economy.rates.clone().list_rates(now.clone()).await;
        readers.push(answer.unwrap().into_inner());
        // Another version.
        economy.listed(&format!("later-{n}"), 10).await;
    }
    let late = economy.rates.clone().list_rates(now.clone()).await;
    assert_eq!(Fault::from(late.unwrap_err()).code, Code::Unavailable);
    // The others are read to their ends.
    for mut reader in readers {
        while reader.message().await.unwrap().is_some() {}
    }
    while let Err(status) = economy.rates.clone().list_rates(now.clone()).await {
        assert_eq!(Fault::from(status).code, Code::Unavailable);
    }
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_past_moment_has_not_the_version_of_now(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 10).await;
    let (first, rates) = economy.rates_of(proto::ListRatesRequest::default()).await;
    assert_eq!(rates[0].day_change_pct, None);
    // The rates of now are valid until a day has passed: their version names that moment too.
    let until = START + Duration::DAY;
    economy.clock.advance(Duration::DAY + Duration::HOUR);
    let (past, rates) = economy.rates_of(request(until)).await;
    assert!(rates[0].day_change_pct.is_some());
    assert_ne!(past, first);
}

#[testing::database_test(economy::MIGRATOR)]
async fn an_answer_names_the_moment_and_the_time_of_its_knowledge(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.clock.advance(Duration::HOUR);
    let page = async |request: proto::ListRatesRequest| {
        let answer = economy.rates.clone().list_rates(request).await;
        let head = answer
            .unwrap()
            .into_inner()
            .message()
            .await
            .unwrap()
            .unwrap();
        let Some(Part::Head(head)) = head.part else {
            panic!("no head")
        };
        let page = head.page.unwrap();
        let time = |at: Option<prost_types::Timestamp>| at.and_then(timestamp::decode);
        (time(page.at), time(page.known_at))
    };
    let past = page(request(START)).await;
    assert_eq!(past, (Some(START), Some(START + Duration::HOUR)));
    let now = proto::ListRatesRequest {
        at: None,
        ..request(START)
    };
    assert_eq!(page(now).await, (None, None));
}

/// What an answer prints, as a caller sends it back.
fn printed(at: OffsetDateTime) -> prost_types::Timestamp {
    let text = serde_json::to_string(&Timestamp(at)).unwrap();
    let Timestamp(at) = serde_json::from_str(&text).unwrap();
    timestamp::encode(at)
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_printed_time_that_is_sent_back_means_that_moment(pool: PgPool) {
    // The machine's clock counts finer than answers print.
    let economy = start_at(pool, Clock::fixed(START + Duration::microseconds(755_999))).await;
    economy.listed("kora", 20).await;
    economy.currency("bao").await;
    let first = economy.report("bao", &report(10)).await.unwrap().at;
    let first = timestamp::decode(first.unwrap()).unwrap();
    economy
        .clock
        .advance(Duration::HOUR + Duration::microseconds(333));
    let second = economy.report("bao", &report(12)).await.unwrap().at;
    let second = timestamp::decode(second.unwrap()).unwrap();
    economy.clock.advance(Duration::HOUR);

    let rate_at = async |at: OffsetDateTime| {
        let request = proto::ListRatesRequest {
            from: "bao".to_owned(),
            to: "kora".to_owned(),
            at: Some(printed(at)),
            ..proto::ListRatesRequest::default()
        };
        let (_, rates) = economy.rates_of(request).await;
        (rates[0].rate.as_str().to_owned(), rates[0].at.0)
    };
    // `at`: of a report, and of a row of rates.
    assert_eq!(rate_at(first).await.0, "2");
    let (rate, at) = rate_at(second).await;
    assert_eq!(rate, "1.66666666666667");
    assert_eq!(rate_at(at).await, (rate, at));

    // `from` and `to` of the history: from a moment, before a moment.
    let history = async |from: Option<OffsetDateTime>, to: Option<OffsetDateTime>| {
        let request = proto::ListHistoryRequest {
            mode: Mode::Live.into(),
            game: "bao".to_owned(),
            from: from.map(printed),
            to: to.map(printed),
            ..proto::ListHistoryRequest::default()
        };
        let answer = economy.history.clone().list_history(request).await;
        let json = answer.unwrap().into_inner().json;
        let rows: Vec<HistoryRow> = serde_json::from_slice(&json).unwrap();
        rows.into_iter()
            .map(|row| row.reported_at.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(history(Some(first), None).await, [first, second]);
    assert_eq!(history(Some(second), None).await, [second]);
    assert_eq!(history(None, Some(second)).await, [first]);

    // The time of a market is that of its last swap, which the exchange dates as finely as it likes.
    for n in 0..3 {
        let (id, party) = (format!("s-{n}"), format!("party-{n}"));
        let at = second + Duration::microseconds(1_999);
        let swap = economy.swap_at(&id, &party, ("bao", 1), ("kora", 7), at);
        swap.await.unwrap();
    }
    let market = economy.rate("bao", "kora").await;
    assert_eq!(rate_at(market.at.0).await, ("7".to_owned(), market.at.0));
}
