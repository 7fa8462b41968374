//! The rules of the economy: pure functions without I/O and without a clock.

pub mod basket;
pub mod economy;
pub mod fields;
pub mod figures;
pub mod hold;
pub mod market;
pub mod rates;
pub mod ratio;
pub mod renames;
pub mod report;
pub mod report_policy;
pub mod report_state;
pub mod staff_action;
pub mod tip;
