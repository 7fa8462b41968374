//! A report of a game on its economy (§2.6).

use kit::{Code, Fault};
use serde::Deserialize;

use super::basket::Basket;
use super::fields::{Fields, MAX_SAFE_INTEGER};

/// 10^13.
const MAX_PRICE: u64 = 10_000_000_000_000;

const FIELDS: &[&str] = &[
    "supply",
    "minted",
    "burned",
    "basket",
    "output",
    "active_players",
    "policy_rate",
    "naira_per_unit",
];
const PRICES: &[&str] = &["meal", "ride", "wage", "rent"];

/// Amounts are whole units of the game's currency. [`Report::parse`] reads the body of a call.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Report {
    /// Units in circulation.
    pub supply: u64,
    /// Units created since the report before.
    pub minted: u64,
    /// Units destroyed since the report before.
    pub burned: u64,
    #[serde(flatten)]
    pub basket: Basket,
    /// Units that players earned since the report before.
    pub output: u64,
    pub active_players: u64,
    /// The game's own interest rate, in percent.
    pub policy_rate: Option<f64>,
    /// The price at which the game sells a unit.
    pub naira_per_unit: Option<f64>,
}

impl Report {
    /// Parses a JSON object.
    ///
    /// # Errors
    /// `bad_json` for anything else; `bad_request`, naming every field that is wrong.
    pub fn parse(json: &str) -> Result<Self, Fault> {
        let fields = Fields::parse(json).ok_or_else(|| {
            Fault::new(
                Code::BadJson,
                "The body is not a JSON object. Send the fields of a report in one object.",
            )
        })?;
        let mut problems = Problems::default();
        let report = Self::from_fields(&fields, &mut problems);
        problems.finish(report)
    }

    fn from_fields(fields: &Fields<'_>, problems: &mut Problems) -> Self {
        for (name, problem) in fields.unexpected(FIELDS) {
            let problem = match name.as_str() {
                "rate" => "leave it out: rates are calculated from the figures",
                _ => &problem,
            };
            problems.add(&name, problem);
        }
        let mut amount = |name: &str| problems.take(name, fields.whole(name, 0, MAX_SAFE_INTEGER));
        let [supply, minted, burned] = ["supply", "minted", "burned"].map(&mut amount);
        let [output, active_players] = ["output", "active_players"].map(amount);
        Self {
            supply,
            minted,
            burned,
            output,
            active_players,
            basket: basket(fields, problems),
            policy_rate: problems.take("policy_rate", policy_rate(fields)),
            naira_per_unit: problems.take("naira_per_unit", naira_per_unit(fields)),
        }
    }
}

fn basket(fields: &Fields<'_>, problems: &mut Problems) -> Basket {
    let Some(json) = fields.raw("basket") else {
        problems.add(
            "basket",
            "it is required: send an object with the prices meal, ride, wage and rent",
        );
        return Basket::default();
    };
    let Some(prices) = Fields::parse(json) else {
        let problem = "it must be an object with the prices meal, ride, wage and rent";
        problems.add("basket", problem);
        return Basket::default();
    };
    for (name, problem) in prices.unexpected(PRICES) {
        problems.add(&format!("basket.{name}"), &problem);
    }
    let mut price = |name: &str, least| {
        let price = prices.whole(name, least, MAX_PRICE);
        problems.take(&format!("basket.{name}"), price)
    };
    Basket {
        // The basket must cost something: a meal is never free (§2.6).
        meal: price("meal", 1),
        ride: price("ride", 0),
        wage: price("wage", 0),
        rent: price("rent", 0),
    }
}

fn policy_rate(fields: &Fields<'_>) -> Result<Option<f64>, String> {
    let problem = "it must be a number of percent from -100 to 10000, or absent";
    fields.number("policy_rate", |rate| (-100.0..=10_000.0).contains(&rate), problem)
}

fn naira_per_unit(fields: &Fields<'_>) -> Result<Option<f64>, String> {
    let problem = "it must be a number above 0, from 1e-30 to below 1e31, or absent";
    fields.number("naira_per_unit", |price| (1e-30..1e31).contains(&price), problem)
}

/// The problems of a report, each with its field.
#[derive(Debug, Default)]
struct Problems(Vec<String>);

impl Problems {
    fn add(&mut self, field: &str, problem: &str) {
        self.0.push(format!("{field}: {problem}"));
    }

    /// The value of a field; the default if there is a problem, which is added.
    fn take<T: Default>(&mut self, field: &str, value: Result<T, String>) -> T {
        value.unwrap_or_else(|problem| {
            self.add(field, &problem);
            T::default()
        })
    }

    fn finish(self, report: Report) -> Result<Report, Fault> {
        if self.0.is_empty() {
            return Ok(report);
        }
        Err(Fault::new(Code::BadRequest, self.0.join("; ")))
    }
}

#[cfg(test)]
pub mod tests {
    use serde_json::{Value, json};

    use super::*;

    pub fn body() -> Value {
        json!({
            "supply": 1_000_000, "minted": 5_000, "burned": 1_000,
            "basket": {"meal": 10, "ride": 5, "wage": 100, "rent": 900},
            "output": 42_000, "active_players": 120,
        })
    }

    fn code(body: &Value) -> Result<Report, (Code, String)> {
        Report::parse(&body.to_string()).map_err(|fault| (fault.code, fault.message.into_owned()))
    }

