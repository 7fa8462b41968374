## Keys

key-name = Name
done-key-request-withdrawn = The request is withdrawn.
done-key-request-rejected-before = Staff rejected the request before you withdrew it.
done-key-created-before = This form has already created the key and shown its secret. If you did not see the secret, rotate the key to get another one.
done-key-rotated-before = This form has already rotated the key: this is the new one, and its secret was shown then. If you did not see the secret, rotate this key.
done-key-revealed-before = The secret was already shown to you. If you did not see it, rotate the key to get another one.
key-revealed-by = { $from } revealed this key, { $to }. Ask { $from } for the secret, or rotate the key, which ends that secret after 24 hours.
key-revealed-by-ended = { $from } revealed this key, { $to }. It has been rotated or revoked since.
key-seen-by-staff = staff
key-mode-test = test
key-mode-live = live
key-mode-unknown = not known
key-kind-secret = secret key
key-kind-public = public key
key-kind-unknown = key
key-kind-wrong = Choose one of the kinds.
key-rights-reads = reads
key-rights-writes = reads and writes
key-rights-of-game = { $from } of { $to }
key-rights-of-game-writes = { $from } of { $to }, writes
key-state-works = active
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
key-game = Game
key-game-hint = For a key of a game.
key-game-none-hint = The account has no game yet: submit one first.
key-game-slug-hint = Its slug, for a key of a game: the end of its address.
key-game-none = none

## A secret, which is shown once

key-secret-test = Your test key
key-secret-live = Your live key
key-secret-new = The new secret

## Usage

usage-percent = { $value } %
usage-chart = Calls by day from { $from } to { $to }, in UTC. The table below has the same figures.

## Plans

plan-api = The API has your own plan
plan-no-limit = no limit
plan-no-limit-per-month = no limit: nothing stops, we talk first
plan-real-events = real and test events
plan-test-events = test events only

## Requests: the log of calls

request-sample = { $count ->
    [one] Sampled: { $number } further call in busy seconds is not shown.
   *[other] Sampled: { $number } further calls in busy seconds are not shown.
}
