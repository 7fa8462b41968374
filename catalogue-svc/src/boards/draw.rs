//! The choice of the two listings that a voter compares.

use std::collections::HashSet;
use std::hash::BuildHasher;

use rand::seq::IteratorRandom as _;
use rand::{Rng, RngExt as _};
use uuid::Uuid;

use super::votable::Votable;
use crate::domain::rankings::BoardKind;
use crate::domain::vote::Pair;
use crate::index::Dataset;

/// The random pairs that a draw tries. They suffice unless the voter may judge only a few of all pairs.
const RANDOM_TRIES: usize = 100;
/// The most listings, and the most of their pairs, that a draw examines after that.
const MAX_EXAMINED: usize = 50_000;

/// Draws two listings of different creators for a voter who has `judged` these pairs.
///
/// Every other pair has the same chance, in either order, but for listings of the voter's `accounts`. Returns `None` if no examined pair
/// qualifies.
pub fn random_pair<'a>(
    dataset: &'a Dataset,
    kind: BoardKind,
    rng: &mut impl Rng,
    accounts: &[Uuid],
    judged: &HashSet<Pair, impl BuildHasher>,
) -> Option<[Votable<'a>; 2]> {
    let is_own = |row: Votable<'a>| row.owners(dataset).iter().any(|it| accounts.contains(it));
    let is_pair = |one: Votable<'a>, other: Votable<'a>| {
        one.may_meet(other)
            && !judged.contains(&Pair::new(one.id(), other.id()))
            && !is_own(one)
            && !is_own(other)
    };
    let count = dataset.count_votables(kind);
    if count == 0 {
        return None;
    }
    for _ in 0..RANDOM_TRIES {
        // A position leads to the same listing at each replica, unlike a doc id: a voter who loads the page again gets the same pair.
        let mut choose = || dataset.votable_at(kind, rng.random_range(0..count));
        let (one, other) = (choose()?, choose()?);
        if is_pair(one, other) {
            return Some([one, other]);
        }
    }
    let listings: Vec<Votable<'a>> = dataset.votables(kind).take(MAX_EXAMINED).collect();
    let pairs = (listings.iter().enumerate())
        .flat_map(|(at, one)| listings[at + 1..].iter().map(move |other| (*one, *other)));
    let pairs = pairs.take(MAX_EXAMINED);
    let (one, other) = pairs.filter(|(one, other)| is_pair(*one, *other)).choose(rng)?;
    Some(if rng.random() { [one, other] } else { [other, one] })
}
