//! economy-svc: rates between currencies, with their course.

use std::collections::HashMap;
use std::iter::once;

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use contracts::public::Rate;
use kit::Fault;
use kit::overload::Permit;
use kit::throttle::Throttle;
use tokio::time::timeout;

use super::Currencies;
use super::call::required;

/// The source of a rate that is the quotient of the costs of two baskets.
const CALCULATED: &str = "worked";

/// Logged once a minute: while economy-svc is slow or unavailable, every page with rates lacks their course.
static WITHOUT_COURSE: Throttle = Throttle::new();

/// Rates from one currency, by the slugs of the others.
#[derive(Debug, Default)]
pub struct RatePage {
    pub rows: Vec<Rate<'static>>,
    pub has_more: bool,
    /// What the baskets of the games cost day by day, by slug. Without it, a rate is shown without its course.
    costs: HashMap<String, Vec<f64>>,
}

impl RatePage {
    /// The calculated rate 30 days ago, 29 days ago, … now; `None` before both games had reported.
    /// Empty for a rate of the market.
    pub fn course(&self, rate: &Rate<'_>) -> Vec<Option<f64>> {
        if rate.source != CALCULATED {
            return Vec::new();
        }
        let costs = |slug: &str| self.costs.get(slug).into_iter().flatten().copied();
        let pairs = costs(&rate.from).zip(costs(&rate.to));
        pairs.map(|(from, to)| (from > 0. && to > 0.).then(|| to / from)).collect()
    }
}

impl Currencies {
    /// The first `most` rates from a currency to those whose slugs come after `after`.
    pub async fn rates(&self, from: &str, after: &str, most: usize) -> Result<RatePage, Fault> {
        let (mut page, _permit) = self.rates_without_course(from, after, most).await?;
        self.add_costs(from, &mut page).await;
        Ok(page)
    }

    /// The rates without the costs of their baskets, and the permit, which the caller holds during further calls.
    pub(super) async fn rates_without_course(
        &self,
        from: &str,
        after: &str,
        most: usize,
    ) -> Result<(RatePage, Permit), Fault> {
        let permit = self.permit().await?;
        let request = proto::ListRatesRequest {
            mode: Mode::Live.into(),
            from: from.to_owned(),
            after: after.to_owned(),
            // One more says whether there are more.
            limit: u32::try_from(most + 1).unwrap_or(u32::MAX),
            ..proto::ListRatesRequest::default()
        };
        let response = self.calls.idempotent(request).await?;
        let mut rows: Vec<Rate<'static>> = serde_json::from_slice(&required(response.json)?)
            .map_err(|error| Fault::internal(&error))?;
        let has_more = rows.len() > most;
        rows.truncate(most);
        let page = RatePage { rows, has_more, costs: HashMap::new() };
        Ok((page, permit))
    }

    /// Adds the daily costs of the baskets, from which the course is drawn. After `course_timeout`, the page has none.
    pub(super) async fn add_costs(&self, from: &str, page: &mut RatePage) {
        let others = page
            .rows
            .iter()
            .filter(|rate| rate.source == CALCULATED)
            .map(|rate| rate.to.clone().into_owned());
        let games = others.chain(once(from.to_owned())).collect();
        let request = proto::ListDailyCostsRequest { games };
        // Not a deadline of the call: an answer that comes too late for the page is no failure of its replica.
        let listing = self.calls.idempotent(request);
        match timeout(self.course_timeout, listing).await {
            Ok(Ok(listed)) => {
                let games = listed.games.into_iter();
                page.costs = games.map(|it| (it.game, it.costs)).collect();
            }
            Ok(Err(fault)) if WITHOUT_COURSE.admits() => {
                tracing::warn!(%fault, "rates are shown without their course");
            }
            Err(_elapsed) if WITHOUT_COURSE.admits() => {
                tracing::warn!("rates are shown without their course, which came too late");
            }
            Ok(Err(_)) | Err(_) => {}
        }
    }
}
