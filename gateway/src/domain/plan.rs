//! Plans: the limits and the endpoints of accounts (§8).

use std::collections::BTreeSet;

use serde::Deserialize;

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
    "economy",
    "tips",
];

/// A plan. `None` means no limit.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// For example `free`.
    pub name: String,
    /// For people, for example `Free`.
    pub title: String,
    /// Calls per key and 60 seconds.
    pub calls_per_minute: Option<u32>,
    /// Calls of all live keys per calendar month.
    pub calls_per_month: Option<u64>,
    /// Live keys that work at the same time.
    pub working_keys: Option<u32>,
    /// Accepted live writes per UTC day.
    pub writes_per_day: Option<u32>,
    pub webhook_endpoints: Option<u32>,
    /// Whether real events are sent besides test events.
    pub webhook_events: bool,
    /// Announced and not sold yet.
    #[serde(default)]
    pub coming: bool,
    /// Endpoints that live keys may not call.
    #[serde(default)]
    pub lacks: BTreeSet<String>,
}

/// All plans, cheapest first; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plans {
    /// 1 or more. Of two tables of a fleet, the one with the higher version is newer.
    version: u32,
    plans: Vec<Plan>,
}

impl Plan {
    /// Whether live keys may call the endpoint.
    pub fn has(&self, endpoint: &str) -> bool {
        !self.lacks.contains(endpoint)
    }

    /// The least number of calls that is a share of the month, in percent; `None` without a monthly limit.
    pub fn month_share(&self, percent: u32) -> Option<u64> {
        let share = u128::from(self.calls_per_month?) * u128::from(percent);
        u64::try_from(share.div_ceil(100)).ok()
    }
}

impl Plans {
    /// `None` if there is no plan.
    pub(super) fn new(version: u32, plans: Vec<Plan>) -> Option<Self> {
        (!plans.is_empty()).then_some(Self { version, plans })
    }

    pub const fn version(&self) -> u32 {
        self.version
    }

    pub fn get(&self, name: &str) -> Option<&Plan> {
        self.plans.iter().find(|plan| plan.name == name)
    }

    /// The plan with this name, or the cheapest. During the rollout of a new table, an account may be on a plan that this process
    /// does not know.
    pub fn get_or_cheapest(&self, name: &str) -> &Plan {
        self.get(name).unwrap_or(&self.plans[0])
    }

    /// The plan of new accounts: the cheapest that is sold. A table need not have one of a certain name.
    pub fn for_new_accounts(&self) -> &Plan {
        self.cheapest(|_| true).unwrap_or(&self.plans[0])
    }

    /// The cheapest of the plans with a property; one that is not sold yet only if no other has it.
    fn cheapest(&self, has: impl Fn(&Plan) -> bool) -> Option<&Plan> {
        let mut all = self.plans.iter().filter(|plan| has(plan));
        let mut sold = all.clone().filter(|plan| !plan.coming);
        sold.next().or_else(|| all.next())
    }

    pub fn cheapest_with(&self, endpoint: &str) -> Option<&Plan> {
        self.cheapest(|plan| plan.has(endpoint))
    }

    pub fn cheapest_with_webhook_events(&self) -> Option<&Plan> {
        self.cheapest(|plan| plan.webhook_events)
    }

    /// The cheapest plan in which an account with this many working keys may have another.
    pub fn cheapest_with_more_keys(&self, working: i64) -> Option<&Plan> {
        self.cheapest(|plan| plan.working_keys.is_none_or(|most| working < most.into()))
    }

    /// Cheapest first.
    pub fn iter(&self) -> impl Iterator<Item = &Plan> {
        self.plans.iter()
    }

    /// The names for a message, as in `free, build or partner`.
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

#[cfg(test)]
mod tests {
    use super::super::plan_table;

    #[test]
    fn a_share_of_the_month_is_rounded_up() {
        let share = |limit: &str, percent| {
            let table = format!(
                "version = 1\n[[plan]]\nname = \"a\"\ntitle = \"A\"\nwebhook_events = false\n{limit}"
            );
            let plans = plan_table::parse(&table).unwrap();
            plans.get("a").unwrap().month_share(percent)
        };
        assert_eq!(share("calls_per_month = 50_000", 80), Some(40_000));
        assert_eq!(share("calls_per_month = 50_000", 100), Some(50_000));
        assert_eq!(share("calls_per_month = 11", 80), Some(9));
        assert_eq!(share("calls_per_month = 1", 1), Some(1));
        assert_eq!(share("", 80), None);
    }
}
