//! Parses the TOML table of plans. All problems are reported at once.

use std::collections::BTreeSet;

use toml::{Table, Value};

use super::plan::{ENDPOINTS, Plan, Plans};

/// Used if the setting `plans` is absent.
pub const BUILT_IN: &str = include_str!("plans.toml");

/// Parses a table of plans.
///
/// # Errors
/// All problems. Each names the plan and the key.
pub fn parse(text: &str) -> Result<Plans, Vec<String>> {
    let table: Table = text
        .parse()
        .map_err(|error| vec![format!("this is not TOML: {error}")])?;
    let mut problems = Vec::new();
    let mut plans: Vec<Plan> = Vec::new();
    for (key, value) in &table {
        match (key.as_str(), value) {
            ("plan", Value::Array(rows)) => {
                for (index, row) in rows.iter().enumerate() {
                    let plan = Row::new(index, row).read(&mut problems);
                    if plans.iter().any(|other| other.name == plan.name) {
                        problems.push(format!("two plans have the name `{}`", plan.name));
                    }
                    plans.push(plan);
                }
            }
            ("plan", _) => problems.push("`plan` is not `[[plan]]`, an array of tables".to_owned()),
            (other, _) => problems.push(format!(
                "`{other}` is not known; the only key is `[[plan]]`"
            )),
        }
    }
    match Plans::new(plans) {
        Some(plans) if problems.is_empty() => Ok(plans),
        Some(_) => Err(problems),
        None => {
            problems.push("there is no plan; write at least one `[[plan]]`".to_owned());
            Err(problems)
        }
    }
}

/// One `[[plan]]`. Keys are removed as they are parsed; those that remain are unknown.
struct Row {
    title: String,
    rest: Table,
    problems: Vec<String>,
}

impl Row {
    fn new(index: usize, value: &Value) -> Self {
        let rest = value.as_table().cloned().unwrap_or_default();
        let title = match rest.get("name") {
            Some(Value::String(name)) => format!("plan `{name}`"),
            _ => format!("plan {}", index + 1),
        };
        Self {
            title,
            rest,
            problems: Vec::new(),
        }
    }

    fn read(mut self, problems: &mut Vec<String>) -> Plan {
        let plan = Plan {
            name: self.name(),
            title: self.text("title"),
            calls_per_minute: self.limit("calls_per_minute", 1),
            calls_per_month: self.limit("calls_per_month", 1),
            working_keys: self.limit("working_keys", 0),
            writes_per_day: self.limit("writes_per_day", 0),
            webhook_endpoints: self.limit("webhook_endpoints", 0),
            webhook_events: self.flag("webhook_events"),
            coming: self.rest.contains_key("coming") && self.flag("coming"),
            lacks: self.endpoints(),
        };
        for key in std::mem::take(&mut self.rest).keys() {
            self.problem(key, "is not known");
        }
        problems.append(&mut self.problems);
        plan
    }

    fn problem(&mut self, key: &str, reason: &str) {
        self.problems
            .push(format!("{}: `{key}` {reason}", self.title));
    }

    fn name(&mut self) -> String {
        let name = self.text("name");
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if !name.is_empty() && !name.bytes().all(plain) {
            self.problem("name", "may only contain lower-case letters, digits and _");
        }
        name
    }

    fn text(&mut self, key: &str) -> String {
        match self.rest.remove(key) {
            Some(Value::String(text)) if !text.trim().is_empty() => text,
            Some(_) => {
                self.problem(key, "must be a text that is not empty");
                String::new()
            }
            None => {
                self.problem(key, "is missing");
                String::new()
            }
        }
    }

    fn limit<N: TryFrom<i64>>(&mut self, key: &str, least: i64) -> Option<N> {
        let value = self.rest.remove(key)?;
        let limit = value
            .as_integer()
            .filter(|limit| *limit >= least)
            .and_then(|limit| N::try_from(limit).ok());
        if limit.is_none() {
            self.problem(
                key,
                &format!("must be a whole number, {least} or more; leave it out for no limit"),
            );
        }
        limit
    }

