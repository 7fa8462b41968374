//! Currencies: their names, figures and history.

use contracts::common::v1::{Mode, PageRequest};
use contracts::economy::v1 as proto;
use contracts::public::{Currency, HistoryRow, Number, Timestamp};
use kit::api::cursor::Binding;
use kit::api::timestamp;
use kit::{Clock, Code, Fault};
use sqlx::PgPool;
use time::{Date, Duration, OffsetDateTime};

use crate::support::{ACCOUNT, START, report, start, start_at};

#[testing::database_test(economy::MIGRATOR)]
async fn a_currency_is_renamed(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 10).await;
    economy.clock.advance(Duration::DAY);
    economy.name("bao", "Cowrie").await;
    economy.name("bao", " Cowrie ").await;
    assert_eq!(economy.rate("bao", "kora").await.currency_from, "Cowrie");
    let names = (economy.staff.clone())
        .list_currency_names(proto::ListCurrencyNamesRequest::default())
        .await;
    let names = names.unwrap().into_inner().currencies;
    let names: Vec<(&str, &str, &str)> = (names.iter())
        .map(|it| (it.game.as_str(), it.name.as_str(), it.given_by.as_str()))
        .collect();
    assert_eq!(names, [("bao", "Cowrie", "operator"), ("kora", "KORA", "operator")]);
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_list_of_currencies_is_sent_once_a_version(pool: PgPool) {
    let economy = start(pool.clone()).await;
    let other = start_at(pool, economy.clock.clone()).await;
    economy.listed("bao", 10).await;
    let mut known = economy.list_currencies("").await.version;
    let same = other.list_currencies(&known).await;
    assert_eq!((&same.version, &same.json), (&known, &None));
    assert_eq!(same.page.unwrap().total, 1);
    // Pages are stored under the version, so it changes with the data of the rates too.
    economy.currency("kora").await;
    let changed = other.list_currencies(&known).await;
    assert_ne!(changed.version, known);
    // Time alone changes the list: the currency is late.
    known = changed.version;
    economy.clock.advance(Duration::days(8));
    let late = other.list_currencies(&known).await;
    assert_ne!(late.version, known);
    let late: Vec<Currency> = serde_json::from_slice(&late.json.unwrap()).unwrap();
    assert!(late[0].late);
}

#[testing::database_test(economy::MIGRATOR)]
async fn an_invalid_name_and_an_unknown_game_are_refused(pool: PgPool) {
    let economy = start(pool).await;
    economy.game("bao", true).await;
    let long = "x".repeat(61);
    for (game, name, code) in [
        ("bao", "", Code::Invalid),
        ("bao", "  ", Code::Invalid),
        ("bao", "a\u{0}b", Code::Invalid),
        ("bao", "eir\u{202E}woC", Code::Invalid),
        ("bao", "two\nlines", Code::Invalid),
        ("bao", long.as_str(), Code::Invalid),
        ("nothing", "Cowrie", Code::NotFound),
        ("b\u{0}o", "Cowrie", Code::NotFound),
    ] {
        let request = proto::SetCurrencyRequest { game: game.to_owned(), name: name.to_owned() };
        let refused = economy.staff.clone().set_currency(request).await;
        assert_eq!(Fault::from(refused.unwrap_err()).code, code, "{name:?}");
    }
}

