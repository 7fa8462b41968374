//! The choice of the two listings that a voter compares.

use std::collections::HashSet;
use std::sync::Arc;

use super::place::{Candidate, CandidateKey};
use super::ranked_list::RankedList;
use super::votable::Votable;
use crate::domain::vote::Pair;

/// The most pairs that one draw examines.
const MOST: usize = 50_000;

/// Draws two listings of different creators, as a pair that is not among `judged`. Listings with the fewest votes come first; listings with
/// equally many are taken from the number `start` on. `None`: no examined pair qualifies.
pub(super) fn draw<L: Votable>(
    candidates: &RankedList<Candidate<L>>,
    start: u32,
    judged: &HashSet<Pair>,
) -> Option<(Arc<L>, Arc<L>)> {
    let mut examined = 0;
    let mut firsts = FromStart::new(candidates, start);
    while let Some(first) = firsts.next() {
        for second in firsts.clone() {
            examined += 1;
            if examined > MOST {
                return None;
            }
            let of_one_creator =
                first.row.creator().is_some() && first.row.creator() == second.row.creator();
            let pair = Pair::of(*first.row.id(), *second.row.id());
            if !of_one_creator && !judged.contains(&pair) {
                return Some((Arc::clone(&first.row), Arc::clone(&second.row)));
            }
        }
    }
    None
}

/// Iterates over all candidates. In a group of equally many votes, those from the number `start` on come first.
struct FromStart<'a, L> {
    candidates: &'a RankedList<Candidate<L>>,
    start: u32,
    /// Ranges of places in the group: the current one, and the one after it.
    now: (usize, usize),
    then: (usize, usize),
    group_end: usize,
}

impl<L> Clone for FromStart<'_, L> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<'a, L: Votable> FromStart<'a, L> {
    fn new(candidates: &'a RankedList<Candidate<L>>, start: u32) -> Self {
        Self {
            candidates,
            start,
            now: (0, 0),
            then: (0, 0),
            group_end: 0,
        }
    }

    /// Advances to the next group.
    fn next_group(&mut self) -> Option<()> {
        let begin = self.group_end;
        let votes = self.candidates.iter_from(begin).next()?.votes;
        let place = |from: CandidateKey| {
            self.candidates
                .place(|candidate| candidate.key().cmp(&from))
        };
        let middle = place((votes, self.start, uuid::Uuid::nil()));
        self.group_end = match votes.checked_add(1) {
            Some(more) => place((more, 0, uuid::Uuid::nil())),
            None => self.candidates.len(),
        };
        self.now = (middle, self.group_end);
        self.then = (begin, middle);
        Some(())
    }
}

impl<'a, L: Votable> Iterator for FromStart<'a, L> {
    type Item = &'a Candidate<L>;

    fn next(&mut self) -> Option<&'a Candidate<L>> {
        while self.now.0 >= self.now.1 {
            self.now = std::mem::take(&mut self.then);
            if self.now.0 >= self.now.1 {
                self.next_group()?;
            }
        }
        let place = self.now.0;
        self.now.0 += 1;
        self.candidates.iter_from(place).next()
    }
}