    #[test]
    fn a_report_is_parsed() {
        let mut sent = body();
        let report = code(&sent).unwrap();
        assert_eq!(report.basket.cost(), 600 + 200 + 2_000 + 900);
        assert_eq!((report.policy_rate, report.naira_per_unit), (None, None));
        sent["policy_rate"] = json!(12.5);
        sent["naira_per_unit"] = json!(0.25);
        let report = code(&sent).unwrap();
        assert_eq!((report.policy_rate, report.naira_per_unit), (Some(12.5), Some(0.25)));
        sent["policy_rate"] = Value::Null;
        assert_eq!(code(&sent).unwrap().policy_rate, None);
    }

    /// Engines whose numbers are floats write every number like this.
    #[test]
    fn whole_numbers_may_be_written_as_floats() {
        let floats = r#"{"supply": 1000000.0, "minted": 5e3, "burned": 1000.0, "output": 4.2e4, "active_players": 120.0,
            "basket": {"meal": 10.0, "ride": 5.0, "wage": 100.0, "rent": 9e2}}"#;
        assert_eq!(Report::parse(floats), Report::parse(&body().to_string()));
    }

    #[test]
    fn optional_numbers_have_the_bounds_of_the_contract() {
        for (name, good, bad) in [
            (
                "policy_rate",
                &["-100", "-100.0", "0", "-0.5", "1e4", "null"][..],
                &["-100.0000001", "10000.0000001", "1e400", "true"][..],
            ),
            (
                "naira_per_unit",
                &["1e-30", "0.25", "9.99e30", "null"],
                &["0", "-0.0", "9.99e-31", "1e31", "1e400", "[1]"],
            ),
        ] {
            let parse = |number: &str| {
                let field = format!("{{\"{name}\":{number},");
                Report::parse(&body().to_string().replacen('{', &field, 1))
            };
            for number in good {
                assert!(parse(number).is_ok(), "{name} {number}");
            }
            for number in bad {
                let message = parse(number).unwrap_err().message;
                assert!(message.starts_with(name), "{number}: {message}");
            }
        }
    }

    /// Each field in turn is missing, negative, fractional, too large, a string, null, or nested.
    #[test]
    fn every_bad_field_is_named() {
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        let wrong = [
            "-1",
            "1.5",
            "1e-3",
            "9007199254740992",
            "9007199254740992.0",
            "1e400",
            "\"5\"",
            "null",
            "true",
            &deep,
        ];
        let names = ["supply", "minted", "burned", "output", "active_players"];
        let prices = ["meal", "ride", "wage", "rent"];
        for wrong in wrong {
            for name in names {
                let json = body().to_string();
                let good = format!("\"{name}\":{}", body()[name]);
                let bad = json.replace(&good, &format!("\"{name}\":{wrong}"));
                assert_ne!(bad, json);
                let fault = Report::parse(&bad).unwrap_err();
                assert_eq!(fault.code, Code::BadRequest, "{bad}");
                assert!(fault.message.starts_with(name), "{}", fault.message);
            }
            for name in prices {
                let json = body().to_string();
                let good = format!("\"{name}\":{}", body()["basket"][name]);
                let bad = json.replace(&good, &format!("\"{name}\":{wrong}"));
                let fault = Report::parse(&bad).unwrap_err();
                assert_eq!(fault.code, Code::BadRequest, "{bad}");
                assert!(fault.message.starts_with(&format!("basket.{name}")), "{fault}");
            }
        }
        for name in names {
            let mut lacking = body();
            lacking.as_object_mut().unwrap().remove(name);
            assert!(code(&lacking).unwrap_err().1.starts_with(name));
        }
    }

    #[test]
    fn unknown_and_out_of_range_fields_are_refused() {
        for (change, expected) in [
            (json!({"rate": 2}), "rate"),
            (json!({"suply": 2}), "suply"),
            (json!({"basket": [1]}), "basket"),
            (json!({"basket": {"meal": 0, "ride": 1, "wage": 1, "rent": 1}}), "basket.meal"),
            (
                json!({"basket": {"meal": 1, "ride": 1, "wage": 1, "rent": 1, "beer": 1}}),
                "basket.beer",
            ),
            (
                json!({"basket": {"meal": 10_000_000_000_001_u64, "ride": 1, "wage": 1, "rent": 1}}),
                "basket.meal",
            ),
            (json!({"policy_rate": -101}), "policy_rate"),
            (json!({"policy_rate": 10_000.5}), "policy_rate"),
            (json!({"policy_rate": "5"}), "policy_rate"),
            (json!({"naira_per_unit": 0}), "naira_per_unit"),
            (json!({"naira_per_unit": -1}), "naira_per_unit"),
        ] {
            let mut sent = body();
            let more = change.as_object().unwrap().clone();
            sent.as_object_mut().unwrap().extend(more);
            let (code, message) = code(&sent).unwrap_err();
            assert_eq!(code, Code::BadRequest, "{change}");
            assert!(message.starts_with(&format!("{expected}:")), "{change}: {message}");
        }
        let many = json!({"minted": -1, "basket": {"beer": 1, "meal": 0, "ride": 1, "wage": 1}, "burnt": 1, "rate": 1});
        let (_, message) = code(&many).unwrap_err();
        let message = message.replace("; the fields are", ", the fields are");
        let named: Vec<&str> =
            (message.split("; ")).map(|problem| problem.split_once(": ").unwrap().0).collect();
        let expected = [
            "burnt",
            "rate",
            "supply",
            "minted",
            "burned",
            "output",
            "active_players",
            "basket.beer",
            "basket.meal",
            "basket.rent",
        ];
        assert_eq!(named, expected);
        let twice = body().to_string().replacen('{', "{\"supply\":1,", 1);
        assert!(
            Report::parse(&twice).unwrap_err().message.starts_with("supply: it is given twice")
        );
        assert_eq!(Report::parse("[]").unwrap_err().code, Code::BadJson);
    }
}
