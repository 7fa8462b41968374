//! The economy of an account's games: currencies, reports and rates. Every page is an RPC of economy-svc.

pub mod currency;
pub mod games;
mod rates;
