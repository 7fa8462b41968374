//! A running replica, and helpers to call it.

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use contracts::economy::v1::currencies_service_client::CurrenciesServiceClient;
use contracts::economy::v1::history_service_client::HistoryServiceClient;
use contracts::economy::v1::rates_service_client::RatesServiceClient;
use contracts::economy::v1::reports_service_client::ReportsServiceClient;
use contracts::economy::v1::staff_service_client::StaffServiceClient;
use contracts::economy::v1::tips_service_client::TipsServiceClient;
use contracts::public::{Currency, Rate};
use economy::domain::report_policy::ReportPolicy;
use economy::service::Dependencies;
use economy::store::{games, pages};
use kit::Fault;
use kit::api::timestamp;
use kit::clock::Clock;
use kit::feed::{Producer, Retention};
use kit::jobs::Leader;
use kit::lifecycle::{Lifecycle, Supervisor};
use kit::rpc::client::Client;
use serde_json::{Value, json};
use sqlx::PgPool;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// The clock's initial time.
pub(crate) const START: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);
pub(crate) const ACCOUNT: &str = "00000000-0000-0000-0000-00000000000a";

pub(crate) struct Economy {
    pub(crate) pool: PgPool,
    pub(crate) clock: Clock,
    pub(crate) reports: ReportsServiceClient<Client>,
    pub(crate) tips: TipsServiceClient<Client>,
    pub(crate) rates: RatesServiceClient<Client>,
    pub(crate) currencies: CurrenciesServiceClient<Client>,
    pub(crate) history: HistoryServiceClient<Client>,
    pub(crate) staff: StaffServiceClient<Client>,
    lifecycle: Lifecycle,
    _supervisor: Supervisor,
}

pub(crate) async fn start(pool: PgPool) -> Economy {
    start_at(pool, Clock::fixed(START)).await
}

pub(crate) async fn start_at(pool: PgPool, clock: Clock) -> Economy {
    let (lifecycle, supervisor) = Lifecycle::new();
    let leader = Leader::start(&lifecycle, pool.clone(), economy::SCHEMA, clock.clone());
    // Rows are dated by the test's clock; compaction, which compares them with the real time, must keep them.
    let retention = Retention {
        happenings: std::time::Duration::from_hours(24 * 36_500),
        ..Retention::default()
    };
    let producer = Producer::start(&leader, &lifecycle, retention);
    let policy = ReportPolicy { report_interval: Duration::HOUR, most_jump_percent: 50 };
    let mut services = kit::rpc::server::services();
    let dependencies = Dependencies {
        pool: pool.clone(),
        clock: clock.clone(),
        producer,
        policy,
        late_after: Duration::days(7),
        lifecycle: lifecycle.clone(),
    };
    dependencies.add_to(&mut services);
    let address = testing::serve(services, &lifecycle).await.unwrap();
    let fleet = testing::client(&address, &lifecycle).unwrap();
    let staff = testing::staff_client(&address, &lifecycle).unwrap();
    Economy {
        pool,
        clock,
        reports: ReportsServiceClient::new(fleet.clone()),
        tips: TipsServiceClient::new(fleet.clone()),
        rates: RatesServiceClient::new(fleet.clone()),
        currencies: CurrenciesServiceClient::new(fleet.clone()),
        history: HistoryServiceClient::new(fleet),
        staff: StaffServiceClient::new(staff),
        lifecycle,
        _supervisor: supervisor,
    }
}

impl Drop for Economy {
    /// Closes connections to the database, which the test is about to drop.
    fn drop(&mut self) {
        self.lifecycle.draining().cancel();
        self.lifecycle.stopping().cancel();
    }
}

/// A report whose basket costs 60 times the meal.
pub(crate) fn report(meal: u64) -> Value {
    json!({
        "supply": 1_000_000, "minted": 5_000, "burned": 1_000,
        "basket": {"meal": meal, "ride": 0, "wage": 0, "rent": 0},
        "output": 42_000, "active_players": 120,
    })
}

impl Economy {
    /// A live game, published or not.
    pub(crate) fn game_row(slug: &str, published: bool) -> games::Row {
        games::Row {
            id: Uuid::new_v5(&Uuid::nil(), slug.as_bytes()),
            mode: "live",
            slug: slug.to_owned(),
            title: format!("The {slug}"),
            published,
            page_id: Some(Uuid::nil()),
        }
    }

    /// Stores a live game, published or not.
    pub(crate) async fn game(&self, slug: &str, published: bool) {
        let row = Self::game_row(slug, published);
        let mut connection = self.pool.acquire().await.unwrap();
        games::upsert(&mut connection, Uuid::nil(), vec![row]).await.unwrap();
    }

    /// Sets the owners of the page that has all games.
    pub(crate) async fn owned_by(&self, accounts: &[&str]) {
        let row = pages::Row {
            id: Uuid::nil(),
            owners: accounts.iter().map(|id| id.parse().unwrap()).collect(),
        };
        let mut connection = self.pool.acquire().await.unwrap();
        pages::upsert(&mut connection, Uuid::nil(), vec![row]).await.unwrap();
    }

