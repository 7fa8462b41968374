//! Parses the TOML table of plans.

use serde::Deserialize;

use super::plan::{ENDPOINTS, Plan, Plans};

/// Used if the setting `plans` is absent.
pub use contracts::BUILT_IN_PLANS as BUILT_IN;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Of any type, so that a wrong one gets an error that says what to write.
    version: Option<toml::Value>,
    #[serde(default)]
    plan: Vec<Plan>,
}

/// Parses a table of plans.
///
/// # Errors
/// The first problem.
pub fn parse(text: &str) -> Result<Plans, String> {
    let table: Table = toml::from_str(text).map_err(|error| error.to_string())?;
    for (index, plan) in table.plan.iter().enumerate() {
        check(plan).map_err(|problem| format!("plan `{}`: {problem}", plan.name))?;
        if table.plan[..index].iter().any(|it| it.name == plan.name) {
            return Err(format!("two plans have the name `{}`", plan.name));
        }
    }
    Plans::new(version(table.version)?, table.plan)
        .ok_or_else(|| "there is no plan; write at least one `[[plan]]`".to_owned())
}

fn version(value: Option<toml::Value>) -> Result<u32, String> {
    let value = value.ok_or(
        "`version` is missing; write `version = N` above the plans, with a number above that of the table before (1 for the first), and raise it with every change",
    )?;
    let version = value.as_integer().and_then(|version| u32::try_from(version).ok());
    version.filter(|version| *version > 0).ok_or_else(|| {
        format!(
            "`version` must be a whole number from 1 to {}, such as `version = 7`; it is {value}",
            u32::MAX
        )
    })
}

fn check(plan: &Plan) -> Result<(), String> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if plan.name.is_empty() || !plan.name.bytes().all(plain) {
        return Err("`name` may only contain lower-case letters, digits and _".to_owned());
    }
    if plan.title.trim().is_empty() {
        return Err("`title` must not be empty".to_owned());
    }
    if plan.calls_per_minute == Some(0) || plan.calls_per_month == Some(0) {
        return Err("a limit of calls must be 1 or more; leave it out for no limit".to_owned());
    }
    let is_endpoint = |name: &String| ENDPOINTS.contains(&name.as_str());
    if !plan.lacks.iter().all(is_endpoint) {
        let endpoints = ENDPOINTS.join(", ");
        return Err(format!("`lacks` must be a list of these: {endpoints}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_plans_are_those_of_the_contract() {
        let plans = parse(BUILT_IN).unwrap();
        let limit =
            |limit: Option<u64>| limit.map_or_else(|| "-".to_owned(), |limit| limit.to_string());
        let table = plans.iter().map(|p| {
            let counts = [
                p.calls_per_minute.map(Into::into),
                p.calls_per_month,
                p.working_keys.map(Into::into),
                p.writes_per_day.map(Into::into),
                p.webhook_endpoints.map(Into::into),
            ];
            let counts = counts.map(limit).join(" ");
            format!("{} {counts} {} {}", p.title, p.webhook_events, p.coming)
        });
        let expected = [
            "Free 60 50000 5 50 1 false false",
            "Build 300 1000000 15 500 5 true true",
            "Partner 1200 - 50 5000 20 true false",
        ];
        assert!(table.eq(expected), "{plans:?}");
        assert!(plans.iter().all(|plan| plan.lacks.is_empty()));
        assert_eq!(plans.names(), "free, build or partner");
    }

    #[test]
    fn a_table_with_a_mistake_is_rejected() {
        const VERSION: &str = "version = 1\n";
        const PLAN: &str = "[[plan]]\nname = \"a\"\ntitle = \"A\"\nwebhook_events = false\n";
        assert_eq!(parse(&format!("version = 7\n{PLAN}")).unwrap().version(), 7);
        for (version, said) in [
            ("", "`version` is missing"),
            ("version = \"7\"\n", "`version` must be a whole number"),
            ("version = 1.5\n", "`version` must be a whole number"),
            ("version = 0\n", "`version` must be a whole number"),
            ("version = -1\n", "`version` must be a whole number"),
            ("version = 4_294_967_296\n", "`version` must be a whole number"),
        ] {
            let problem = parse(&format!("{version}{PLAN}")).unwrap_err();
            assert!(problem.contains(said), "{said} is missing in: {problem}");
        }
        for (table, said) in [
            (String::new(), "there is no plan"),
            ("[[plan".to_owned(), "TOML"),
            (format!("colour = \"red\"\n{PLAN}"), "colour"),
            (format!("{PLAN}calls_per_hour = 3"), "calls_per_hour"),
            (PLAN.replace("\"a\"", "\"A\""), "`name`"),
            (PLAN.replace("\"A\"", "\" \""), "`title`"),
            (PLAN.replace("false", "1"), "webhook_events"),
            (format!("{PLAN}calls_per_minute = 0"), "1 or more"),
            (format!("{PLAN}calls_per_month = -1"), "calls_per_month"),
            (format!("{PLAN}working_keys = \"five\""), "working_keys"),
            (format!("{PLAN}writes_per_day = 5_000_000_000"), "writes_per_day"),
            (format!("{PLAN}lacks = [\"games\", \"toys\"]"), "`lacks`"),
            (PLAN.repeat(2), "the name `a`"),
        ] {
            let problem = parse(&format!("{VERSION}{table}")).unwrap_err();
            assert!(problem.contains(said), "{said} is missing in: {problem}");
        }
    }

    #[test]
    fn the_cheapest_plan_with_an_endpoint_is_found() {
        let plans = parse(
            r#"
            version = 1
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

    #[test]
    fn new_accounts_are_on_the_cheapest_plan_that_is_sold() {
        let plan = |name: &str, coming: bool| {
            format!(
                "[[plan]]\nname = \"{name}\"\ntitle = \"A\"\nwebhook_events = false\ncoming = {coming}\n"
            )
        };
        let plans =
            parse(&("version = 1\n".to_owned() + &plan("small", true) + &plan("large", false)))
                .unwrap();
        assert_eq!(plans.for_new_accounts().name, "large");
    }
}
