## The frame of an account: today, team, activity, settings, calls

account-unnamed = Account
account-nav-today = Today
account-nav-keys = Keys
account-nav-usage = Usage
account-nav-requests = Requests
account-nav-webhooks = Webhooks
account-nav-listings = Listings
account-nav-economy = Economy
account-nav-team = Team
account-nav-activity = Activity
account-paused = New games and events are not accepted for a while. What is listed can still be changed.

## Roles, and what people did in an account

team-role-owner = owner
team-role-developer = developer
team-role-editor = editor
did-account_created = created the account
did-account_changed = changed the name of the account: { $value }
did-account_closed = closed the account
did-key_created = created the key { $value }
did-key_asked = requested the live key { $value }
did-key_request_withdrawn = withdrew the request for the live key { $value }
did-key_revealed = revealed the key { $value }
did-key_rotated = rotated the key { $value }
did-key_revoked = revoked the key { $value }
did-webhook_added = added a webhook at { $value }
did-webhook_changed = changed the webhook at { $value }
did-webhook_paused = paused the webhook at { $value }
did-webhook_resumed = resumed the webhook at { $value }
did-webhook_secret_rotated = created a new signing secret for { $value }
did-webhook_secret_switched = switched to the new signing secret of { $value }
did-webhook_removed = removed the webhook at { $value }
did-webhook_tested = sent the test event { $value }
did-webhook_sent_again = sent a delivery again to { $value }
did-webhook_recovered = sent failed deliveries again to { $value }
did-invited = invited { $value }
did-invite_withdrawn = withdrew the invitation of { $value }
did-joined = joined as { $value }
did-role_changed = changed a role: { $value }
did-member_removed = removed { $value }
did-left = left the team
did-listing_submitted = submitted { $value }
did-listing_changed = changed { $value }
did-listing_withdrawn = withdrew { $value }
did-listing_taken_down = took { $value } down
did-pictures_changed = changed the pictures of { $value }
did-page_claimed = claimed the page { $value }
did-claim_withdrawn = withdrew the claim of the page { $value }
did-key_approved = approved the live key { $value }
did-key_rejected = rejected the live key { $value }
did-listing_approved = approved { $value }
did-listing_rejected = rejected { $value }
did-listing_removed = took { $value } down
did-listing_restored = restored { $value }
did-claim_granted = granted the claim of the page { $value }
did-claim_rejected = rejected the claim of the page { $value }
did-owner_added = added an owner to the page { $value }
did-owner_removed = removed an owner of the page { $value }
did-game_moved = moved { $value } to another page
did-event_moved = moved { $value } to another account
did-currency_named = named the currency of { $value }
activity-staff = Staff

## Notices after forms

done-listing-submitted = Thank you. We review it before it goes public.
done-listing-changed = The change is saved.
done-listing-withdrawn = Withdrawn. You can edit it at any time to resubmit it.
done-listing-taken-down = Taken down. It is no longer on the site.
done-claim-withdrawn = The claim is withdrawn.
done-page-claimed = Staff have your claim. Their answer appears here.
done-pictures-changed = The pictures are changed.
done-pictures-changed-unsaved = The picture is changed. The order and the texts of the screenshots are not saved yet.
done-currency-named = The name of the currency is saved.

## Errors

error-role-title = Your role does not allow this
error-role-read = This needs a member of the account. Ask an owner to change your role.
error-role-develop = This needs an owner or a developer of the account. Ask an owner to change your role.
error-role-edit = This needs an owner or an editor of the account. Ask an owner to change your role.
error-role-manage = This needs an owner of the account. Ask an owner to change your role.

## The start page of an account

