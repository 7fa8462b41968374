//! Which listings moved from one snapshot of a board to the next (§6).

use uuid::Uuid;

use super::ranks::Ranks;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    pub listing: Uuid,
    /// From 1; 0: it left the board.
    pub rank: u32,
    /// From 1; 0: it was not on the board.
    pub previous_rank: u32,
}

/// The moves between two snapshots of a board, of listings whose rank or previous rank is `max_rank` or better.
///
/// A snapshot has the listings of the board, the best first. The moves are ordered by rank; listings that left the board come last.
pub fn moves(before: &[Uuid], after: &[Uuid], max_rank: u32) -> Vec<Move> {
    let count = usize::try_from(max_rank).unwrap_or(usize::MAX);
    // A listing beyond `max_rank` has no move unless it comes from a better rank or goes to one.
    let (ranks_before, ranks_after) = (Ranks::new(before), Ranks::new(after));
    let high = after.iter().take(count);
    let fallen = before.iter().take(count).filter(|listing| {
        let rank = ranks_after.get(listing);
        rank == 0 || rank > max_rank
    });
    let mut moves: Vec<Move> = (high.chain(fallen))
        .map(|listing| Move {
            listing: *listing,
            rank: ranks_after.get(listing),
            previous_rank: ranks_before.get(listing),
        })
        .filter(|one| one.rank != one.previous_rank)
        .collect();
    moves.sort_by_key(|one| (one.rank == 0, one.rank, one.previous_rank));
    moves
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ids(numbers: impl IntoIterator<Item = u128>) -> Vec<Uuid> {
        numbers.into_iter().map(Uuid::from_u128).collect()
    }

    fn shown(moves: &[Move]) -> Vec<(u128, u32, u32)> {
        let shown = moves.iter();
        shown.map(|one| (one.listing.as_u128(), one.rank, one.previous_rank)).collect()
    }

    #[test]
    fn listings_that_come_go_or_change_places_move() {
        let moved = moves(&ids([1, 2, 3, 4]), &ids([1, 3, 2, 5]), 100);
        assert_eq!(shown(&moved), [(3, 2, 3), (2, 3, 2), (5, 4, 0), (4, 0, 4)]);
        assert!(moves(&ids([1, 2]), &ids([1, 2]), 100).is_empty());
    }

    proptest! {
        #[test]
        fn a_move_is_published_when_either_rank_is_high(
            before in Just((0..40_u128).collect::<Vec<_>>()).prop_shuffle(),
            after in Just((10..50_u128).collect::<Vec<_>>()).prop_shuffle(),
            max_rank in 0..60_u32,
        ) {
            let (before, after) = (ids(before), ids(after));
            let rank = |order: &[Uuid], id| order.iter().position(|one| *one == id).map_or(0, |at| u32::try_from(at).unwrap() + 1);
            let is_high = |rank: u32| (1..=max_rank).contains(&rank);
            let mut expected: Vec<(u128, u32, u32)> = (0..50)
                .map(|id| (id, rank(&after, Uuid::from_u128(id)), rank(&before, Uuid::from_u128(id))))
                .filter(|(_, now, then)| now != then && (is_high(*now) || is_high(*then)))
                .collect();
            let mut told = shown(&moves(&before, &after, max_rank));
            told.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(told, expected);
        }
    }
}
