## Webhooks: addresses

webhook-title = Webhooks
webhook-none = No address yet.
webhook-none-text = Give the address of your server, and we send it a signed POST when a listing is published or changed, a player tips your game, or a listing moves on the weekly board.
webhook-add = Add an address
webhook-samples-link = What the events look like
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
webhook-events-none = Tick at least one event.
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
done-webhook-paused = Paused. Deliveries wait until you resume it.
done-webhook-resumed = Resumed. What was waiting is sent now.
done-webhook-switched = Messages are signed with the new secret from now on.
done-webhook-removed = The address is removed.
done-webhook-recovered = The failed deliveries are sent again.
done-webhook-recovered-paused = The address is paused. The failed deliveries are retried once you resume it.

## The form of an address

webhook-add-button = Add the address
webhook-change-title = Change the address
webhook-url-hint = Public https with a host name, such as https://hooks.example/mchezo. No port, no IP address, no redirect.
webhook-rate-label = Rate limit (deliveries per second)
webhook-rate-hint = Empty: no limit.
webhook-rate-number = Write a whole number, or leave it empty.
webhook-sample-of = Sample of { $value }
webhook-samples-all = Samples of all events

## A signing secret that is shown once

webhook-secret-title = The signing secret
webhook-secret-new-title = The new signing secret
webhook-asked = Result of a test request without a message:
webhook-asked-end = { "." } Any response except a redirect is fine.
webhook-unreached = We could not reach it yet (
webhook-unreached-end = ). Check the address, or start your server.
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
webhook-limit = Limit
webhook-a-second = { $value } a second
webhook-no-limit = none
webhook-added = Added
webhook-head-label = Address check
webhook-head = HEAD request when it was added:
webhook-head-end = { "." } Any response except a redirect is fine.
webhook-head-unreached = We could not reach it when it was added (
webhook-head-unreached-end = ).
webhook-queued-since = { $from }, the oldest since { $to }
webhook-samples = Samples
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
webhook-remove-text = The address gets nothing more, and its deliveries are deleted with it.
webhook-remove-address = Remove the address
webhook-remove-question = with its deliveries and its secret? Nobody can bring them back. To stop the messages for a while, pause it.
webhook-remove-yes = Yes, remove it
webhook-all = All addresses

## Events and their samples

webhook-samples-title = Samples of events
webhook-samples-lead = Bodies as they are sent, with made-up listings. A test event has such a body too.
webhook-samples-api = is a path of the API: read it with a live key to get the listing as it is now.
webhook-about-game = About a game
webhook-about-studio = About a studio
webhook-about-person = About a person
webhook-about-event = About an event
webhook-copy-sample = Copy the sample of { $from } { $to }
webhook-when-listing-published = A game, a studio, a person or an event was approved and is listed.
webhook-when-listing-updated = A published listing was changed.
webhook-when-tip-paid = A player tipped one of your registered games.
webhook-when-ranking-moved = A listing moved on the weekly board; checked once a day at 04:00 UTC.
webhook-when-ping = You press Send a test event.

## Deliveries

delivery-heading = Deliveries
delivery-to = To
delivery-kept = They are kept for 30 days.
delivery-any = any
delivery-since = Since (UTC)
delivery-before = Before (UTC)
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
delivery-days = Deliveries by day from { $from } to { $to }, in UTC
delivery-days-figures = The figures
delivery-days-caption = Deliveries by the day of their creation (UTC); days without one are left out
delivery-days-none = No delivery of the last { $number } days has ended yet.
delivery-days-cut = There are more: only the newest deliveries are counted.
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
delivery-reloads = { $count ->
    [one] This page reloads every second.
   *[other] This page reloads every { $number } seconds.
}
delivery-stop = Stop
delivery-message = Message
delivery-change-label = What to change
delivery-change = What to change:
delivery-guide = The guide to receivers
delivery-send-again = Send again
delivery-said = Your receiver said:
delivery-answer-to = The answer to try { $number }
delivery-headers = Headers of the answer, without cookies and credentials
delivery-headers-of = Headers of the answer to try { $number }
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
delivery-answered-in = answered { $from } in { $to }

