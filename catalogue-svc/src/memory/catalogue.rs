//! Where the newest state is found, and how a reader waits for it.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use contracts::common::v1 as common;
use kit::Fault;
use tokio::sync::watch;
use uuid::Uuid;

use super::state::State;
use crate::domain::listing::Mode;

/// Where the newest state is found. One that is made by default lets nobody wait.
#[derive(Debug, Default)]
pub struct Catalogue {
    state: ArcSwapOption<State>,
    /// Told of each state that is published.
    news: watch::Sender<()>,
    patience: Duration,
}

impl Catalogue {
    /// An empty one, whose readers wait so long for a state that they have heard of (§1).
    pub fn new(patience: Duration) -> Self {
        Self {
            patience,
            ..Self::default()
        }
    }

    /// The newest state.
    ///
    /// # Errors
    /// [`kit::Code::Unavailable`] while nothing whole has been learnt yet.
    pub fn state(&self) -> Result<Arc<State>, Fault> {
        self.state
            .load_full()
            .ok_or_else(|| Fault::unavailable("the catalogue, which is still being loaded"))
    }

    /// The newest state, which reaches as far as `at_least` says; or, when that does not come in time, the newest all the same.
    ///
    /// # Errors
    /// As [`Catalogue::state`].
    pub async fn state_at(&self, at_least: Option<&common::Position>) -> Result<Arc<State>, Fault> {
        if let Some(wanted) = at_least {
            let reached = tokio::time::timeout(self.patience, self.reach(wanted)).await;
            if reached.is_err() {
                metrics::counter!("catalogue_reads_behind_total").increment(1);
            }
        }
        self.state()
    }

    /// Returns once a state of the epoch has been published that reaches as far as `wanted`.
    async fn reach(&self, wanted: &common::Position) {
        // An epoch that does not read is one that never comes.
        let epoch = Uuid::parse_str(&wanted.epoch).ok();
        let mut news = self.news.subscribe();
        loop {
            news.mark_unchanged();
            let position = self.state.load().as_ref().map(|state| state.position);
            if position.is_some_and(|at| Some(at.epoch) == epoch && at.seq >= wanted.seq) {
                return;
            }
            // The sender lives as long as the catalogue: there is no error to hear of.
            news.changed().await.ok();
        }
    }

    /// Makes `state` the newest.
    pub fn publish(&self, state: State) {
        for mode in [Mode::Live, Mode::Test] {
            let world = state.world(mode);
            for (kind, rows) in [
                ("games", world.games.len()),
                ("creators", world.creators.len()),
                ("events", world.events.len()),
                ("cities", world.cities.len()),
            ] {
                let rows = f64::from(u32::try_from(rows).unwrap_or(u32::MAX));
                metrics::gauge!("catalogue_rows", "kind" => kind, "mode" => mode.as_str())
                    .set(rows);
            }
        }
        self.state.store(Some(Arc::new(state)));
        self.news.send_replace(());
    }
}
