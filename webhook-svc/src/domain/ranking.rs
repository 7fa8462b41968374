//! Which moves on a board are told (§6).

/// Moves are told of listings that stand, or stood, at this rank or better.
const LOWEST: u32 = 100;

/// Whether a move on a board is told: on the board of the week, among the first hundred before or after it. 0 is no rank.
pub fn is_told(board: &str, rank: u32, previous_rank: u32) -> bool {
    let is_high = |rank| (1..=LOWEST).contains(&rank);
    board == "week" && rank != previous_rank && (is_high(rank) || is_high(previous_rank))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_among_the_first_hundred_of_the_week_are_told() {
        for (board, rank, previous, told) in [
            ("week", 1, 2, true),
            ("week", 100, 101, true),
            ("week", 400, 100, true),
            ("week", 7, 0, true),
            ("week", 0, 7, true),
            ("week", 7, 7, false),
            ("week", 101, 102, false),
            ("week", 0, 101, false),
            ("month", 1, 2, false),
        ] {
            assert_eq!(
                is_told(board, rank, previous),
                told,
                "{board} {rank} {previous}"
            );
        }
    }
}