today-part-keys = keys and calls
today-part-webhooks = webhooks
today-part-listings = listings
today-part-reports = reports of games
today-for-you = Waiting for you
today-for-staff = Waiting for staff
today-lately = Lately
today-delivered = Webhooks: delivered to { $value }
today-staff = Staff { $value }
today-not-delivered = Webhooks: not delivered to { $value }
today-api-title = Use the API
today-api = Read games, creators, events and rankings from a program. A test key is free and instant, and reads sample data.
today-first-key = Create the first key
today-list-title = List your game
today-list = A listing is free. We review it before it goes public.
today-first-game = Submit a game
today-live-key = The live key { $value }
today-live-key-since = Requested { $value }. Test keys work meanwhile.
today-live-key-approved = The live key { $value } is approved
today-live-key-reveal = Reveal it once, and copy it then.
today-live-key-rejected = The live key { $value } was rejected
today-listing-waits = It waits for its review. You can change it meanwhile.
today-listing-rejected = { $value } was rejected
today-report = A report of { $value }
today-report-held = Sent { $from }. { $to }
today-address-off = { $value } is disabled

## Accounts of a person, and the settings of one

accounts-name = Name of the account
accounts-form-old = Open the page again, and send the form from there.
accounts-most = You are an owner of { $value } accounts already, which is the most.
settings-name = Name
settings-close-members = The account has other people: remove them first, or leave the account to them.
settings-close-keys = The account has keys that work: revoke them first.
settings-close-webhooks = The account has webhooks: remove them first.
settings-close-listings = The account has pages, games or events. Take them down first, or make somebody else an owner and leave.

## The team of an account, and its activity

team-seen-somebody = A former member
team-seen-rotate = Rotate { $value }
team-seen-revoke = Revoke { $value }
team-seen-webhook = Create a new signing secret for { $value }
team-is-member = This person is in the team already.
team-most = A team has at most { $value } people and invitations.
team-choose-role = Choose a role.
team-last-owner = An account keeps at least one owner: make another person an owner first.

## What a person may change

email-new = New address
email-own = This is your address already.
password-own = Your password
password-current = Current password
code-wrong = This code is wrong, or it was used before.
you-codes-left = { $count ->
    [one] { $number } recovery code left
   *[other] { $number } recovery codes left
}
you-change-password = Change password
you-change-email = Change e-mail
you-language = Language of e-mails
you-mails = E-mails
you-notices = Tell me about decisions on keys, listings, claims and reports, webhooks that cannot be delivered, my removal from a team, and sign-ins in a new browser
you-save = Save
password-change-button = Change the password
password-change-text = Your other sessions end.
email-change-text = We send a link to the new address. Your address changes when you open it and press its button; the old address is informed.
email-change-button = Send the link
totp-code = Code
totp-no-code = The app shows a code of six digits. Type that one.
totp-wrong = This code is wrong. Check the clock of your phone, and type the code that the app shows now.
totp-off-title = Turn the second factor off
totp-off-text = Your password alone signs you in afterwards.
totp-off-button = Turn it off
codes-on = The second factor is on.
codes-replaced = Your earlier recovery codes do not work any more.
codes-new-title = New recovery codes
codes-new-text = Your earlier recovery codes stop working. The second factor stays as it is.
codes-new-button = Create new codes
delete-title = Delete your profile
delete-goes = This is deleted: your address, password and second factor, your sessions, and your membership of accounts.
delete-accounts = In an account of which you are the only member, every key is revoked, every request for a key and every claim of a page is withdrawn, every webhook is removed, and nobody can open it any more.
delete-stays = This stays: what the account has published, which belongs to its pages, and the activity of its team and your own with your address, for a year.
delete-names = The name of the account stays as well: the record of changes and the history of its listings refer to the account, and staff see by the name whose it was. If your own name should not stay, change the name under `Settings` of the account before you delete your profile; the activity keeps the earlier one for a year.
delete-button = Delete my profile
delete-last-owner = You are the last owner of an account with other members. Make one of them an owner first, on its page `Team`.
delete-members-changed = The members of one of your accounts have just changed. Send the form again.
done-password = The password is changed, and your other sessions have ended.
done-email = The address is changed, and your other sessions have ended.
done-email-sent = We have sent an e-mail to the new address. The link in it works for an hour.
done-totp-was-on = The second factor is on already. If you have not seen its recovery codes, create new ones.
done-totp-off = The second factor is off, and your other sessions have ended.
done-session = The session has ended.
done-sessions = All other sessions have ended.
done-settings = Language and e-mails are saved.
