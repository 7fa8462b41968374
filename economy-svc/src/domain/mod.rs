//! What the figures of games mean: pure, without I/O and without a clock of their own.

pub mod basket;
pub mod decimal;
pub mod economy;
pub mod fields;
pub mod figures;
pub mod hold;
pub mod methodology;
pub mod rates;
pub mod ratio;
pub mod report;
pub mod staff_action;
pub mod swap;
pub mod tip;
