//! The words of an index, and what a `q` finds by them.
//!
//! - **Words** are in a finite state transducer that leads to postings: the docs with the word, by the field that has it (title, tagline,
//!   associated names). Postings change in place. New words wait in a small map until the transducer is built again. Prefixes of one and two
//!   characters, with which thousands of words begin, have postings of their own.
//! - **`q`** counts to its tenth word. Their postings are intersected, the most selective word first, until no doc is left ([`terms()`]).
//! - **Typos** (`domain/typo.rs`, the rule is §4.1 of the contract): a Levenshtein automaton (the crate `levenshtein_automata`, where a swap
//!   of neighbours is one edit) walks the transducer; words without a doc do not count. A word that is no prefix of a known word stands for
//!   the nearest words. Two words of a query are forgiven at most, since the automata of a long word take milliseconds and megabytes; they are
//!   dropped after the word. A search considers the words of all four kinds, a list those of its own kind. Forgiving takes up to tens of milliseconds, so calls
//!   run it on a thread that may block (`service/slow_searches.rs`).

mod postings;
mod term_dictionary;
mod terms;

pub(crate) use postings::{FieldDocs, Union};
pub(crate) use term_dictionary::{Match, TermDictionary};
pub(crate) use terms::{Terms, terms};
