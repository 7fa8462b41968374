## Webhooks: addresses

webhook-title = Webhooks
webhook-none = No address yet.
webhook-none-text = Give the address of your server, and we send it a signed POST when a listing is published or changed, a player tips your game, or a listing moves on the weekly board.
webhook-add = Add an address
webhook-plan-none = Your plan includes no address.
webhook-who-adds = An owner or a developer of this account adds addresses.
webhook-addresses = Addresses
webhook-address = Address
webhook-state = State
webhook-state-on = on
webhook-state-paused = paused
webhook-state-off = switched off
webhook-state-unknown = not known
webhook-events = Events
webhook-event = Event
webhook-waiting = Waiting
webhook-last-success = Last success
webhook-never = never
webhook-of-plan = { $count ->
    [one] { $used } of { $number } address that your plan includes.
   *[other] { $used } of { $number } addresses that your plan includes.
}
webhook-plan-used-up = Your plan includes no more addresses. Remove one to add another, or change the plan.
webhook-plan-full = Remove one to add another, or change the plan.
webhook-plan-unlimited = Your plan includes any number of addresses.
webhook-plan-real = Your plan includes real events.
webhook-plan-test = Your plan includes test events only: real events need a plan with webhooks.
done-webhook-changed = The address is changed.
done-webhook-secret-before = This form was sent before. If you have not seen the secret, create a new one below.
done-webhook-paused = Paused. Deliveries wait until you resume it.
done-webhook-resumed = Resumed. What was waiting is sent now.
done-webhook-switched = Messages are signed with the new secret from now on.
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
webhook-asked = A test request without a message was answered with { $value }. Any response except a redirect is fine.
webhook-unreached = We could not reach it yet ({ $value }). Check the address, or start your server.
webhook-copy-now = Copy it now.
webhook-copy-now-text = This page is the only one that shows it. Keep it on your server.
webhook-copy-secret = Copy the secret
webhook-for-server = For your server
webhook-copy-variable = Copy the variable
webhook-library = A library of
webhook-library-takes = { "," } such as that of Svix, takes the secret without
webhook-copy-library = Copy it for a library
webhook-until = Until { $value },
webhook-old-signs = is made with the old secret and
webhook-next-signs = with this one. Give your server the new secret in that time, or switch over sooner on the
webhook-own-page = page of the address
webhook-next = Next
webhook-next-text = Start your receiver with the secret, then send it a test event and see its answer.
webhook-test = Send a test event
webhook-go-to = Go to this address

## One address

webhook-of = Webhook { $value }
webhook-off = We have switched this address off:
webhook-off-queue = No event is queued for it.
webhook-off-queue-until = No event is queued for it until you resume it.
webhook-added = Added
webhook-head-label = Address check
webhook-head = A HEAD request was answered with { $value } when the address was added. Any response except a redirect is fine.
webhook-head-unreached = We could not reach it when it was added ({ $value }).
webhook-queued-since = { $from }, the oldest since { $to }
webhook-pause-title = Pause or change
webhook-pause = Pause
webhook-resume = Resume
webhook-change = Change
webhook-paused-note = While it is paused, its deliveries wait for up to 30 days.
webhook-secret-heading = Signing secret
webhook-rotating = A new secret waits: until { $value },
webhook-rotating-old = is still made with the old one, and
webhook-rotating-new = with the new one. Switch over as soon as your receiver has the new one.
webhook-switch = Switch to the new secret now
webhook-rotate-text = A new secret is shown once. The old one signs for another day, so that you can give the new one to your receiver first.
webhook-rotate = Create a new secret
webhook-remove = Remove
webhook-remove-text = The address gets nothing more, and its deliveries are not shown any more.
webhook-remove-address = Remove the address
webhook-remove-question = with its deliveries and its secret? Nobody can bring them back. To stop the messages for a while, pause it.
webhook-remove-yes = Yes, remove it
webhook-all = All addresses

## Deliveries

delivery-heading = Deliveries
delivery-to = To
delivery-kept = They are kept for 30 days.
delivery-any = any
delivery-time = Write the time as 2026-11-23T14:05, in UTC.
delivery-no-state = There is no such state: choose one.
delivery-filter = Filter
delivery-no-match = No delivery matches. Widen the filter, or show all.
delivery-none = None yet.
delivery-none-send = Send a test event
delivery-none-result = { ":" } its result appears at once.
delivery-none-appear = They appear here with the answers of the receiver.
delivery-older = Older deliveries
delivery-all = All deliveries
delivery-created = Created
delivery-tries-heading = Tries
delivery-last-answer = Last answer
delivery-next-try = Next try
delivery-now = now
delivery-newest = Newest deliveries
delivery-recent = { $from } of the newest { $to } arrived
delivery-recent-failed = { $value } failed
delivery-failures = Failed since then
delivery-failed-last = { $from }, the last at { $to }
delivery-state-waiting = waiting
delivery-state-retrying = retrying
delivery-state-delivered = delivered
delivery-state-failed = failed
delivery-state-cancelled = cancelled
delivery-state-unknown = not known

## One delivery

delivery-of = Delivery of { $value }
delivery-message = Message
delivery-send-again = Send again
delivery-said = Your receiver said:
delivery-answer-to = The answer to try { $number }
delivery-no-body = The answer had no body.
delivery-body = Body
delivery-copy-body = Copy the body
delivery-curl = As curl
delivery-curl-signs = It signs anew with the secret in
delivery-curl-since = { "," } since a signature is good for five minutes. Change the address to send it to a receiver on your machine.
delivery-copy-command = Copy the command
delivery-listing = The listing as it is now
delivery-copy-call = Copy the call
delivery-tries = { $count ->
    [one] { $number } try
   *[other] { $number } tries
}
delivery-waits-paused = The address is paused: this is sent when you resume it.
delivery-waits-off = The address is switched off: this is sent when you resume it.
delivery-on-its-way = It is on its way.
delivery-retry-now = The last try has failed. It is being sent now.
delivery-retry-at = The last try has failed. The next one is at { $value }, or sooner.
delivery-retry-follows = The last try has failed. Another one follows.
delivery-arrived = Your receiver accepted it after { $value }.
delivery-failed-after = It has failed after { $value }, and is not sent again unless you do.
delivery-not-sent = It is not sent.
delivery-again-paused = The address is paused: the try is made when you resume it.
delivery-again-off = The address is switched off: resume it before you send this again.
delivery-again-waiting = A try is made now. If one is running and fails, the next one follows at once.
delivery-again-once = One try is made now. If it fails, no other follows.

## Answers to a try, and why there is none

delivery-milliseconds = { $value } ms
## Failed deliveries that are sent again

recover-title = Retry failed deliveries
recover-lead = { ":" } every delivery that has failed for good since a time, whenever it was made, gets six new tries, of many at most 10,000 at once. What waits is sent too, also if you no longer select its event.
recover-since = Failed since (UTC)
recover-since-hint = When your receiver began to fail. Deliveries are kept for 30 days.
recover-choose = Choose a time.
recover-count = Count them
recover-none = No delivery has failed for good since then.
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
recover-known-ids = Your receiver sees ids that it may know.
recover-send = { $count ->
    [one] Send it again
   *[other] Send them again
}
