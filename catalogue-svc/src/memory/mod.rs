//! The catalogue in memory: one writer, any number of readers, no lock.
//!
//! A [`State`] is one moment. Its parts are shared and copied on write, so publishing the next moment costs what the change touched,
//! and whoever still reads the last one is not disturbed.

mod bits;
mod chunk;
mod named;
mod paged;
mod query;
mod row;
mod shelf;
mod state;
mod vocabulary;
mod writer;

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use kit::Fault;

use crate::domain::listing::Mode;

pub use query::{Page, Question};
pub use row::{Maker, Row};
pub use shelf::Shelf;
pub use state::{Genres, State};
pub use writer::Writer;

/// Rows in a chunk at most.
pub const CHUNK_ROWS: u16 = 4_096;

/// Where the newest state is found.
#[derive(Debug, Default)]
pub struct Catalogue {
    state: ArcSwapOption<State>,
}

impl Catalogue {
    /// The newest state.
    ///
    /// # Errors
    /// [`kit::Code::Unavailable`] while nothing whole has been learnt yet.
    pub fn state(&self) -> Result<Arc<State>, Fault> {
        self.state
            .load_full()
            .ok_or_else(|| Fault::unavailable("the catalogue, which is still being loaded"))
    }

    /// Makes `state` the newest.
    pub fn publish(&self, state: State) {
        for mode in [Mode::Live, Mode::Test] {
            let games = u32::try_from(state.shelf(mode).len()).unwrap_or(u32::MAX);
            metrics::gauge!("catalogue_games", "mode" => mode.as_str()).set(f64::from(games));
        }
        self.state.store(Some(Arc::new(state)));
    }
}
