## Sentences of services

# Each text is what a service says. A form in another language shows its translation.

## Everywhere

reason-required = This field is required.
reason-name-required = Give a name: it is required.
reason-title-required = Give a title: it is required.
reason-city-required = Give a city: it is required.
reason-name-length = It must have 1 to { $most } characters.
reason-too-long = Shorten it: it has { $number } characters, and the maximum is { $most }.
reason-at-most-120 = Use 120 characters or fewer.
reason-at-most-200 = Use 200 characters or fewer.
reason-control = Remove the control characters.
reason-control-one = Remove the control character { $value }.
reason-character = Remove the character { $value }.
reason-one-line = Keep it on one line: line breaks are not allowed here.
reason-damaged-text = The text was damaged on its way: it has U+FFFD where a character was lost. Save the file as UTF-8.
reason-email = Give an e-mail address.
reason-one-of = Use one of: { $value }.
reason-past = It is in the future: the service's time is { $value }. Your clock may be fast.
reason-time = Give a time.
reason-outcome-unknown = The write was not answered in time and may or may not have taken effect. Send it again only with the same Idempotency-Key; without one, check in GET /me/listings first whether it took effect.
reason-internal = Something broke on our side. It has been logged under this request id.

## Keys

reason-key-game = Give a game: a secret or public key belongs to one.
reason-key-no-game = A key of an account belongs to no game. Use the kind secret or public.
reason-key-public = A public key never writes.
reason-key-game-gone = No published game has this slug.
reason-key-game-not-owned = The account does not own the page of this game. Make it an owner of the page first.
reason-key-dead = This key no longer works. Create a new key.
reason-key-rotated = This key was rotated before. Rotate its successor.
reason-key-live-limit = The account already has the { $number } live keys of the plan { $value }, requested keys included. No plan has more. Revoke one.
reason-key-live-limit-plan = The account already has the { $number } live keys of the plan { $value }, requested keys included. Revoke one, or change to the plan { $to }.
reason-key-test-limit = The account already has { $number } working test keys. Revoke one first.
reason-key-day-limit = The account has created or requested { $number } keys in the last 24 hours, and cannot create more for now. Try again after the seconds in Retry-After.
reason-request-waits = This request is not approved yet. Wait for the review.
reason-request-rejected = This request was rejected. Request another key.
reason-request-revealed = This key was revealed before, and its secret is shown only once. Rotate the key to get a new secret.

## Webhooks

reason-webhook-url = Give a public https address such as https://hooks.example/mchezo.
reason-webhook-url-error = Give a public https address such as https://hooks.example/mchezo. This one is not valid: { $value }.
reason-webhook-ip = Give the public name of the host, such as hooks.example. IP addresses are not allowed.
reason-webhook-host = Give the public name of the host, such as hooks.example. `{ $value }` is not a valid host name.
reason-webhook-host-bare = Give the public name of the host, such as hooks.example.
reason-webhook-local = Give the public name of the host, such as hooks.example. `{ $value }` is a local name.
reason-webhook-long = Give an address of at most { $most } characters.
reason-webhook-odd = Give an address without spaces, backslashes and control characters.
reason-webhook-password = Remove the user name and the password: the signature authenticates the sender.
reason-webhook-fragment = Remove the `#` and everything after it: a fragment is never sent.
reason-webhook-port = Remove the port: only the default port 443 is allowed.
reason-webhook-https = Begin the address with https://: messages are always encrypted.
reason-webhook-also = Also permitted here: { $value }.
reason-webhook-redirects = The address answered { $number }, which redirects to { $value }: redirects are not followed. Give the address that it leads to.
reason-webhook-checks = The account has entered { $number } addresses within an hour, and each is sent a request. Try again after the seconds in Retry-After.
reason-webhook-limit-one = The account's plan allows 1 endpoint. Remove one, or change to the plan { $value }, which allows { $number } endpoints.
reason-webhook-limit = The account's plan allows { $most } endpoints. Remove one, or change to the plan { $value }, which allows { $number } endpoints.
reason-webhook-limit-one-any = The account's plan allows 1 endpoint. Remove one, or change to the plan { $value }, which allows any number.
reason-webhook-limit-any = The account's plan allows { $most } endpoints. Remove one, or change to the plan { $value }, which allows any number.
reason-webhook-limit-one-most = The account's plan allows 1 endpoint, and no plan allows more. Remove one.
reason-webhook-limit-most = The account's plan allows { $most } endpoints, and no plan allows more. Remove one.
reason-events = Give one or more of { $value }.
reason-webhook-rate = Give 1 to { $most } deliveries per second.
reason-webhook-off-pause = The endpoint is switched off, so it cannot be paused; resume it first.
reason-webhook-off = The endpoint is switched off: resume it first.
reason-webhook-no-secret = The endpoint has no new secret: rotate its secret first.
reason-webhook-secret = We cannot read its signing secret any more: make a new secret, and switch to it.
reason-webhook-tests = { $number } test events wait for this endpoint. Wait until it has received some.
reason-webhook-plan = The account's plan has only test events. Change to the plan { $value } to send real events again.
reason-webhook-plan-other = The account's plan has only test events. Change to another plan to send real events again.
reason-webhook-check-wait = A check of this account has just begun, and each sends many messages. Wait ten seconds.

