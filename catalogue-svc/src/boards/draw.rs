//! The choice of the two listings that a voter compares.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::Arc;

use rand::seq::IteratorRandom as _;
use rand::{Rng, RngExt as _};
use uuid::Uuid;

use super::votable::Votable;
use crate::domain::vote::Pair;
use crate::index::{Dataset, Index};

/// The random pairs that a draw tries. They suffice unless the voter may judge only a few of all pairs.
const RANDOM_TRIES: usize = 100;
/// The most listings, and the most of their pairs, that a draw examines after that.
const MAX_EXAMINED: usize = 50_000;

/// Draws two listings of different creators for a voter who has `judged` these pairs. Every other pair has the same chance, but for
/// listings of the voter's `accounts`. `None`: no examined pair qualifies.
pub fn random_pair<L: Votable>(
    dataset: &Dataset,
    rng: &mut impl Rng,
    accounts: &[Uuid],
    judged: &HashSet<Pair, impl BuildHasher>,
) -> Option<[Arc<L>; 2]> {
    let is_own = |row: &L| row.owners(dataset).iter().any(|it| accounts.contains(it));
    let is_open = |one: &L, other: &L| {
        !judged.contains(&Pair::of(*one.id(), *other.id())) && !is_own(one) && !is_own(other)
    };
    draw(L::index(dataset), rng, is_open)
}

/// Draws two listings of different creators, as a pair that `is_open`. Every such pair has the same chance, in either order. `None`: no
/// examined pair qualifies.
fn draw<L: Votable>(
    listings: &Index<L>,
    rng: &mut impl Rng,
    is_open: impl Fn(&L, &L) -> bool,
) -> Option<[Arc<L>; 2]> {
    let is_pair = |one: &L, other: &L| {
        let of_one_creator = one.creator().is_some() && one.creator() == other.creator();
        one.id() != other.id() && !of_one_creator && is_open(one, other)
    };
    if listings.is_empty() {
        return None;
    }
    for _ in 0..RANDOM_TRIES {
        // A position leads to the same listing at each replica, unlike a doc id: a voter who loads the page again gets the same pair.
        let mut choose = || {
            let position = rng.random_range(0..listings.len());
            listings.nth(position)
        };
        let (one, other) = (choose()?, choose()?);
        if is_pair(one, other) {
            return Some([one, other].map(Arc::clone));
        }
    }
    let listings: Vec<&Arc<L>> = listings.rows().take(MAX_EXAMINED).collect();
    let pairs = (listings.iter().enumerate())
        .flat_map(|(at, one)| listings[at + 1..].iter().map(move |other| (*one, *other)));
    let pairs = pairs.take(MAX_EXAMINED);
    let (one, other) = pairs
        .filter(|(one, other)| is_pair(one, other))
        .choose(rng)?;
    let pair = [one, other].map(Arc::clone);
    let [first, second] = pair;
    Some(if rng.random() {
        [first, second]
    } else {
        [second, first]
    })
}
