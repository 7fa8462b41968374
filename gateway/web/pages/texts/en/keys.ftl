## Keys, usage, plans and requests

## Keys

key-title = Keys
key-none = No key yet.
key-create-test = Create a test key
key-create-test-text = { ":" } it is instant and reads sample data.
key-none-other = An owner or a developer of this account creates keys.
key-create = Create a key
key-requested-title = Requested
key-requested-label = Requested keys
key-requested-at = Requested
key-name = Name
key-key = Key
key-rights = Rights
key-state = State
key-created = Created
key-last-used = Last used
key-never = never
key-request-approved = approved
key-request-rejected = rejected
key-request-waits = waits for review
key-request-waits-text = Staff review live keys; test keys work meanwhile.
key-reveal = Reveal the key
key-withdraw = Withdraw
key-withdraw-name = Withdraw the request for the key { $value }
done-key-request-withdrawn = The request is withdrawn.
done-key-created-before = This form has created the key before. If you have not seen the secret, rotate the key: you get a new one.
key-reveal-name = Reveal the key { $value }
key-mode-test = test
key-mode-live = live
key-kind-secret = secret key
key-kind-public = public key
key-rights-reads = reads
key-rights-writes = reads and writes
key-rights-of-game = { $from } of { $to }
key-rights-of-game-writes = { $from } of { $to }, writes
key-state-works = works
key-state-revoked = revoked
key-state-rotated = rotated
key-state-game-gone = its game is not published
key-state-not-owned = its game has another owner
key-refusal-revoked = It was revoked, { $value }: calls with it get 401 for good. Create another key.
key-refusal-rotated = It was rotated, and its grace period ended, { $value }. Calls need the new key.
key-refusal-game-gone = Its game { $value } is not published: it waits for review, was rejected or was taken down. The key works again once the game is public.
key-refusal-not-owned = Its game { $value } belongs to another account now. The key works again if this account owns the game again.
key-refusal-month = The calls of the plan are used up: live keys get 429 until { $value }, or until the account has a larger plan.

## A new key

key-first-name = My first key
key-name-hint = What the key is for, for example the server that uses it.
key-data = Data
key-choose-test = Test
key-choose-test-hint = sample data, at once
key-choose-live = Live
key-choose-live-hint = the real directory; staff review the request first
key-options = More options
key-may-write = May write
key-may-write-hint = submit and change listings; fixed once the key is created
key-owner = Belongs to
key-of-account = The account
key-of-game-secret = A game, secret
key-of-game-secret-hint = economy calls from its server
key-of-game-public = A game, public
key-of-game-public-hint = may be shipped in its client
key-game = Game
key-game-hint = For a key of a game.
key-game-none-hint = The account has no game yet: submit one first.
key-game-slug-hint = Its slug, for a key of a game: the end of its address.
key-game-none = none
key-create-button = Create the key

## A secret, which is shown once

key-secret-test = Your test key
key-secret-live = Your live key
key-secret-new = The new secret
key-secret-name = Name:
key-copy-now = Copy it now.
key-copy-now-why = We keep only a hash of it: this page is the only one that shows it.
key-copy = Copy the key
key-old-secret-works = The old secret works:
key-paste-call = Paste it into a terminal:
key-copy-call = Copy the call
key-for-server = For your server
key-copy-variable = Copy the variable
key-first-call-docs = The first call in Python, Node and Go
key-all = All keys

## One key

key-one = Key { $value }
key-rotate-title = Rotate
key-rotate-text = A new secret with the same rights. The old one works for another 24 hours, so that you can deploy the new one first. Both share the calls a minute. If the key was rotated within 24 hours, the secret before this one stops now.
key-rotate-revoke = The old secret stops at once.
key-rotate = Rotate the key
key-revoke-title = Revoke
key-revoke-text = The next call with this key is refused, everywhere and for good.
key-was-used = It was last used { $value }.
key-was-not-used = It was never used.
key-newest-call-in = Its newest call in the
key-log = log
key-newest-call-is = { " " }is
key-newest-call-answer = { "," } answered with { $from }, { $to }.
key-revoke = Revoke the key
key-revoke-effect = { "?" } It never works again.
key-revoke-yes = Yes, revoke it

## Usage

usage-title = Usage
usage-month = Calls in { $value }
usage-month-calls = { $from } of { $to } calls
usage-month-share = with live keys ({ $value }).
usage-month-left = { $from } are left until { $to }.
usage-share-label = Share of the month's calls
usage-percent = { $value } %
usage-used-up = When they are used up, live keys get 429
usage-used-up-until = until then. Nothing is charged. Owners and developers get an e-mail at 80 % and at 100 %.
usage-month-calls-only = { $value } calls
usage-month-unlimited = { " " }with live keys. The plan has no monthly limit. The count begins again on { $value }.
usage-plan = Plan: { $value }.
usage-compare = Compare the plans
usage-by-day = Calls by day
usage-by-day-text = Calls with live keys from { $from } to { $to }. Days are those of UTC.
usage-by-day-caption = Calls by day (UTC); days without a call are left out
usage-chart = Calls by day from { $from } to { $to }, in UTC. The table below has the same figures.
usage-day = Day
usage-calls = Calls
usage-see-refused = See the calls that were refused or failed
usage-none = No call with a live key in these days.
usage-header = Each answer has what is left of the minute and of the month in its header
usage-header-limits = { "," } and the limits in

## Plans

plan-title = Plans
plan-api = The API has your own plan
plan-lead = Every plan has pages of up to 100 rows. Test keys are free on each, need no approval, and read sample data from every endpoint. A listing is free; neither a rank nor a verified badge can be bought.
plan-plan = Plan
plan-own = your plan
plan-coming = coming, not sold yet
plan-calls-per-minute = Calls a minute, for each key
plan-calls-per-month = Calls a month with live keys
plan-keys = Working live keys
plan-writes = Writes a day
plan-webhooks = Webhook addresses
plan-events = Webhook events
plan-no-limit = no limit
plan-no-limit-per-month = no limit: nothing stops, we talk first
plan-real-events = real and test events
plan-test-events = test events only
plan-beyond = Calls beyond a limit are refused with a 429 that says how long to wait. Nothing is ever charged for them.
plan-ask = Ask for { $value }
plan-ask-mail = Write to
plan-ask-staff = Tell the staff of this service
plan-ask-what = { ":" } what you build, how many calls it makes, and the id of this account,
plan-ask-then = { "." } Staff talk to you, and set the plan; keys and listings stay as they are.
plan-usage = Usage of this account

## Requests: the log of calls

request-title = Requests
request-lead = The calls of the last seven days, newest first; the log holds at most { $value }. Bodies and keys are not in it.
request-sample = { $count ->
    [one] The log is a sample: { $number } further call came in seconds with many calls. They are left out here.
   *[other] The log is a sample: { $number } further calls came in seconds with many calls. They are left out here.
}
request-any-key = any
request-only-errors = Only refused and failed ones
request-filter = Filter
request-all = Show all
request-no-match = No call matches. Widen the filter, or show all.
request-none = No call yet.
request-none-paste = { "," } and paste the call that comes with it: it appears here within seconds.
request-none-other = An owner or a developer of this account creates a key; its calls appear here within seconds.
request-time = Time
request-call = Call
request-status = Status
request-duration = Duration
request-no-path = no such path
request-more = and { $value } more in this second
request-gone = gone
request-older = Older calls
request-id-header = Each answer of the API has its id in the header
request-id-body = and in
request-left = The caller closed the connection before the answer.
