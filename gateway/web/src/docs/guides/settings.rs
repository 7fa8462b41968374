//! The settings of the gateway in the guides. The OpenAPI document has them.

use std::fmt::Write as _;

use contracts::public::{ApiPlan, ApiSettings};
use pages::{Language, Texts};

/// Replaces a value that is not known, because the gateway has not been reached since the start.
const UNKNOWN: &str = "…";
/// The placeholder for the table of plans.
const PLANS: &str = "{{plans}}\n";
/// Takes the place of the table while it is not known.
const NO_PLANS: &str = "The page *Plans* of your account has them.\n";
const TABLE_HEAD: &str = "| Plan | Calls a minute | Calls a month | Working live keys | Real webhook events | Writes a day | Webhook addresses |
| --- | --- | --- | --- | --- | --- | --- |
";

/// The value of a placeholder.
type Value = fn(&ApiSettings) -> String;

/// The placeholders within sentences and examples.
const PLACEHOLDERS: [(&str, Value); 11] = [
    ("{{key_prefix}}", |it| it.key_prefix.clone()),
    ("{{public_share}}", |it| it.public_share_percent.to_string()),
    ("{{tips}}", |it| it.tips_per_minute.to_string()),
    ("{{refused_calls}}", |it| it.refused_calls_per_minute.to_string()),
    ("{{head_time}}", |it| duration(it.head_seconds)),
    ("{{body_time}}", |it| duration(it.body_seconds)),
    ("{{idle_time}}", |it| duration(it.idle_seconds)),
    ("{{plan_name}}", |it| of_plan(it, |plan| plan.name.clone())),
    ("{{plan_title}}", |it| of_plan(it, |plan| plan.title.clone())),
    ("{{minute}}", |it| of_plan(it, |plan| limit(plan.calls_per_minute))),
    ("{{month}}", |it| of_plan(it, |plan| limit(plan.calls_per_month))),
];

/// The text with the settings in place of their placeholders.
pub(super) fn fill(text: &str, settings: Option<&ApiSettings>) -> String {
    let plans = settings.map_or_else(|| NO_PLANS.to_owned(), |it| plan_table(&it.plans));
    let mut text = text.replace(PLANS, &plans);
    for (placeholder, value) in PLACEHOLDERS {
        let value = settings.map_or_else(|| UNKNOWN.to_owned(), value);
        text = text.replace(placeholder, &value);
    }
    text
}

/// A value of the plan that new accounts have.
fn of_plan(settings: &ApiSettings, value: fn(&ApiPlan) -> String) -> String {
    let plan = settings.plan_of_new_accounts();
    plan.map_or_else(|| UNKNOWN.to_owned(), value)
}

/// A limit in an example of JSON or of a header.
fn limit(limit: Option<impl ToString>) -> String {
    limit.map_or_else(|| UNKNOWN.to_owned(), |limit| limit.to_string())
}

/// In the largest unit that divides it: `24 hours`, `90 seconds`.
fn duration(seconds: u64) -> String {
    let (count, unit) = match seconds {
        0 => (0, "second"),
        _ if seconds.is_multiple_of(3_600) => (seconds / 3_600, "hour"),
        _ if seconds.is_multiple_of(60) => (seconds / 60, "minute"),
        _ => (seconds, "second"),
    };
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{ending}")
}

/// The plans as a table of Markdown, and the endpoints that a plan lacks.
fn plan_table(plans: &[ApiPlan]) -> String {
    let texts = Texts::of(Language::English);
    let number = |limit: Option<u64>| {
        limit.map_or_else(|| "no limit".to_owned(), |limit| texts.number(limit))
    };
    let mut table = TABLE_HEAD.to_owned();
    for plan in plans {
        let title = if plan.coming {
            format!("{} (announced, not sold yet)", plan.title)
        } else {
            plan.title.clone()
        };
        let events = if plan.webhook_events { "yes" } else { "no" };
        let cells = [
            title,
            number(plan.calls_per_minute.map(u64::from)),
            number(plan.calls_per_month),
            number(plan.working_keys.map(u64::from)),
            events.to_owned(),
            number(plan.writes_per_day.map(u64::from)),
            number(plan.webhook_endpoints.map(u64::from)),
        ];
        // Writing to a string does not fail.
        writeln!(table, "| {} |", cells.join(" | ")).ok();
    }
    if plans.iter().all(|plan| plan.lacks.is_empty()) {
        table.push_str("\nEvery plan has every endpoint.\n");
    }
    for plan in plans.iter().filter(|plan| !plan.lacks.is_empty()) {
        let (title, lacks) = (&plan.title, plan.lacks.join("`, `"));
        writeln!(table, "\nLive keys of the plan {title} cannot call `{lacks}`.").ok();
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(title: &str) -> ApiPlan {
        ApiPlan {
            name: title.to_lowercase(),
            title: title.to_owned(),
            calls_per_minute: Some(90),
            calls_per_month: None,
            working_keys: Some(3),
            writes_per_day: Some(1_500),
            webhook_endpoints: Some(2),
            webhook_events: false,
            coming: false,
            lacks: Vec::new(),
        }
    }

    fn settings() -> ApiSettings {
        let announced = ApiPlan { coming: true, webhook_events: true, ..plan("Soon") };
        ApiSettings {
            key_prefix: "mz_".to_owned(),
            public_share_percent: 25,
            tips_per_minute: 12,
            refused_calls_per_minute: 40,
            head_seconds: 1,
            body_seconds: 90,
            idle_seconds: 3_600,
            plans: vec![announced, plan("Small")],
        }
    }

    #[test]
    fn placeholders_are_replaced_by_settings() {
        let text = "`{{key_prefix}}test_`, {{public_share}} %, {{body_time}}, {{idle_time}}, \
            {{plan_name}}, {{minute}}, {{month}}";
        let expected = "`mz_test_`, 25 %, 90 seconds, 1 hour, small, 90, …";
        assert_eq!(fill(text, Some(&settings())), expected);
        assert_eq!(fill("{{key_prefix}}live_", None), "…live_");
    }

    #[test]
    fn the_table_of_plans_lists_missing_endpoints() {
        let mut settings = settings();
        let table = fill(PLANS, Some(&settings));
        for line in [
            "| Soon (announced, not sold yet) | 90 | no limit | 3 | yes | 1,500 | 2 |",
            "| Small | 90 | no limit | 3 | no | 1,500 | 2 |",
            "Every plan has every endpoint.",
        ] {
            assert!(table.lines().any(|it| it == line), "{line}: {table}");
        }
        settings.plans[1].lacks = vec!["economy".to_owned(), "tips".to_owned()];
        let table = fill(PLANS, Some(&settings));
        assert!(table.ends_with("\nLive keys of the plan Small cannot call `economy`, `tips`.\n"));
        assert!(!table.contains("Every plan"), "{table}");
        assert_eq!(fill(PLANS, None), NO_PLANS);
    }
}