## Listings

reason-empty = This must not be empty.
reason-url-odd = An address has no spaces and no control characters.
reason-url-https = Give a full https address, such as https://example.com/game.
reason-url-password = A public address carries no user name or password.
reason-url-port-0 = Port 0 is not valid.
reason-url-host = `{ $value }` is not a valid host name.
reason-url-no-host = The address has no host.
reason-url-port = This is not an address: invalid port number.
reason-url-ipv4 = This is not an address: invalid IPv4 address.
reason-url-ipv6 = This is not an address: invalid IPv6 address.
reason-url-character = This is not an address: invalid domain character.
reason-url-name = This is not an address: invalid international domain name.
reason-url-empty-host = This is not an address: empty host.
reason-slug = Write it in small letters a to z, digits and single hyphens, { $most } characters at most.
reason-handle-taken = It is taken: choose another.
reason-name-taken = Another listing has just taken it: choose another.
reason-twice = { $value } is there twice: name it once.
reason-most = Name at most { $most }, not { $number }.
reason-choice = It must be { $value }.
reason-day = Give a day, such as 2026-03-01.
reason-date = Write it as a date, such as 2026-03-01.
reason-first-year = The first year is 0001.
reason-ends-before = It cannot end before it starts.
reason-ends-on = It ends on { $value }, before that: change ends_at with it.
reason-year = Give the year of the first release, or the planned year.
reason-year-range = This must be a whole number from { $from } to { $to }.
reason-year-text = This must be a whole number, not text.
reason-city-letters = Write the city's name in letters.
reason-city-event = Give a city: an event needs one, an online event too.
reason-country = Write the country's two letters, such as NG.
reason-creator = Give the handle of your studio's or your own page.
reason-creator-not-yours = `{ $value }` is not a page of yours. Give the handle of a page that you submitted or claimed.
reason-creator-taken-down = The page `{ $value }` was taken down: until staff restore it, nothing can be submitted under it, and its published games stay with it. Contact staff, or give another page of yours.
reason-credit-handle = No creator has this handle: give null for a person or studio without a page.
reason-screenshot-twice = This screenshot is there twice: name it once.
reason-genre-near = There is no such genre; the nearest is `{ $value }`.
reason-link-twice = The link `{ $value }` is given twice, with different addresses: give one of them.
reason-page-pending = Its page `{ $value }` is pending review: the game is shown once the page is public.
reason-page-rejected = Its page `{ $value }` was rejected: the game is not shown until the page is public. Change the page, and it is reviewed again.
reason-page-removed = Its page `{ $value }` was taken down: until staff restore it, the game is not shown and no game can be submitted under the page.
reason-pending-limit = { $number } of your submissions are pending review, which is the maximum. Submit this one after staff have decided on one of them.
reason-pending-limit-other = { $number } submissions of the account that submitted this listing are pending review, which is the maximum. Submit this one after staff have decided on one of them.
reason-pages-limit = { $number } of your pages were never public, which is the maximum. Change one of them instead.
reason-claims-limit = { $number } of your claims wait for a decision, which is the maximum. Claim this page after staff have decided on one of them.
reason-takedowns-limit = { $number } of your requests for a takedown wait for a decision, which is the maximum. Write to staff about all of them in one of these.
reason-day-limit = The account has used the { $number } writes per day of its plan. Try again after 00:00 UTC, or choose a larger plan.
reason-claim-no-page = There is no public page with this handle.
reason-claim-own = You own this page already.
reason-claim-evidence = Explain how staff can verify that the page is yours.
reason-takedown-reason = Tell staff why the listing should be taken down.
reason-takedown-pending = Only a public listing is taken down, and this one is pending review. A pending one can be withdrawn.
reason-takedown-rejected = Only a public listing is taken down, and this one was rejected. A pending one can be withdrawn.
reason-takedown-removed = Only a public listing is taken down, and this one was taken down. A pending one can be withdrawn.
reason-withdraw-public = Only a pending listing can be withdrawn, and this one is public. Ask staff to take it down.
reason-withdraw-removed = Only a pending listing can be withdrawn, and this one was taken down. Ask staff to take it down.

