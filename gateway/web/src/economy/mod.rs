//! The economy of an account's games: currencies and reports. Every page is an RPC of economy-svc.

pub mod currency;
pub mod games;