## What the owner of a receiver can change after a failed try

delivery-advice-redirect = Redirects are not followed. Change the address to the one that your server redirects to. Often it differs by a slash at the end, or by www.
delivery-advice-signature = Your receiver refused the signature or the time. Most often it has another secret, or a part of it: the secret begins with svc_whsec_, and an equals sign at its end belongs to it. Verify the bytes of the body as they came, and see that the clock of your server is right: a message is good for five minutes.
delivery-advice-path = Nothing takes a POST at this path. Compare the path of the address with the route of your receiver, and let the route take POST.
delivery-advice-gone = 410 says that the address is gone for good, so it was switched off. If you did not mean that, let your receiver answer otherwise, then resume the address.
delivery-advice-too-many = Your receiver wants fewer messages at once. Set a limit of deliveries per second on the address.
delivery-advice-refused = Your receiver refused the message. Its words below and its log say why. It should answer 2xx to every message with a good signature, also to events that it does not know.
delivery-advice-broken = Your receiver failed, or a proxy in front of it did; the log says why. Verify and store the message, answer 2xx, and do the work afterwards.
delivery-advice-status = Let your receiver answer with a status from 200 to 299.
delivery-advice-slow = Your receiver took too long. Verify and store the message, answer 2xx at once, and do the work afterwards.
delivery-advice-certificate = The certificate of your server is not accepted. Serve a valid one for this host name, with all certificates between it and its authority.
delivery-advice-name = The name of the host does not lead to a public address. Look at its DNS records, and at the address for a typing error.
delivery-advice-port = Your server takes no connections on the port of this address. See that it runs, and that no firewall refuses ours.
delivery-advice-closed = Your server closed the connection. See that the receiver runs, and that a proxy in front of it waits long enough.
delivery-advice-address = Give the address again: public https with a host name.

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

## The check of a receiver

check-title = Check my receiver
check-address = Address:
check-lead = The check sends some forty messages in a few seconds, signed like deliveries. Most are pings. Some are tampered with on purpose, and some have odd bodies that are signed: no JSON, or JSON that is not one of our messages. They must not break a receiver. It compares each answer with the six rules for receivers. These messages are not deliveries: they appear in no list, and a wrong answer has no consequence.
check-old-secret = is made with the old secret.
check-own-machine = On your own machine,
check-sees-more = sees more: whether work is repeated, and whether ids survive a restart.
check-run = Run the check
check-run-again = Run it again
check-takes = It may take 20 seconds.
check-verdict-right = right
check-verdict-partly = right, as far as we can see
check-verdict-broken = broken
check-verdict-open = not checked
check-all-right = Every answer follows the six rules.
check-none-broken = { $count ->
    [one] Nothing is broken, but { $number } of the rules could not be checked.
   *[other] Nothing is broken, but { $number } of the rules could not be checked.
}
check-broken = { $count ->
    [one] { $number } rule is broken.
   *[other] { $number } rules are broken.
}
check-open = { $count ->
    [one] { $number } could not be checked.
   *[other] { $number } could not be checked.
}
check-only-you = Only you can see:
check-should-be = { "," } should be
check-sent = Sent, as curl; its signature is good for five minutes:
check-copy = Copy: { $value }
check-no-body = The answer has no body.
check-begins = The answer begins:
check-rule-1 = Read the raw body before parsing it
check-rule-2 = Answer 401 to a wrong time or signature
check-rule-3 = Answer 400 to a signed body that is not JSON
check-rule-4 = Answer 200 to an id that was handled, without repeating its work
check-rule-5 = Answer 200 at once, and do slow work afterwards
check-rule-6 = Answer 200 to an event that is not known, and ignore it
check-unseen-2 = Whether it compares signatures in constant time. Look for hmac.compare_digest, timingSafeEqual or the like in its code.
check-unseen-4 = Whether it does the work of an id once, also after a restart. Look for the id below in its log; then restart it, and press Send again on a delivery that it has handled.
check-unseen-5 = Whether the work of its real events waits until it has answered. Send it a test event of each kind, and compare the times.
check-unseen-6 = Whether it ignores the event.

