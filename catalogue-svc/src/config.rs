//! Settings of catalogue-svc.

use std::time::Duration;

use clap::Args;
use kit::config::{Common, milliseconds};
use kit::rpc::client::Addresses;

use crate::write::Limits;

#[derive(Debug, Args)]
pub struct Settings {
    #[command(flatten)]
    pub common: Common,
    /// Where listings-svc is: addresses such as `https://host:port` with commas between, `file:/path`, or `dns:https://name:port`
    #[arg(long)]
    pub listings_addresses: Addresses,
    /// Base URL of the public pages; the page of a game is at /games/SLUG below it
    #[arg(long, value_parser = kit::public_url::parse)]
    pub public_url: String,
    /// Milliseconds that a call waits at most for a change that it must see
    #[arg(long, default_value = "300", value_parser = milliseconds)]
    pub patience: Duration,
    /// Hour of UTC at which a snapshot of each board is taken
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(0..24))]
    pub snapshot_hour: u8,
    /// A move on a board of the week is published if the rank before or after it is this or better
    #[arg(long, default_value_t = 100)]
    pub moves_to: u32,
    /// Votes with cookies and new accounts in a day (UTC) from an IPv4 address, at most
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(1..))]
    votes_per_ipv4_address: u32,
    /// Votes with cookies and new accounts in a day (UTC) from an IPv6 network (/64), at most; five
    /// times as many from a /48
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    votes_per_ipv6_network: u32,
    /// Votes of a voter in an hour, at most
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..))]
    votes_per_hour: i64,
    /// Votes of a voter in a day (UTC), at most
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(i64).range(1..))]
    votes_per_day: i64,
    /// Days for which votes are stored and can be voided
    #[arg(long, default_value_t = 31, value_parser = clap::value_parser!(u32).range(8..=31))]
    votes_kept: u32,
}

impl Settings {
    pub(crate) fn vote_limits(&self) -> Limits {
        Limits {
            ipv4_daily: self.votes_per_ipv4_address,
            ipv6_daily: self.votes_per_ipv6_network,
            hourly: self.votes_per_hour,
            daily: self.votes_per_day,
        }
    }

    pub(crate) fn votes_kept(&self) -> time::Duration {
        time::Duration::days(self.votes_kept.into())
    }
}

impl kit::config::Settings for Settings {
    const SERVICE: &'static str = "catalogue-svc";
    const PREFIX: &'static str = "CATALOGUE";
    const ABOUT: &'static str = "Answers every read of the directory, from memory, and takes votes";

    fn common(&self) -> &Common {
        &self.common
    }
}
