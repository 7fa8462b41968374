//! What is true of listings and votes without any storage or transport: the orders of lists and boards, what listings can be filtered by,
//! their words, and how votes are counted.

pub mod changes;
pub mod collation;
pub mod days;
pub mod draw;
pub mod facet;
pub mod keyword;
pub mod listing;
pub mod moves;
pub mod order;
pub mod point_in_time;
pub mod rankings;
pub mod ranks;
pub mod staff_action;
pub mod suspicion;
pub mod tally;
pub mod typo;
pub mod vote;
pub mod words;
