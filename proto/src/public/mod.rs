//! The JSON shapes of the public interface (§2), a file a resource.
//!
//! The services render them, the gateway documents them and the tests read answers with them; there is no second copy.

mod game;
mod me;
mod timestamp;

pub use game::{Credit, Game, GameCreator, GameRow, Screenshot};
pub use me::{Me, MeAccount, MeKey, MeMinute, MeMonth, MePlan};
pub use timestamp::Timestamp;
