## Mails to people

mail-link-foot = The link works for { $value }, once. If you did not ask for it, ignore it: nothing happens until the button on its page is pressed.
mail-signature = The team of Mchezo
mail-switch-foot = You can turn off these e-mails: { $value }
mail-no-reason = none was given
mail-no-account = no account
mail-unknown-keys = the keys
mail-unknown-webhooks = the webhooks
mail-unknown-both = the keys and the webhooks
mail-sign-up-subject = Create your account at Mchezo
mail-sign-up-body =
    Hello,

    Mchezo is a directory of African games: studios list their games there, and websites and launchers read them. Somebody, probably you, wants to create an account there with this address.

    Open this page to choose a password:
mail-sign-up-exists-subject = You have an account at Mchezo
mail-sign-up-exists-body = Somebody wants to create an account with this address, which has one. Sign in with your password; if you have forgotten it, set a new one here:
mail-reset-subject = Set a new password at Mchezo
mail-reset-body = Open this page to set a new password:
mail-reset-nobody-subject = There is no account with this address at Mchezo
mail-reset-nobody-body = Somebody asked for a new password, but no account has this address. Perhaps you used another one. To create an account with this address, open this page:
mail-new-address-subject = Confirm your new address
mail-new-address-body = Open this page to sign in to Mchezo with this address from now on:
mail-invite-by-staff-subject = An invitation to Mchezo
mail-invite-by-staff-body = Our staff invite you to an account at Mchezo, as owner. Open this page to join:
mail-invite-owner-subject = An invitation to Mchezo
mail-invite-owner-body = { $inviter } invites you to an account at Mchezo, as owner. Open this page to join:
mail-invite-developer-subject = An invitation to Mchezo
mail-invite-developer-body = { $inviter } invites you to an account at Mchezo, as developer. Open this page to join:
mail-invite-editor-subject = An invitation to Mchezo
mail-invite-editor-body = { $inviter } invites you to an account at Mchezo, as editor. Open this page to join:
mail-factor-ended-subject = Your second factor was turned off
mail-factor-ended-body =
    Staff have turned off your second factor, because we were told that you lost your phone and your recovery codes. All sessions have ended, and your password alone signs you in. Sign in and set up an authenticator app again: { $page }

    If this was not you, set a new password at once, and write to us: { $contact }
mail-factor-of-member-ended-subject = The second factor of a member was turned off
mail-factor-of-member-ended-body =
    { $email } is a member of an account of which you are an owner. Staff have turned off the second factor of { $email }, because we were told that the phone and the recovery codes are lost. The password alone is now enough to sign in.

    Ask { $email } by other means than e-mail whether this is true. If it is not, remove this member from the team, and write to us: { $contact }
mail-password-changed-subject = Your password was changed
mail-password-changed-body =
    The password of your account was changed, and all other sessions have ended.

    If this was not you, set a new password at once.
mail-password-reset-subject = Your password was changed
mail-password-reset-body =
    A new password was set for your account, and all sessions have ended.

    If this was not you, set another password at once.
mail-email-asked-subject = A change of your address
mail-email-asked-body =
    Somebody who is signed in as you wants to change your address to { $address }. We have sent a confirmation link to that address.

    If this was not you, change your password at once: that also voids the link.
mail-email-changed-subject = Your address was changed
mail-email-changed-body =
    Your address for signing in was changed from { $old } to { $new }.

    If this was not you, write to us at once: { $contact }
mail-totp-on-subject = The second factor is on
mail-totp-on-body =
    An authenticator app is needed to sign in from now on.

    If this was not you, set a new password at once.
mail-totp-off-subject = The second factor is off
mail-totp-off-body =
    A password is enough to sign in from now on.

    If this was not you, set a new password at once.
mail-recovery-codes-subject = New recovery codes were created
mail-recovery-codes-body =
    New recovery codes replace your earlier ones, which do not work any more.

    If this was not you, set a new password at once.
