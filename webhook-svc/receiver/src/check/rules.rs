//! The six rules (§6.5 to §6.10).

use bytes::Bytes;
use http::StatusCode;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::Outcome;
use super::message::{Message, Signed};
use super::probe::Probe;
use super::report::Verdict;
use crate::clock::now;
use crate::signature::Secret;

/// Deliveries of one message that arrive together.
const TOGETHER: usize = 8;

const GIVE_HANDLED: &str =
    "give --handled, a command that prints how often the work of $WEBHOOK_ID was done";

fn not_checked(why: &str) -> Outcome {
    Err(Verdict::NotChecked(why.to_owned()))
}

/// Rule 1. Bodies that a parser would write in another way are signed as they are.
pub(super) async fn raw_body(probe: &Probe) -> Outcome {
    type Body = fn(Uuid) -> String;
    let bodies: [(&str, Body); 5] = [
        ("a body with spaces", |id| {
            format!("{{ \"id\" : \"{id}\",\n\t\"event\": \"ping\" , \"data\":{{ }} }}\r\n")
        }),
        ("a body with its keys in another order", |id| {
            format!(r#"{{"data":{{"z":1,"a":2}},"event":"ping","id":"{id}"}}"#)
        }),
        ("a body with escapes", |id| {
            format!(r#"{{"id":"{id}","event":"\u0070ing","data":{{"message":"\u00e9\/\u2713"}}}}"#)
        }),
        ("a body that is not ASCII", |id| {
            format!(r#"{{"id":"{id}","event":"ping","data":{{"message":"Habari, dünya ✓ 𝄞"}}}}"#)
        }),
        ("a body with numbers in odd forms", |id| {
            format!(
                r#"{{"id":"{id}","event":"ping","data":{{"n":[1.0,1e2,-0,12345678901234567890]}}}}"#
            )
        }),
    ];
    for (what, body) in bodies {
        probe.send(what, &Message::with_body("ping", body)).await?;
    }
    Ok(())
}

/// Rule 2.
pub(super) async fn signature(probe: &Probe) -> Outcome {
    for (what, message) in tampered(probe) {
        probe
            .expect(what, message, StatusCode::UNAUTHORIZED)
            .await?;
    }
    for (what, offset) in [
        ("a message that is 240 seconds old", -240),
        ("a message from 240 seconds ahead", 240),
    ] {
        let timestamp = (now() + offset).to_string();
        let message = Message::of("ping").signed_at(&probe.secret, &timestamp);
        probe.expect(what, message, StatusCode::OK).await?;
    }
    Ok(())
}

/// Messages that a receiver must reject.
fn tampered(probe: &Probe) -> Vec<(&'static str, Signed)> {
    let good = || Message::of(&probe.event).signed(&probe.secret);
    let tampered = |tamper: &dyn Fn(&mut Signed)| {
        let mut message = good();
        tamper(&mut message);
        message
    };
    let at = |offset: i64| {
        let timestamp = (now() + offset).to_string();
        Message::of(&probe.event).signed_at(&probe.secret, &timestamp)
    };
    let timed = |timestamp: &str| Message::of(&probe.event).signed_at(&probe.secret, timestamp);
    vec![
        (
            "no timestamp",
            tampered(&|it| it.without(["x-service-timestamp", "webhook-timestamp"])),
        ),
        ("a timestamp 310 seconds ago, signed", at(-310)),
        ("a timestamp 310 seconds ahead, signed", at(310)),
        ("a timestamp that is no number, signed", timed("soon")),
        ("an empty timestamp, signed", timed("")),
        ("a timestamp of 40 digits, signed", timed(&"9".repeat(40))),
        (
            "a timestamp that is not the signed one",
            tampered(&|it| it.set_timestamp(&(now() - 1).to_string())),
        ),
        (
            "no signature",
            tampered(&|it| it.without(["x-service-signature", "webhook-signature"])),
        ),
        (
            "an empty signature",
            tampered(&|it| it.change_signatures(|_| String::new())),
        ),
        (
            "half a signature",
            tampered(&|it| it.change_signatures(|text| text[..text.len() / 2].to_owned())),
        ),
        (
            "a signature with its last character changed",
            tampered(&|it| it.change_signatures(last_changed)),
        ),
        (
            "a signature that is not hexadecimal",
            tampered(&|it| it.change_signatures(|_| "ü".repeat(64))),
        ),
        ("a signature by another secret", by_another(probe)),
        (
            "a body that is not the signed one",
            tampered(&|it| it.body = Bytes::from([it.body.as_ref(), b" "].concat())),
        ),
        ("no body", tampered(&|it| it.body = Bytes::new())),
    ]
}

/// Base64 of 32 bytes ends in `=`, and not all bits of the character before count: there the character before these two is changed.
fn last_changed(text: &str) -> String {
    let at = if text.ends_with('=') { 3 } else { 1 };
    let (before, last) = text.split_at(text.len().saturating_sub(at));
    let other = if last.starts_with('0') { '1' } else { '0' };
    let rest: String = last.chars().skip(1).collect();
    format!("{before}{other}{rest}")
}

fn by_another(probe: &Probe) -> Signed {
    let other: Result<Secret, String> =
        "svc_whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".parse();
    let secret = other.unwrap_or_else(|_| probe.secret.clone());
    Message::of(&probe.event).signed(&secret)
}

/// Rule 2, constant time.
pub(super) fn constant_time() -> Outcome {
    not_checked(
        "a client cannot see this: look for hmac.compare_digest, timingSafeEqual or the like in its code",
    )
}

/// Rule 3.
pub(super) async fn not_json(probe: &Probe) -> Outcome {
    for (what, body) in [
        ("a text that is not JSON", "not JSON"),
        ("half a JSON object", "{\"id\":\"1\","),
        ("an empty body", ""),
        ("two JSON objects", "{} {}"),
        ("JSON with single quotes", "{'id':'1'}"),
    ] {
        let message = Message::with_body(&probe.event, |_| body.to_owned());
        let message = message.signed(&probe.secret);
        probe.expect(what, message, StatusCode::BAD_REQUEST).await?;
    }
    Ok(())
}

/// Rule 4.
pub(super) async fn once(probe: &Probe) -> Outcome {
    let (message, burst) = (probe.message(), probe.message());
    probe.send("a message", &message).await?;
    probe.send("the same message again", &message).await?;
    let mut together = JoinSet::new();
    for _ in 0..TOGETHER {
        let (client, url) = (probe.client.clone(), probe.url.clone());
        let signed = burst.signed(&probe.secret);
        together.spawn(async move { client.post(&url, signed.headers, signed.body).await });
    }
    for answer in together.join_all().await {
        match answer {
            Ok(answer) if answer.status == StatusCode::OK => {}
            Ok(answer) => {
                return Err(Verdict::Failed(format!(
                    "one message {TOGETHER} times at once: answered {} instead of 200",
                    answer.status.as_u16()
                )));
            }
            Err(problem) => return Err(Verdict::Failed(problem)),
        }
    }
    if let Some(handled) = &probe.handled {
        probe.until_handled(handled, message.id).await?;
        probe.until_handled(handled, burst.id).await?;
        // A receiver records that the work is done after the work. Once it works on a further message, it has recorded the earlier ones: a
        // restart before that may repeat work, and breaks no rule.
        let further = probe.message();
        probe.send("a message", &further).await?;
        probe.until_handled(handled, further.id).await?;
    }
    if let Some(restart) = &probe.restart {
        probe.restart(restart).await?;
        probe
            .send("the same message after a restart", &message)
            .await?;
    }
    let Some(handled) = &probe.handled else {
        return not_checked(GIVE_HANDLED);
    };
    let last = probe.message();
    probe.send("a message", &last).await?;
    probe.until_handled(handled, last.id).await?;
    for (what, id) in [
        ("a message that came more than once", message.id),
        ("a message that came eight times at once", burst.id),
    ] {
        let count = probe.count(handled, id).await?;
        if count != 1 {
            return Err(Verdict::Failed(format!(
                "the work of {what} was done {count} times"
            )));
        }
    }
    if probe.restart.is_none() {
        return not_checked(
            "the work of an id was done once, but whether ids survive a restart is not known: give --restart, a command that restarts the receiver",
        );
    }
    Ok(())
}

/// Rule 5.
pub(super) async fn at_once(probe: &Probe) -> Outcome {
    let message = probe.message();
    let took = probe.send("a message", &message).await?;
    if took > probe.at_once {
        return Err(Verdict::Failed(format!(
            "answered after {:.1} seconds; --at-once allows {:.1}",
            took.as_secs_f64(),
            probe.at_once.as_secs_f64()
        )));
    }
    let Some(handled) = &probe.handled else {
        return not_checked(GIVE_HANDLED);
    };
    if probe.count(handled, message.id).await? > 0 {
        return not_checked(
            "the response came quickly, but processing was finished by then: make processing take a second, so that the order is visible",
        );
    }
    probe.until_handled(handled, message.id).await
}

/// Rule 6.
pub(super) async fn unknown_event(probe: &Probe) -> Outcome {
    let unknown = Message::of("webhook-check.unknown");
    probe.send("an unknown event", &unknown).await?;
    let Some(handled) = &probe.handled else {
        return not_checked("it answered 200; to see whether it ignored the event, give --handled");
    };
    let known = probe.message();
    probe.send("a message", &known).await?;
    probe.until_handled(handled, known.id).await?;
    match probe.count(handled, unknown.id).await? {
        0 => Ok(()),
        _ => Err(Verdict::Failed("it processed an unknown event".to_owned())),
    }
}
