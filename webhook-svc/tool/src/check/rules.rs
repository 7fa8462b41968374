//! The rules that take more than an answer to a message: the second in part, and the fourth to the sixth (§6.6, §6.8 to §6.10).

use futures::future::try_join_all;

use super::Outcome;
use super::message::Message;
use super::report::Verdict;
use super::table::{NOT_JSON, SIGNATURES, UNKNOWN_EVENT};
use super::target::Target;

/// Deliveries of one message that arrive at the same time.
const CONCURRENT_DELIVERIES: usize = 8;

const GIVE_HANDLED: &str =
    "give --handled, a command that prints how often the work of $WEBHOOK_ID was done";

fn not_checked(why: &str) -> Outcome {
    Err(Verdict::NotChecked(why.to_owned()))
}

/// Rule 2. Each secret of the receiver signs.
pub(super) async fn signatures(target: &Target) -> Outcome {
    target.send_probes(SIGNATURES).await?;
    for secret in &target.other_secrets {
        let what = "a message signed with the other secret of a rotation";
        let signed = target.message().signed(secret);
        target.expect_ok(what, signed).await?;
    }
    Ok(())
}

/// Rule 3. What is JSON and no message of the service must not break the receiver either.
pub(super) async fn not_json(target: &Target) -> Outcome {
    target.send_probes(NOT_JSON).await?;
    target.send_odd_bodies().await
}

/// Rule 2, constant time.
pub(super) fn constant_time() -> Outcome {
    not_checked(
        "a client cannot see this: look for hmac.compare_digest, timingSafeEqual or the like in its code",
    )
}

/// Rule 4.
pub(super) async fn handled_id(target: &Target) -> Outcome {
    let (message, burst) = (target.message(), target.message());
    target.send("a message", &message).await?;
    target.send("the same message again", &message).await?;
    let at_once = [(); CONCURRENT_DELIVERIES]
        .map(|()| target.send("one message several times at once", &burst));
    try_join_all(at_once).await?;
    if let Some(handled) = &target.handled {
        target.until_handled(handled, message.id).await?;
        target.until_handled(handled, burst.id).await?;
        // A receiver records that the work is done after the work. Once it works on a further message, it has recorded the earlier ones: a
        // restart before that may repeat work, and breaks no rule.
        let further = target.message();
        target.send("a message", &further).await?;
        target.until_handled(handled, further.id).await?;
    }
    if let Some(restart) = &target.restart {
        target.restart(restart).await?;
        target.send("the same message after a restart", &message).await?;
    }
    let Some(handled) = &target.handled else {
        return not_checked(GIVE_HANDLED);
    };
    let last = target.message();
    target.send("a message", &last).await?;
    target.until_handled(handled, last.id).await?;
    for (what, id) in [
        ("a message that came more than once", message.id),
        ("a message that came eight times at once", burst.id),
    ] {
        let count = target.count(handled, id).await?;
        if count != 1 {
            return Err(Verdict::Failed(format!("the work of {what} was done {count} times")));
        }
    }
    if target.restart.is_none() {
        return not_checked(
            "the work of an id was done once, but whether ids survive a restart is not known: give --restart, a command that restarts the receiver",
        );
    }
    Ok(())
}

/// Rule 5.
pub(super) async fn prompt_answer(target: &Target) -> Outcome {
    let message = target.message();
    let took = target.send("a message", &message).await?;
    if took > target.prompt_answer {
        return Err(Verdict::Failed(format!(
            "answered after {:.1} seconds; --at-once allows {:.1}",
            took.as_secs_f64(),
            target.prompt_answer.as_secs_f64()
        )));
    }
    let Some(handled) = &target.handled else {
        return not_checked(GIVE_HANDLED);
    };
    if target.count(handled, message.id).await? > 0 {
        return not_checked(
            "the response came quickly, but processing was finished by then: make processing take a second, so that the order is visible",
        );
    }
    target.until_handled(handled, message.id).await
}

/// Rule 6.
pub(super) async fn unknown_event(target: &Target) -> Outcome {
    let unknown = Message::new(UNKNOWN_EVENT);
    target.send("an unknown event", &unknown).await?;
    let Some(handled) = &target.handled else {
        return not_checked("it answered 200; to see whether it ignored the event, give --handled");
    };
    let known = target.message();
    target.send("a message", &known).await?;
    target.until_handled(handled, known.id).await?;
    match target.count(handled, unknown.id).await? {
        0 => Ok(()),
        _ => Err(Verdict::Failed("it processed an unknown event".to_owned())),
    }
}