mail-wrong-codes-subject = Somebody is trying codes to sign in as you
mail-wrong-codes-body =
    Twenty wrong codes of an authenticator app were typed for you today, by somebody who knows your password.

    If this was not you, sign in and set a new password at once: { $page }
mail-new-browser-subject = A sign-in in a new browser
mail-new-browser-body =
    Somebody signed in to your profile in a browser that we have not seen before: { $browser }, from the IP address { $address }, on { $at }.

    If this was you, there is nothing to do. If it was not, set a new password at once, which ends all other sessions: { $page }
mail-deleted-subject = Your profile is deleted
mail-deleted-body = Your profile at Mchezo is deleted, as you asked.
mail-removed-subject = You are no longer in a team
mail-removed-body =
    { $by } has removed you from the team of an account at Mchezo. Its keys, webhooks and listings go on, and you cannot open it any more.

    If you think that this is a mistake, ask { $by }. Your other accounts: { $page }
mail-seen-secrets-subject = Somebody has seen secrets of your account that still work
mail-seen-secrets-body =
    { $email } no longer has access to the keys and webhooks of the account { $name }, but has seen these secrets. They stay valid until you replace them: rotate each key, and create a new signing secret for each webhook.

    { $secrets }

    The page of the team lists them too: { $team }
mail-seen-secrets-unknown-subject = Somebody may have seen secrets of your account
mail-seen-secrets-unknown-body =
    { $email } no longer has access to the keys and webhooks of the account { $name }. We could not tell which secrets { $email } has seen: a service did not answer, so that we could not check { $unknown }.

    The page of the team lists them: { $team }
mail-seen-secrets-partly-subject = Somebody has seen secrets of your account that still work
mail-seen-secrets-partly-body =
    { $email } no longer has access to the keys and webhooks of the account { $name }, but has seen these secrets. They stay valid until you replace them: rotate each key, and create a new signing secret for each webhook.

    { $secrets }

    This list may not be complete: we could not check { $unknown }, because a service did not answer. The page of the team has the whole list: { $team }
mail-month-share-subject = 80 % of the month's calls are used
mail-month-share-body =
    The account { $name } has made { $used } of the { $limit } calls a month that the plan { $plan } includes.

    When they are used up, calls with live keys are refused with 429 quota_exceeded until { $resets }. Nothing is charged, and test keys still work.

    Which days used them: { $usage }
    The plans: { $plans }
mail-month-used-subject = The calls of the month are used up
mail-month-used-body =
    The account { $name } has made { $used } of the { $limit } calls a month that the plan { $plan } includes.

    Calls with live keys are refused with 429 quota_exceeded until { $resets }. Nothing is charged, and test keys still work.

    Which days used them: { $usage }
    The plans: { $plans }
mail-key-approved-subject = Your live key is approved
mail-key-approved-body =
    Staff have approved the live key "{ $name }". It does not exist yet: an owner or a developer reveals it once, and stores it in a safe place.

    Reveal it here: { $page }
mail-key-rejected-subject = Your live key is not approved
mail-key-rejected-body =
    Staff have not approved the live key "{ $name }". Their reason: { $reason }

    Change what they name and ask again; test keys go on working: { $page }
mail-listing-published-subject = Your listing is public
mail-listing-published-body =
    Staff have approved { $title }. Everybody sees it now: { $url }

    Change it and its pictures at any time, without another review: { $page }
mail-listing-approved-subject = Your listing is approved
mail-listing-approved-body =
    Staff have approved { $title }. Nobody else sees it, because the page of its maker is not public. It becomes public together with that page.

    See the state of the page: { $page }
mail-listing-rejected-subject = Your listing is not approved
mail-listing-rejected-body =
    Staff have not approved { $title }. Their reason: { $reason }

    Change what they name: saving the change submits it again. { $page }
mail-listing-removed-subject = Your listing is taken down
mail-listing-removed-body =
    Staff have taken down { $title }. Nobody finds it on the site or in the API any more. If it is a game, its own keys do not work. Their reason: { $reason }

    Only staff can restore it. If you think that this is a mistake, write to us: { $contact }

    The listing in the dashboard: { $page }