#[testing::database_test(economy::MIGRATOR)]
async fn an_owner_names_only_the_currencies_of_own_games(pool: PgPool) {
    let economy = start(pool).await;
    economy.game("bao", true).await;
    economy.owned_by(&[ACCOUNT]).await;
    let set = async |account: &str, game: &str, name: &str| {
        let request = proto::SetOwnCurrencyRequest {
            account_id: account.to_owned(),
            game: game.to_owned(),
            name: name.to_owned(),
        };
        let answer = economy.currencies.clone().set_own_currency(request).await;
        answer.map(tonic::Response::into_inner).map_err(Fault::from)
    };
    let answer = set(ACCOUNT, "bao", " Cowrie ").await.unwrap();
    let name = answer.currency.unwrap();
    assert_eq!(name.name, "Cowrie");
    assert_eq!(name.given_by, format!("account {ACCOUNT}"));
    assert!(set(ACCOUNT, "bao", "Cowrie").await.unwrap().unchanged);
    let other = "00000000-0000-7000-8000-000000000009";
    for (account, game, name, code) in [
        (other, "bao", "Shell", Code::NotFound),
        (ACCOUNT, "nothing", "Shell", Code::NotFound),
        (ACCOUNT, "bao", "", Code::Invalid),
        ("nobody", "bao", "Shell", Code::Invalid),
    ] {
        assert_eq!(set(account, game, name).await.unwrap_err().code, code);
    }
    economy.owned_by(&[other]).await;
    let fault = set(ACCOUNT, "bao", "Shell").await.unwrap_err();
    assert_eq!(fault.code, Code::NotFound);
}

