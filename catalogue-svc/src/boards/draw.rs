//! The choice of the two listings that a voter compares.

use std::sync::Arc;

use rand::seq::{IndexedRandom as _, IteratorRandom as _};
use rand::{Rng, RngExt as _};

use super::votable::Votable;
use crate::index::Index;

/// Random pairs that a draw tries. They suffice unless the voter may judge only a few of all pairs.
const TRIES: usize = 100;
/// The most pairs that a draw goes through after that.
const MOST: usize = 50_000;

/// Draws two of these listings that `newest` still has, of different creators, as a pair that `is_open`. Every such pair has the same
/// chance, in either order. `None`: no examined pair qualifies.
pub(super) fn draw<L: Votable>(
    listings: &[Arc<L>],
    newest: &Index<L>,
    rng: &mut impl Rng,
    is_open: impl Fn(&L, &L) -> bool,
) -> Option<[Arc<L>; 2]> {
    // The row of now: the listings are some seconds old.
    let current = |listing: &Arc<L>| {
        let row = newest.get(listing.address());
        row.filter(|row| row.id() == listing.id())
    };
    let qualified = |one: &Arc<L>, other: &Arc<L>| {
        let (one, other) = (current(one)?, current(other)?);
        let of_one_creator = one.creator().is_some() && one.creator() == other.creator();
        let is_pair = one.id() != other.id() && !of_one_creator && is_open(one, other);
        is_pair.then(|| [one, other].map(Arc::clone))
    };
    for _ in 0..TRIES {
        let (one, other) = (listings.choose(rng)?, listings.choose(rng)?);
        if let Some(pair) = qualified(one, other) {
            return Some(pair);
        }
    }
    let pairs = (listings.iter().enumerate())
        .flat_map(|(at, one)| listings[at + 1..].iter().map(move |other| (one, other)));
    let pairs = pairs.take(MOST);
    let [one, other] = pairs
        .filter_map(|(one, other)| qualified(one, other))
        .choose(rng)?;
    Some(if rng.random() {
        [one, other]
    } else {
        [other, one]
    })
}