    /// Stores a published game, whose currency has the slug in capitals as its name.
    pub(crate) async fn currency(&self, slug: &str) {
        self.game(slug, true).await;
        self.name(slug, &slug.to_uppercase()).await;
    }

    pub(crate) async fn name(&self, slug: &str, name: &str) {
        let request = proto::SetCurrencyRequest { game: slug.to_owned(), name: name.to_owned() };
        self.staff.clone().set_currency(request).await.unwrap();
    }

    /// Submits a report with a live key.
    pub(crate) async fn report(
        &self,
        game: &str,
        body: &Value,
    ) -> Result<proto::SubmitReportResponse, Fault> {
        self.report_with(game, body, "").await
    }

    /// Submits a report with an `Idempotency-Key`.
    pub(crate) async fn report_with(
        &self,
        game: &str,
        body: &Value,
        idempotency_key: &str,
    ) -> Result<proto::SubmitReportResponse, Fault> {
        let request = proto::SubmitReportRequest {
            account_id: ACCOUNT.to_owned(),
            mode: Mode::Live.into(),
            game: game.to_owned(),
            body: body.to_string().into(),
            dry_run: false,
            idempotency_key: idempotency_key.to_owned(),
        };
        let answer = self.reports.clone().submit_report(request).await;
        Ok(answer?.into_inner())
    }

    /// Stores a currency with one report, whose basket costs 60 times the meal.
    pub(crate) async fn listed(&self, slug: &str, meal: u64) {
        self.currency(slug).await;
        let answer = self.report(slug, &report(meal)).await.unwrap();
        assert!(answer.counted);
    }

    pub(crate) async fn all_rates(&self) -> Vec<Rate<'static>> {
        self.rates_of(proto::ListRatesRequest::default()).await.1
    }

    pub(crate) async fn rate(&self, from: &str, to: &str) -> Rate<'static> {
        let request = proto::ListRatesRequest {
            from: from.to_owned(),
            to: to.to_owned(),
            ..proto::ListRatesRequest::default()
        };
        self.rates_of(request).await.1.remove(0)
    }

    /// The live rates that match a request, and the version of their list.
    pub(crate) async fn rates_of(
        &self,
        mut request: proto::ListRatesRequest,
    ) -> (String, Vec<Rate<'static>>) {
        if request.mode() == Mode::Unspecified {
            request.set_mode(Mode::Live);
        }
        let answer = self.rates.clone().list_rates(request).await.unwrap().into_inner();
        let rates: Vec<Rate<'static>> = serde_json::from_slice(&answer.json.unwrap()).unwrap();
        let total = answer.page.unwrap().total;
        assert_eq!(u64::try_from(rates.len()).unwrap(), total);
        (answer.version, rates)
    }

    pub(crate) async fn all_currencies(&self) -> Vec<Currency> {
        serde_json::from_slice(&self.list_currencies("").await.json.unwrap()).unwrap()
    }

    /// The live currencies, for a caller that has this version of their list.
    pub(crate) async fn list_currencies(&self, known: &str) -> proto::ListCurrenciesResponse {
        let request = proto::ListCurrenciesRequest {
            mode: Mode::Live.into(),
            known_version: known.to_owned(),
        };
        let answer = self.currencies.clone().list_currencies(request).await;
        answer.unwrap().into_inner()
    }

    /// Imports a swap at the clock's time.
    pub(crate) async fn swap(&self, id: &str, party: &str, from: (&str, u64), to: (&str, u64)) {
        self.swap_at(id, party, from, to, self.clock.now()).await;
    }

    pub(crate) async fn swap_at(
        &self,
        id: &str,
        party: &str,
        (from, gave): (&str, u64),
        (to, got): (&str, u64),
        at: OffsetDateTime,
    ) {
        let swap = proto::Swap {
            id: id.to_owned(),
            party: party.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
            gave,
            got,
            at: Some(timestamp::encode(at)),
        };
        let request = proto::ImportSwapsRequest { swaps: vec![swap] };
        let answer = self.staff.clone().import_swaps(request).await;
        assert_eq!(answer.unwrap().into_inner().recorded, 1);
    }

    /// Sends a tip with a live key.
    pub(crate) async fn tip(
        &self,
        game: &str,
        body: &Value,
        idempotency_key: &str,
    ) -> Result<proto::SendTipResponse, Fault> {
        let request = proto::SendTipRequest {
            account_id: ACCOUNT.to_owned(),
            mode: Mode::Live.into(),
            game: game.to_owned(),
            body: body.to_string().into(),
            dry_run: false,
            idempotency_key: idempotency_key.to_owned(),
        };
        let answer = self.tips.clone().send_tip(request).await;
        Ok(answer?.into_inner())
    }

    /// The player and the amount of each tip to a game, newest first.
    pub(crate) async fn tips_of(&self, game: &str) -> Vec<(String, u64)> {
        let request = proto::ListTipsRequest { game: game.to_owned(), page: None };
        let answer = self.staff.clone().list_tips(request).await;
        let tips = answer.unwrap().into_inner().tips.into_iter();
        tips.map(|tip| (tip.player, tip.amount)).collect()
    }
}
