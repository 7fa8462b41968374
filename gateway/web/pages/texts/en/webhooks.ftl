## Webhooks: addresses

webhook-add = Add an address
webhook-plan-none = Your plan includes no address.
webhook-address = Address
webhook-state-on = active
webhook-state-paused = paused
webhook-state-off = disabled
webhook-state-unknown = not known
webhook-of-plan = { $count ->
    [one] { $used } of { $number } address that your plan includes.
   *[other] { $used } of { $number } addresses that your plan includes.
}
webhook-plan-used-up = Your plan includes no more addresses. Remove one to add another, or change the plan.
webhook-plan-unlimited = Your plan includes any number of addresses.
done-webhook-changed = The address is changed.
done-webhook-secret-before = This form was sent before. If you have not seen the secret, create a new one below.
done-webhook-paused = Paused. Deliveries wait until you resume it.
done-webhook-resumed = Resumed. What was waiting is sent now.
done-webhook-switched = Messages are signed with the new secret from now on.
done-webhook-attempted = Nothing was sent: an attempt has ended since you opened this page. Its result is below.
done-webhook-removed = The address is removed.
done-webhook-recovered = The failed deliveries are sent again.
done-webhook-recovered-paused = The address is paused. The failed deliveries are retried once you resume it.

## The form of an address

webhook-add-button = Add the address
webhook-change-title = Change the address
webhook-change-reopen = Open the page again, and change the address there.
webhook-change-busy = Somebody else is changing this address at the same moment. Save your changes again.
webhook-change-both = Somebody else has changed this since you opened the form. It is now: { $value } If you save again, it becomes what you typed.
webhook-url-hint = Public https with a host name, such as https://hooks.example/mchezo. No port, no IP address, no redirect.

## A signing secret that is shown once

webhook-secret-title = The signing secret
webhook-secret-new-title = The new signing secret

## One address

webhook-off = We have switched this address off:

## Deliveries

delivery-no-state = There is no such state: choose one.
delivery-now = now
delivery-recent = { $from } of the newest { $to } arrived
delivery-recent-failed = { $value } failed
delivery-state-waiting = waiting
delivery-state-retrying = retrying
delivery-state-delivered = delivered
delivery-state-failed = failed
delivery-state-cancelled = cancelled
delivery-state-unknown = not known

## One delivery

delivery-answer-to = The response to attempt { $number }
delivery-tries = { $count ->
    [one] { $number } attempt
   *[other] { $number } attempts
}
delivery-waits-paused = The address is paused: this is sent when you resume it.
delivery-waits-off = The address is disabled: this is sent when you resume it.
delivery-on-its-way = It is on its way.
delivery-retry-now = The last attempt failed. It is being sent now.
delivery-retry-at = The last attempt failed. The next one is at { $value }, or sooner.
delivery-retry-follows = The last attempt failed. Another one follows.
delivery-arrived = Your receiver accepted it after { $value }.
delivery-failed-after = Failed after { $value }. It is not retried unless you send it again.
delivery-not-sent = It is not sent.
delivery-again-paused = The address is paused: the attempt is made when you resume it.
delivery-again-off = The address is disabled: resume it before you send this again.
delivery-again-waiting = Sends it now. If an attempt is running and fails, another one follows immediately.
delivery-again-once = Sends it once, now. If this attempt fails, no other one follows.

## Responses to an attempt, and why there is none

delivery-milliseconds = { $value } ms

## Failed deliveries that are sent again

recover-since = Failed since (UTC)
recover-since-hint = When your receiver began to fail. Deliveries are kept for 30 days.
recover-choose = Choose a time, such as 2026-11-23T14:05, in UTC.
recover-failed = { $count ->
    [one] { $number } delivery failed
    [10000] { $number } or more deliveries failed
   *[other] { $number } deliveries failed
}
recover-have-failed = { $count ->
    [one] { $number } delivery has failed since
    [10000] { $number } or more deliveries have failed since
   *[other] { $number } deliveries have failed since
}
recover-send = { $count ->
    [one] Send it again
   *[other] Send them again
}