mail-listing-removed-by-owner-subject = Another owner took your listing down
mail-listing-removed-by-owner-body =
    The account { $account }, which also owns the page, has taken down { $title }. Nobody finds it on the site or in the API any more. If it is a game, its own keys do not work.

    Only staff can restore it. If you did not agree, write to us: { $contact }

    The listing in the dashboard: { $page }
mail-listing-restored-subject = Your listing is restored
mail-listing-restored-body =
    Staff have restored { $title }. It is shown as before, unless its page is not public.

    See it in the dashboard: { $page }
mail-claim-granted-subject = A page belongs to your account now
mail-claim-granted-body =
    Staff have granted your claim: the page { $handle } and its games belong to your account.

    See what is there, and change it: { $page }
mail-claim-rejected-subject = Your claim of a page is rejected
mail-claim-rejected-body =
    Staff have rejected your claim of the page { $handle }. Their reason: { $reason }

    Claim it again with other evidence: { $page }
mail-owner-added-subject = A page of your account has a new owner
mail-owner-added-body =
    Staff have made the account { $account } an owner of the page { $handle }. It may change the page and its games, and take them down, as every other owner may.

    If you did not expect this, write to us at once: { $contact }

    Your listings: { $page }
mail-owner-removed-subject = A page has one owner less
mail-owner-removed-body =
    Staff have removed the account { $account } from the owners of the page { $handle }. It can no longer change the page and its games.

    If you did not expect this, write to us: { $contact }

    Your listings: { $page }
mail-game-moved-subject = A game belongs to another page now
mail-game-moved-body =
    Staff have moved the game { $title } from the page { $former } to the page { $handle }. Only the owners of that page can change it.

    If you did not expect this, write to us: { $contact }

    Your listings: { $page }
mail-event-moved-subject = An event belongs to another account now
mail-event-moved-body =
    Staff have moved the event { $title }. It belonged to: { $former }. It belongs now to: { $account }. Only that account can change it.

    If you did not expect this, write to us: { $contact }

    Your listings: { $page }
mail-report-held-subject = A report of your game is held
mail-report-held-body =
    The report { $report } of the game { $game } is on hold until our staff review it. The reason: { $reason }

    Until then, rates and figures still use the previous report. Check the numbers that your game sends; if they are right, there is nothing to do: { $page }
mail-report-counted-subject = A held report of your game counts
mail-report-counted-body =
    Staff have approved the report { $report } of the game { $game }: it counts now.

    You need not do anything. Your reports: { $page }
mail-report-rejected-subject = A held report of your game is rejected
mail-report-rejected-body =
    Staff have rejected the report { $report } of the game { $game }: it never counts. Their reason: { $reason }

    Correct what your game sends. Its next report is compared with the last one that counts: { $page }
mail-report-retracted-subject = A report of your game does not count any more
mail-report-retracted-body =
    Staff have retracted the report { $report } of the game { $game }: rates and figures are computed without it. Their reason: { $reason }

    Correct what your game sends. Its next report is compared with the last one that counts: { $page }
mail-webhooks-failed-subject = Webhooks could not be delivered
mail-webhooks-failed-body =
    Deliveries to { $url } that have failed since the last such e-mail: { $failed }. No attempt is left, and the last one was not answered with a 2xx status.

    Once your receiver works again, choose "Retry failed deliveries" on the page of the address, which shows each request and its answer: { $page }

    We send at most one such e-mail a day for each address. An address that keeps failing for days is disabled.
mail-webhook-off-subject = An address of your webhooks is disabled
mail-webhook-off-body =
    { $url } gets no more webhooks. { $reason }

    Once your receiver works again, resume the address on its page, and send the failed webhooks again. It shows each request and its answer: { $page }

reason-webhook-off-failures = Deliveries failed for days. Repair the endpoint, then resume it.
reason-webhook-off-gone = The endpoint answered 410 Gone.
