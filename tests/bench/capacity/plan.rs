//! What a fleet needs for a load.

use super::{Costs, KINDS, Load, MIB};

/// The share of a core that a process uses at most, so that a burst, or the end of another replica, finds a reserve.
const SHARE: f64 = 0.6;
/// Replicas of a service at least, so that one may fail.
const REPLICAS: f64 = 2.0;
/// `database_connections` by default.
const POOL: f64 = 10.0;
/// A game reports once an hour at most.
const REPORTS_OF_A_CURRENCY: f64 = 1.0 / 3600.0;

/// The most connections of a replica to PostgreSQL: its pool.
pub(super) fn connections(process: &str) -> f64 {
    match process {
        "postgres" | "redis" => 0.0,
        _ => POOL,
    }
}

/// The load to plan for.
#[derive(Debug)]
pub(crate) struct Demand {
    load: Load,
    games: f64,
    /// Cores that a replica may use.
    cores: f64,
}

impl Demand {
    /// Parses `--reads 2000 --writes 50 …`.
    pub(crate) fn parse(options: &[&str]) -> Self {
        let mut demand = Self {
            load: [200.0, 5.0, 50.0, 5.0, 0.0],
            games: 10_000.0,
            cores: 1.0,
        };
        for option in options.chunks(2) {
            let number = option.get(1).and_then(|number| number.parse::<f64>().ok());
            let number = number.filter(|number| number.is_finite() && *number >= 0.0);
            let number = number.unwrap_or_else(|| panic!("{option:?}: a number must follow"));
            let name = option[0].trim_start_matches("--");
            match (name, KINDS.iter().position(|kind| *kind == name)) {
                (_, Some(kind)) => demand.load[kind] = number,
                ("currencies", _) => demand.load[4] = number * REPORTS_OF_A_CURRENCY,
                ("games", _) => demand.games = number,
                ("cores", _) => demand.cores = number.max(0.1),
                _ => panic!("{name} is not one of {KINDS:?}, currencies, games, cores"),
            }
        }
        demand
    }

    /// Prints a table of what each process needs.
    pub(super) fn print(&self, costs: &Costs, bytes_per_game: f64) {
        println!(
            "\n{:<14} {:>8} {:>9} {:>12} {:>12}",
            "", "cores", "replicas", "MiB each", "connections"
        );
        let mut total_connections = 0.0;
        let mut engines = Vec::new();
        for (place, name) in costs.processes.iter().enumerate() {
            let cores = costs.cores(place, &self.load);
            let mut memory = costs.memory[place];
            if name == "catalogue-svc" {
                memory += self.games * bytes_per_game / MIB;
            }
            if ["postgres", "redis"].contains(&name.as_str()) {
                // Redis works on one core.
                engines.push((name, cores));
                println!("{name:<14} {cores:>8.2} {:>9} {memory:>12.0}", 1);
                continue;
            }
            let replicas = (cores / (self.cores * SHARE)).ceil().max(REPLICAS);
            let needed = replicas * connections(name);
            total_connections += needed;
            println!("{name:<14} {cores:>8.2} {replicas:>9.0} {memory:>12.0} {needed:>12.0}");
        }
        println!(
            "\nPostgreSQL: max_connections of {:.0} or more, with those of replicas that are being replaced",
            2.0 * total_connections
        );
        for (name, cores) in engines {
            println!(
                "{name}: {cores:.2} cores now; at 10 times this load {:.1}, at 100 times {:.1}",
                cores * 10.0,
                cores * 100.0
            );
        }
        println!("Limits that no replica moves: deploy/CAPACITY.md");
    }
}