#[testing::database_test(economy::MIGRATOR)]
async fn owners_rename_a_currency_five_times_a_day(pool: PgPool) {
    let economy = start(pool).await;
    for game in ["bao", "kora"] {
        economy.game(game, true).await;
    }
    economy.owned_by(&[ACCOUNT]).await;
    let set = async |game: &str, name: &str| {
        let request = proto::SetOwnCurrencyRequest {
            account_id: ACCOUNT.to_owned(),
            game: game.to_owned(),
            name: name.to_owned(),
        };
        let answer = economy.currencies.clone().set_own_currency(request).await;
        answer.map(tonic::Response::into_inner).map_err(Fault::from)
    };
    // Two people register it at once: the second renames it.
    let (one, other) = futures::join!(set("bao", "First"), set("bao", "Second"));
    assert!(!one.unwrap().unchanged && !other.unwrap().unchanged);
    for _ in 0..9 {
        economy.name("bao", "Of staff").await;
        economy.name("bao", "Cowrie").await;
        assert!(set("bao", "Cowrie").await.unwrap().unchanged);
    }
    // Of eight concurrent renames, only the four that are left succeed.
    let names: Vec<String> = (0..8).map(|n| format!("Shell {n}")).collect();
    let answers = futures::future::join_all(names.iter().map(|name| set("bao", name))).await;
    let (renamed, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!((renamed.len(), refused.len()), (4, 4));
    let refused = refused.into_iter().next().unwrap().unwrap_err();
    assert_eq!((refused.code, refused.retry_after), (Code::RateLimited, Some(16 * 3_600)));
    assert!(refused.fields["name"].contains("2026-03-02"), "{refused:?}");
    // Its present name, another currency and staff go on.
    economy.name("bao", "Cowrie").await;
    assert!(set("bao", "Cowrie").await.unwrap().unchanged);
    set("kora", "Bead").await.unwrap();
    economy.clock.advance(Duration::HOUR * 16);
    set("bao", "Shell").await.unwrap();
}

#[testing::database_test(economy::MIGRATOR)]
async fn figures_follow_the_counted_reports(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    let bao = &economy.all_currencies().await[0];
    assert_eq!((bao.slug.as_str(), bao.name.as_str()), ("bao", "The bao"));
    assert_eq!((bao.basket.cost, bao.players, bao.late), (600, 120, false));
    assert!(bao.inflation_pct.is_none() && bao.growth_pct.is_none());
    assert_eq!(bao.trade_balance, 0);

    let mut next = report(12);
    next["supply"] = 1_100_000.into();
    next["policy_rate"] = serde_json::from_str("12.50").unwrap();
    next["naira_per_unit"] = serde_json::from_str("0.25").unwrap();
    economy.clock.advance(Duration::DAY);
    economy.report("bao", &next).await.unwrap();
    economy.clock.advance(Duration::DAY * 2);
    economy.report("bao", &next).await.unwrap();
    let bao = &economy.all_currencies().await[0];
    assert_eq!(bao.inflation_pct, Some(Number(0.0)));
    assert_eq!(bao.money_growth_pct, Some(Number(0.0)));
    // The output of a day is now that of two days.
    assert_eq!(bao.growth_pct, Some(Number(-50.0)));
    assert_eq!(bao.policy_rate_pct, Some(Number(12.5)));
    assert_eq!(bao.naira_per_unit, Some(Number(0.25)));

    // A held report does not count, but the next report's output covers only the time since the held one.
    economy.clock.advance(Duration::DAY);
    assert!(!economy.report("bao", &report(100)).await.unwrap().counted);
    economy.clock.advance(Duration::DAY * 2);
    economy.report("bao", &next).await.unwrap();
    let bao = &economy.all_currencies().await[0];
    assert_eq!(bao.growth_pct, Some(Number(0.0)));

    economy.clock.advance(Duration::days(7) - Duration::SECOND);
    assert!(!economy.all_currencies().await[0].late);
    economy.clock.advance(Duration::SECOND);
    assert!(economy.all_currencies().await[0].late);
}

#[testing::database_test(economy::MIGRATOR)]
async fn only_published_games_with_a_counted_report_are_listed(pool: PgPool) {
    let economy = start(pool).await;
    assert!(economy.all_currencies().await.is_empty());
    economy.currency("kora").await;
    economy.listed("bao", 10).await;
    let slugs = async || {
        let all = economy.all_currencies().await.into_iter();
        all.map(|currency| currency.slug).collect::<Vec<_>>()
    };
    assert_eq!(slugs().await, ["bao"]);
    economy.game("bao", false).await;
    assert!(slugs().await.is_empty());
    economy.game("bao", true).await;
    assert_eq!(slugs().await, ["bao"]);
}

#[testing::database_test(economy::MIGRATOR)]
async fn the_history_of_a_currency_is_read_page_by_page(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    for n in 0..5 {
        economy.report("bao", &report(100 + n)).await.unwrap();
        economy.clock.advance(Duration::DAY);
    }
    let list = async |request: proto::ListHistoryRequest| {
        let answer = economy.history.clone().list_history(request).await.unwrap().into_inner();
        let rows: Vec<HistoryRow> = serde_json::from_slice(&answer.json).unwrap();
        (rows, answer.page.unwrap())
    };
    let page = |limit, cursor: &str| PageRequest { limit, cursor: cursor.to_owned() };
    let all = proto::ListHistoryRequest {
        mode: Mode::Live.into(),
        game: "bao".to_owned(),
        ..proto::ListHistoryRequest::default()
    };
    let (whole, info) = list(all.clone()).await;
    assert_eq!((whole.len(), info.total, info.next_cursor), (5, 5, None));
    let meals: Vec<u64> = whole.iter().map(|row| row.basket.meal).collect();
    assert_eq!(meals, [100, 101, 102, 103, 104]);
    assert_eq!(whole[0].inflation_pct, None);
    assert_eq!(whole[1].inflation_pct, Some(Number(1.0)));
    let (first, info) =
        list(proto::ListHistoryRequest { page: Some(page(2, "")), ..all.clone() }).await;
    // A cursor is client input: it may hold a time that PostgreSQL cannot represent.
    for year in [-9_999, -4_800, 0, 9_999] {
        let at = Date::from_calendar_date(year, time::Month::January, 1).unwrap();
        let key = (at.midnight().assume_utc().unix_timestamp_nanos(), 1);
        let binding = Binding::new("history", [Some("bao"), None, None]);
        let edited = proto::ListHistoryRequest {
            page: Some(page(2, &binding.encode(&key).unwrap())),
            ..all.clone()
        };
        let answer = economy.history.clone().list_history(edited).await;
        let code = answer.err().map(|status| Fault::from(status).code);
        assert_eq!(code, (year < 0).then_some(Code::Invalid), "{year}");
    }
    let (second, _) = list(proto::ListHistoryRequest {
        page: Some(page(3, &info.next_cursor.unwrap())),
        ..all.clone()
    })
    .await;
    assert_eq!([first, second].concat(), whole);
    let (middle, info) = list(proto::ListHistoryRequest {
        from: Some(timestamp::encode(START + Duration::DAY)),
        to: Some(timestamp::encode(START + Duration::days(3))),
        ..all.clone()
    })
    .await;
    assert_eq!((middle.as_slice(), info.total), (&whole[1..3], 2));
    let sample = proto::ListHistoryRequest {
        mode: Mode::Test.into(),
        game: "sample-baobab-runner".to_owned(),
        ..proto::ListHistoryRequest::default()
    };
    let (samples, _) = list(sample.clone()).await;
    assert!(samples.len() > 1);
    let (first, info) = list(proto::ListHistoryRequest {
        to: Some(timestamp::encode(samples[1].reported_at.0)),
        ..sample
    })
    .await;
    assert_eq!((first.as_slice(), info.total), (&samples[..1], 1));
    // A currency without a counted report and a game that is not published have no history.
    economy.currency("kora").await;
    economy.listed("mancala", 10).await;
    economy.game("mancala", false).await;
    for game in ["nothing", "kora", "mancala"] {
        let request = proto::ListHistoryRequest { game: game.to_owned(), ..all.clone() };
        let refused = economy.history.clone().list_history(request).await;
        let fault = Fault::from(refused.unwrap_err());
        assert!(fault.fields.contains_key("game"), "{game}");
    }
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_history_that_ends_before_it_begins_is_refused(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    let list = async |from, to| {
        let request = proto::ListHistoryRequest {
            mode: Mode::Live.into(),
            game: "bao".to_owned(),
            from: Some(timestamp::encode(from)),
            to: Some(timestamp::encode(to)),
            ..proto::ListHistoryRequest::default()
        };
        economy.history.clone().list_history(request).await
    };
    list(START, START).await.unwrap();
    let refused = list(START + Duration::DAY, START).await.unwrap_err();
    let refused = Fault::from(refused);
    assert!(refused.fields["to"].contains("`from`"), "{refused:?}");
}

#[testing::database_test(economy::MIGRATOR)]
async fn every_bad_parameter_of_a_history_is_reported(pool: PgPool) {
    let economy = start(pool).await;
    for mode in [Mode::Live, Mode::Test] {
        for game in ["", "nothing"] {
            let request = proto::ListHistoryRequest {
                mode: mode.into(),
                game: game.to_owned(),
                from: Some(timestamp::encode(START)),
                to: Some(timestamp::encode(START - Duration::DAY)),
                page: Some(PageRequest { limit: 101, cursor: "x".to_owned() }),
            };
            let refused = economy.history.clone().list_history(request).await;
            let fields = Fault::from(refused.unwrap_err()).fields;
            assert_eq!(fields.into_keys().collect::<Vec<_>>(), ["cursor", "game", "limit", "to"]);
        }
    }
}

/// A time as a response prints it and a caller sends it back.
fn printed(at: OffsetDateTime) -> prost_types::Timestamp {
    let text = serde_json::to_string(&Timestamp(at)).unwrap();
    let Timestamp(at) = serde_json::from_str(&text).unwrap();
    timestamp::encode(at)
}

#[testing::database_test(economy::MIGRATOR)]
async fn a_printed_time_that_is_sent_back_bounds_a_history(pool: PgPool) {
    let economy = start_at(pool, Clock::fixed(START + Duration::milliseconds(755))).await;
    economy.currency("bao").await;
    let first = economy.report("bao", &report(10)).await.unwrap().at;
    let first = timestamp::decode(first.unwrap()).unwrap();
    economy.clock.advance(Duration::HOUR + Duration::milliseconds(333));
    let second = economy.report("bao", &report(12)).await.unwrap().at;
    let second = timestamp::decode(second.unwrap()).unwrap();
    economy.clock.advance(Duration::HOUR);

    // `from` is inclusive, `to` is exclusive.
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
        rows.into_iter().map(|row| row.reported_at.0).collect::<Vec<_>>()
    };
    assert_eq!(history(Some(first), None).await, [first, second]);
    assert_eq!(history(Some(second), None).await, [second]);
    assert_eq!(history(None, Some(second)).await, [first]);
}