    fn flag(&mut self, key: &str) -> bool {
        match self.rest.remove(key) {
            Some(Value::Boolean(flag)) => flag,
            Some(_) => {
                self.problem(key, "must be true or false");
                false
            }
            None => {
                self.problem(key, "is missing");
                false
            }
        }
    }

    fn endpoints(&mut self) -> BTreeSet<String> {
        let Some(value) = self.rest.remove("lacks") else {
            return BTreeSet::new();
        };
        let names: Option<BTreeSet<String>> = value.as_array().and_then(|list| {
            list.iter()
                .map(|name| name.as_str().map(ToOwned::to_owned))
                .collect()
        });
        let names = names.filter(|names| names.iter().all(|n| ENDPOINTS.contains(&n.as_str())));
        if names.is_none() {
            self.problem(
                "lacks",
                &format!("must be a list of these: {}", ENDPOINTS.join(", ")),
            );
        }
        names.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_plans_are_those_of_the_contract() {
        let plans = parse(BUILT_IN).unwrap();
        let table: Vec<_> = plans
            .iter()
            .map(|p| {
                (
                    p.title.as_str(),
                    p.calls_per_minute,
                    p.calls_per_month,
                    p.working_keys,
                    p.writes_per_day,
                    p.webhook_endpoints,
                    p.webhook_events,
                    p.coming,
                )
            })
            .collect();
        assert_eq!(
            table,
            [
                (
                    "Free",
                    Some(60),
                    Some(50_000),
                    Some(5),
                    Some(50),
                    Some(1),
                    false,
                    false
                ),
                (
                    "Build",
                    Some(300),
                    Some(1_000_000),
                    Some(15),
                    Some(500),
                    Some(5),
                    true,
                    true
                ),
                (
                    "Partner",
                    Some(1_200),
                    None,
                    Some(50),
                    Some(5_000),
                    Some(20),
                    true,
                    false
                ),
            ]
        );
        assert!(plans.iter().all(|plan| plan.lacks.is_empty()));
        assert_eq!(plans.names(), "free, build or partner");
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        let problems = parse(
            r#"
            colour = "red"
            [[plan]]
            name = "Free"
            title = ""
            calls_per_minute = 0
            calls_per_month = -1
            working_keys = "five"
            writes_per_day = 5_000_000_000
            webhook_events = 1
            coming = "soon"
            lacks = ["games", "toys"]
            calls_per_hour = 3
            [[plan]]
            name = "Free"
            title = "Free"
            webhook_events = false
            "#,
        )
        .unwrap_err()
        .join("\n");
        for part in [
            "`colour`",
            "`name`",
            "`title`",
            "`calls_per_minute`",
            "`calls_per_month`",
            "`working_keys`",
            "`writes_per_day`",
            "`webhook_events`",
            "`coming`",
            "`lacks`",
            "`calls_per_hour` is not known",
            "the name `Free`",
        ] {
            assert!(problems.contains(part), "{part} is missing in\n{problems}");
        }
    }

    #[test]
    fn an_empty_table_and_invalid_toml_are_rejected() {
        assert!(parse("").unwrap_err()[0].contains("there is no plan"));
        assert!(parse("[[plan").unwrap_err()[0].contains("not TOML"));
    }

    #[test]
    fn the_cheapest_plan_with_an_endpoint_is_found() {
        let plans = parse(
            r#"
            [[plan]]
            name = "small"
            title = "Small"
            webhook_events = false
            lacks = ["games"]
            [[plan]]
            name = "large"
            title = "Large"
            webhook_events = false
            "#,
        )
        .unwrap();
        assert_eq!(plans.cheapest_with("games").unwrap().name, "large");
        assert_eq!(plans.cheapest_with("search").unwrap().name, "small");
        assert_eq!(plans.get_or_cheapest("gone").name, "small");
    }
}
