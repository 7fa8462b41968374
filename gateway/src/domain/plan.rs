//! Plans: what an account may use (§8).

use std::collections::BTreeSet;

/// The endpoints that a plan may lack.
pub const ENDPOINTS: &[&str] = &[
    "games",
    "genres",
    "creators",
    "countries",
    "cities",
    "events",
    "rankings",
    "search",
    "changes",
    "economy",
    "tips",
];

/// What an account on this plan may use. An absent limit does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Its key, for example `free`.
    pub name: String,
    /// Its name for people, for example `Free`.
    pub title: String,
    /// Calls by one key in 60 seconds.
    pub calls_per_minute: Option<u32>,
    /// Calls by the account's live keys in a calendar month.
    pub calls_per_month: Option<u64>,
    /// Live keys that work at the same time.
    pub working_keys: Option<u32>,
    /// Accepted live writes in a UTC day.
    pub writes_per_day: Option<u32>,
    /// Addresses for webhooks.
    pub webhook_endpoints: Option<u32>,
    /// Whether real events are sent, beside test ones.
    pub webhook_events: bool,
    /// Endpoints that live keys may not call.
    pub lacks: BTreeSet<String>,
}

/// All plans, cheapest first; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plans(Vec<Plan>);

impl Plan {
    /// Whether live keys may call `endpoint`.
    pub fn has(&self, endpoint: &str) -> bool {
        !self.lacks.contains(endpoint)
    }
}

impl Plans {
    /// `None` when there is no plan.
    pub(super) fn new(plans: Vec<Plan>) -> Option<Self> {
        (!plans.is_empty()).then_some(Self(plans))
    }

    /// The plan called `name`.
    pub fn get(&self, name: &str) -> Option<&Plan> {
        self.0.iter().find(|plan| plan.name == name)
    }

    /// The plan called `name`, or the cheapest: while a new table of plans is rolled out, an account may already be on a plan that
    /// this process does not know.
    pub fn get_or_cheapest(&self, name: &str) -> &Plan {
        self.get(name).unwrap_or(&self.0[0])
    }

    /// The cheapest plan that has `endpoint`.
    pub fn cheapest_with(&self, endpoint: &str) -> Option<&Plan> {
        self.0.iter().find(|plan| plan.has(endpoint))
    }

    /// Cheapest first.
    pub fn iter(&self) -> impl Iterator<Item = &Plan> {
        self.0.iter()
    }

    /// Their names for a message, as in `free, build or partner`.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.iter().map(|plan| plan.name.as_str()).collect();
        match names.split_last() {
            Some((last, others)) if !others.is_empty() => {
                format!("{} or {last}", others.join(", "))
            }
            _ => names.concat(),
        }
    }
}