## The messages of the check

check-probe-a-ping = a ping
check-probe-the-same-ping-again = the same ping again
check-probe-a-body-with-spaces-and-line-breaks = a body with spaces and line breaks
check-probe-a-body-with-its-keys-in-another-order = a body with its keys in another order
check-probe-a-body-with-escapes = a body with escapes
check-probe-a-body-that-is-not-ASCII = a body that is not ASCII
check-probe-a-body-with-numbers-in-odd-forms = a body with numbers in odd forms
check-probe-a-message-without-a-timestamp = a message without a timestamp
check-probe-a-message-signed-310-seconds-ago = a message signed 310 seconds ago
check-probe-a-message-signed-310-seconds-ahead = a message signed 310 seconds ahead
check-probe-a-message-with-a-signed-timestamp-that-is-no-number = a message with a signed timestamp that is no number
check-probe-a-message-with-an-empty-timestamp-signed = a message with an empty timestamp, signed
check-probe-a-message-with-a-signed-timestamp-of-40-digits = a message with a signed timestamp of 40 digits
check-probe-a-message-with-the-signed-timestamp-NaN = a message with the signed timestamp NaN
check-probe-a-message-with-a-signed-timestamp-in-milliseconds = a message with a signed timestamp in milliseconds
check-probe-a-message-signed-310-seconds-ago-with-a-second-timestamp-of-now = a message signed 310 seconds ago, with a second timestamp of now
check-probe-a-message-signed-310-seconds-ago-with-a-timestamp-of-now-before-its-own = a message signed 310 seconds ago, with a timestamp of now before its own
check-probe-a-message-with-a-timestamp-that-is-not-the-signed-one = a message with a timestamp that is not the signed one
check-probe-a-message-without-a-signature = a message without a signature
check-probe-a-message-with-an-empty-signature = a message with an empty signature
check-probe-a-message-with-half-a-signature = a message with half a signature
check-probe-a-message-with-more-characters-behind-its-signature = a message with more characters behind its signature
check-probe-a-message-with-the-last-character-of-its-signature-changed = a message with the last character of its signature changed
check-probe-a-message-with-a-signature-that-is-not-hexadecimal = a message with a signature that is not hexadecimal
check-probe-a-message-signed-with-another-secret = a message signed with another secret
check-probe-a-message-signed-with-an-empty-secret = a message signed with an empty secret
check-probe-a-message-changed-after-it-was-signed = a message changed after it was signed
check-probe-a-message-whose-body-was-removed-after-it-was-signed = a message whose body was removed after it was signed
check-probe-a-message-signed-240-seconds-ago = a message signed 240 seconds ago
check-probe-a-message-signed-240-seconds-ahead = a message signed 240 seconds ahead
check-probe-a-text-that-is-not-JSON = a text that is not JSON
check-probe-half-a-JSON-object = half a JSON object
check-probe-an-empty-body = an empty body
check-probe-two-JSON-objects = two JSON objects
check-probe-JSON-with-single-quotes = JSON with single quotes
check-probe-a-body-that-is-not-UTF-8 = a body that is not UTF-8
check-probe-JSON-with-NaN = JSON with NaN
check-probe-a-list-instead-of-a-message = a list instead of a message
check-probe-null-instead-of-a-message = null instead of a message
check-probe-a-text-instead-of-a-message = a text instead of a message
check-probe-a-ping-without-an-id = a ping without an id
check-probe-a-ping-whose-id-is-an-object = a ping whose id is an object
check-probe-a-ping-whose-id-is-half-of-a-surrogate-pair = a ping whose id is half of a surrogate pair
check-probe-a-message-whose-event-is-a-list = a message whose event is a list
check-probe-an-event-that-nobody-knows = an event that nobody knows