## Pictures

reason-picture-empty = The file is empty.
reason-picture-animation = This is an animation: send a still picture.
reason-picture-scans = This JPEG has too many scans: save the picture again in an image editor.
reason-picture-format = Send a JPEG, a PNG or a WebP: the content of this file is something else, whatever its name says.
reason-picture-pixels = Make it smaller: { $width } by { $height } pixels are too many, and the maximum is { $most }.
reason-picture-no-pixels = The picture has no pixels.
reason-picture-memory = Make it smaller, or save it with 8 bits per channel: its pixels take too much memory.
reason-picture-small = Send a larger one: it has { $width } by { $height } pixels, and the minimum is { $from } by { $to }.
reason-picture-reading = Make it smaller: reading this file takes too much memory.
reason-picture-variant = This variant of the format is not supported: save the picture as an ordinary JPEG, PNG or WebP.
reason-picture-damaged = The file is damaged or incomplete: upload it again, or save the picture again.
reason-picture-side = Make it smaller: a side has { $most } pixels at most.
reason-picture-unreadable = The file cannot be read: save the picture again in an image editor.
reason-picture-purged = Staff have purged this picture: use another one.
reason-picture-gone = This picture is not there any more: it was not used within a day, or staff removed it. Upload it again.
reason-picture-most = This game has { $most } screenshots, which is the maximum: remove one first.
reason-picture-changed = The screenshots have changed since you read them: read them again.

## Why a try failed, a delivery was cancelled, an address was switched off, or a rule of the check has not passed

reason-delivery-answered = answered { $number }
reason-delivery-redirected = answered { $number }, which redirects to { $value }: redirects are not followed
reason-delivery-late = did not answer within { $number } seconds
reason-delivery-refused = refused the connection
reason-delivery-not-accepted = did not accept a connection in time
reason-delivery-closed = closed the connection before it answered
reason-delivery-closed-early = closed the connection before the request was sent
reason-delivery-not-http = its answer is not HTTP
reason-delivery-head-too-large = the head of its answer is too large
reason-delivery-not-public = { $value } does not resolve to a public address
reason-delivery-unresolved = could not resolve the name { $value }
reason-delivery-certificate-expired = TLS certificate is not valid: it has expired
reason-delivery-certificate-early = TLS certificate is not valid: it is not valid yet
reason-delivery-certificate-name = TLS certificate is not valid: it is for another name
reason-delivery-certificate-issuer = TLS certificate is not valid: it is self-signed, or a certificate between it and its authority is missing
reason-delivery-certificate-signature = TLS certificate is not valid: its authority has not signed it
reason-delivery-certificate-revoked = TLS certificate is not valid: it was revoked
reason-delivery-secret-lost = has a signing secret that we cannot read any more: make a new secret, and switch to it
reason-delivery-unpublished = The listing is no longer published.
reason-delivery-only-tests = The account's plan has only test events.
reason-webhook-off-failures = Deliveries failed for days. Repair the endpoint, then resume it.
reason-webhook-off-gone = The endpoint answered 410 Gone.
reason-check-no-answer = The receiver did not answer a plain ping. See rule 5 first.
reason-check-too-slow = The receiver answers too slowly to check this in time. See rule 5 first.
reason-check-secret = It answered 401 to a message that is signed correctly. Give it the secret of this endpoint, all of it with its prefix; rotate the secret if it is lost.
