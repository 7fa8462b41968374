//! What the plans of the gateway's table allow of webhooks (§8). The gateway checks the rest of the table.

use serde::Deserialize;

/// What a plan allows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Plan {
    pub name: String,
    pub title: String,
    /// `None`: no limit.
    #[serde(rename = "webhook_endpoints")]
    pub endpoints: Option<u32>,
    /// Whether real events are sent; otherwise only test events.
    #[serde(rename = "webhook_events")]
    pub events: bool,
    /// Announced and not sold yet.
    #[serde(default)]
    coming: bool,
}

/// All plans, cheapest first; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plans(Vec<Plan>);

#[derive(Deserialize)]
struct Table {
    #[serde(default)]
    plan: Vec<Plan>,
}

impl Plans {
    /// Parses a table of plans.
    ///
    /// # Errors
    /// The first problem.
    pub fn parse(text: &str) -> Result<Self, String> {
        let table: Table = toml::from_str(text).map_err(|error| error.to_string())?;
        if table.plan.is_empty() {
            return Err("there is no plan".to_owned());
        }
        Ok(Self(table.plan))
    }

    /// The plan with this name, or the cheapest. During the rollout of a new table, an account may be on a plan that this process
    /// does not know.
    pub fn get_or_cheapest(&self, name: &str) -> &Plan {
        let mut plans = self.0.iter();
        plans.find(|plan| plan.name == name).unwrap_or(&self.0[0])
    }

    /// The names of the plans with real events.
    pub fn names_with_events(&self) -> Vec<String> {
        let with_events = self.0.iter().filter(|plan| plan.events);
        with_events.map(|plan| plan.name.clone()).collect()
    }

    /// The cheapest plan with real events; one that is not sold yet only if no other has them.
    pub fn cheapest_with_events(&self) -> Option<&Plan> {
        self.cheapest(|plan| plan.events)
    }

    /// The cheapest plan that allows more than `count` endpoints; one that is not sold yet only if no other does.
    pub fn cheapest_with_more_endpoints(&self, count: i64) -> Option<&Plan> {
        self.cheapest(|plan| plan.endpoints.is_none_or(|most| count < most.into()))
    }

    fn cheapest(&self, has: impl Fn(&Plan) -> bool) -> Option<&Plan> {
        let mut all = self.0.iter().filter(|plan| has(plan));
        let mut sold = all.clone().filter(|plan| !plan.coming);
        sold.next().or_else(|| all.next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_is_not_sold_yet_is_suggested_last() {
        let plans = Plans::parse(contracts::BUILT_IN_PLANS).unwrap();
        let name = |plan: Option<&Plan>| plan.map(|plan| plan.name.clone());
        assert_eq!(plans.names_with_events(), ["build", "partner"]);
        assert_eq!(name(plans.cheapest_with_events()).unwrap(), "partner");
        let more = |count| name(plans.cheapest_with_more_endpoints(count));
        assert_eq!(more(0).unwrap(), "free");
        assert_eq!(more(1).unwrap(), "partner");
        assert_eq!(more(20), None);
        assert_eq!(plans.get_or_cheapest("build").endpoints, Some(5));
        assert_eq!(plans.get_or_cheapest("gone").name, "free");
        assert!(Plans::parse("").is_err());
    }
}
