//! What a query costs.

/// How much of an index was read to answer a query.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// Chunks whose rows were selected.
    pub chunks: u64,
    /// Postings that were put together or intersected.
    pub postings: u64,
    /// Automata that were built for misspelled words.
    pub automata: u64,
}
