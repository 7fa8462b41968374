//! The rules of listings and votes, without I/O: the orders of lists and boards, the values to filter listings by, their words, and how votes
//! are counted.

pub mod card;
pub mod collation;
pub mod days;
pub mod draw;
pub mod drawer;
pub mod facet;
mod folding;
pub mod moves;
pub mod order;
pub mod point_in_time;
pub mod rankings;
pub mod ranks;
pub mod staff_action;
pub mod tally;
pub mod typo;
pub mod vote;
pub mod voter;
pub mod words;
