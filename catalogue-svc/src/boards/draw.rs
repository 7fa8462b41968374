//! The choice of the two listings that a voter compares.

use std::collections::HashSet;
use std::iter;
use std::sync::Arc;

use super::place::Candidate;
use super::votable::Votable;
use crate::domain::vote::Pair;
use crate::index::Index;

/// The most pairs that one draw examines.
const MOST: usize = 50_000;

/// Draws two listings of different creators that `listings` still has, as a pair that is not among `judged`. Listings with the fewest votes
/// come first; listings with equally many are taken from the number `start` on. `None`: no examined pair qualifies.
pub(super) fn draw<L: Votable>(
    candidates: &[Candidate<L>],
    start: u32,
    judged: &HashSet<Pair>,
    listings: &Index<L>,
) -> Option<[Arc<L>; 2]> {
    let mut examined = 0;
    // The row of now: the candidates are some seconds old.
    let mut firsts = from_start(candidates, start).filter_map(|candidate| {
        let row = listings.get(candidate.row.address())?;
        (row.id() == candidate.row.id()).then_some(row)
    });
    while let Some(first) = firsts.next() {
        for second in firsts.clone() {
            examined += 1;
            if examined > MOST {
                return None;
            }
            let of_one_creator = first.creator().is_some() && first.creator() == second.creator();
            let pair = Pair::of(*first.id(), *second.id());
            if !of_one_creator && !judged.contains(&pair) {
                return Some([first, second].map(Arc::clone));
            }
        }
    }
    None
}

/// All candidates. In a group of equally many votes, those from the number `start` on come first.
fn from_start<L>(
    candidates: &[Candidate<L>],
    start: u32,
) -> impl Iterator<Item = &Candidate<L>> + Clone {
    let groups = iter::successors(split_group(candidates), |[_, rest]| split_group(rest));
    groups.flat_map(move |[group, _]| {
        let middle = group.partition_point(|candidate| candidate.number < start);
        let (before, from_start) = group.split_at(middle);
        from_start.iter().chain(before)
    })
}

/// The candidates that have as many votes as the first one, and the others.
fn split_group<L>(candidates: &[Candidate<L>]) -> Option<[&[Candidate<L>]; 2]> {
    let votes = candidates.first()?.votes;
    let end = candidates.partition_point(|candidate| candidate.votes == votes);
    Some(candidates.split_at(end).into())
}
