//! The check of the dashboard, which webhook-svc runs, against a receiver that keeps the rules, and against receivers that break one each.

use kit::Clock;
use uuid::Uuid;
use webhook::domain::address::Address;
use webhook::domain::receiver_check::{Finding, Verdict};
use webhook::domain::signature::Secret;
use webhook::domain::signed_headers::Secrets;
use webhook::http::{Sender, Settings};
use webhook::receiver_check::{self, CheckedReceiver};

use super::broken::start_changed;
use super::good::reference;
use super::process::{Receiver, SECRET};

/// No machine is so slow, or pauses for so long, that it passes.
pub(crate) const LONG: std::time::Duration = std::time::Duration::from_mins(2);

async fn check(receiver: &Receiver, next: Option<&Secret>) -> Vec<Finding> {
    let url = receiver.url();
    let origin = url.strip_suffix("/in").unwrap();
    let settings = Settings {
        allow: origin.parse().unwrap(),
        answer_timeout: LONG,
        excerpt_timeout: LONG,
        ..Settings::default()
    };
    let checked = CheckedReceiver {
        endpoint: Uuid::nil(),
        address: &Address::parse(&url, &settings.allow).unwrap(),
        secrets: Secrets {
            current: &Secret::parse(SECRET).unwrap(),
            next,
        },
    };
    let sender = Sender::new(&settings).unwrap();
    receiver_check::run(&sender, &Clock::system(), &checked, LONG).await
}

/// The numbers of the rules that are broken. The fifth also depends on the speed of this machine: here its answer counts, not its time.
fn broken(findings: &[Finding]) -> Vec<u32> {
    let is_right = |finding: &&Finding| match finding.rule.number() {
        5 => finding.results[0].status == Some(200),
        _ => finding.verdict == Verdict::Passed,
    };
    let broken = findings.iter().filter(|finding| !is_right(finding));
    broken.map(|finding| finding.rule.number()).collect()
}

#[tokio::test]
async fn the_reference_passes_also_while_its_secret_is_rotated() {
    let receiver = Receiver::start(&reference(), "0");
    let next = Secret::generate();
    for next in [None, Some(&next)] {
        let findings = check(&receiver, next).await;
        assert_eq!(broken(&findings), [0; 0], "{findings:#?}");
    }
}

#[tokio::test]
async fn a_broken_receiver_is_found_out_by_the_rule_that_it_breaks() {
    for (rule, good, bad) in [
        (2, "> 300", "> 30000"),
        (
            2,
            "hmac.compare_digest(expected.encode(), signature.encode())",
            "signature != '' and expected.startswith(signature)",
        ),
        (3, "return 400", "return 200"),
        (3, ", parse_constant=not_json", ""),
        (2, "signature.encode())", "signature.encode()[:64])"),
        (
            3,
            "not all(isinstance(message.get(name), str) for name in (\"event\", \"id\"))",
            "not all(name in message for name in (\"event\", \"id\"))",
        ),
        (4, "insert or ignore", "insert"),
        (
            6,
            "not in EVENTS:\n        return 200",
            "not in EVENTS:\n        return 422",
        ),
    ] {
        let receiver = start_changed(&[(good, bad)]);
        let findings = check(&receiver, None).await;
        assert_eq!(broken(&findings), [rule], "{bad}: {findings:#?}");
    }
}

#[tokio::test]
async fn a_body_that_is_written_anew_breaks_the_first_rule() {
    let receiver = start_changed(&[(
        "b\".\" + body, hashlib",
        "b\".\" + json.dumps(json.loads(body or b'0'), separators=(',', ':')).encode(), hashlib",
    )]);
    let findings = check(&receiver, None).await;
    assert!(broken(&findings).contains(&1), "{findings:#?}");
}
