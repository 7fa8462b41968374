## The frame of an account: today, team, activity, settings, calls

account-unnamed = Account
account-switch = Switch account
account-all = All accounts
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
api-call-same = Same in the API
api-call-colon = { $value }:
api-call-copy = Copy the call { $value }

## Parts of forms and tables

errors-heading = { $count ->
    [one] There is an error
   *[other] There are { $number } errors
}
errors-title = { $count ->
    [one] Error:
   *[other] { $number } errors:
}
changes-label = Changes
changes-field = Field
changes-before = Before
changes-after = After
changes-empty = empty
image-elsewhere = On another site:
mail-folder = This is a local fleet: e-mails are files in

## Times

date-day-utc = { $value } (UTC)
left-days = { $count ->
    [one] { $number } day
   *[other] { $number } days
}
left-hours = { $count ->
    [one] { $number } hour
   *[other] { $number } hours
}
left-minutes = { $count ->
    [one] { $number } minute
   *[other] { $number } minutes
}
left-two-units = { $from } { $to }
short-left-day = d
short-left-none = no time
grace-left = { " " }left, until { $value }

## Roles, and what people did in an account

team-role-owner = owner
team-role-developer = developer
team-role-editor = editor
did-account_created = created the account
did-account_changed = changed the name or address of the account: { $value }
did-key_created = created the key { $value }
did-key_asked = requested the live key { $value }
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
did-webhook_test_sent = sent a test event to { $value }
did-webhook_sent_again = sent a delivery again to { $value }
did-webhook_recovered = sent failed deliveries again to { $value }
did-webhook_checked = checked the receiver at { $value }
did-invited = invited { $value }
did-invite_withdrawn = withdrew the invitation of { $value }
did-joined = joined as { $value }
did-role_changed = changed a role: { $value }
did-member_removed = removed { $value }
did-left = left the team
did-listing_submitted = submitted { $value }
did-listing_changed = changed { $value }
did-listing_withdrawn = withdrew { $value }
did-pictures_changed = changed the pictures of { $value }
did-takedown_asked = requested the removal of { $value }
did-correction_done = marked a correction for { $value } as done
did-correction_dismissed = dismissed a correction for { $value }
did-page_claimed = claimed the page { $value }
did-listing_approved = approved { $value }
did-listing_rejected = rejected { $value }
did-listing_removed = took { $value } down
did-takedown_declined = declined to take { $value } down
did-claim_granted = granted the claim of the page { $value }
did-claim_rejected = rejected the claim of the page { $value }
did-currency_named = named the currency of { $value }
activity-staff = Staff
agent-on = { $from } on { $to }
agent-unknown = unknown browser

## Notices after forms

done-listing-submitted = Thank you. We review it before it goes public.
done-listing-without-cover = The game is submitted, without its cover: see below what is wrong with the file.
done-listing-changed = The change is saved.
done-listing-withdrawn = Withdrawn: it has left the review queue.
done-takedown-asked = Staff have your request. Their answer appears here.
done-note-closed = The correction is closed.
done-page-claimed = Staff have your claim. Their answer appears here.
done-pictures-changed = The pictures are changed.
done-currency-named = The name is valid from now on.

## Errors

error-role-title = Your role does not allow this
error-role-read = This needs a member of the account. Ask an owner to change your role.
error-role-develop = This needs an owner or a developer of the account. Ask an owner to change your role.
error-role-edit = This needs an owner or an editor of the account. Ask an owner to change your role.
error-role-manage = This needs an owner of the account. Ask an owner to change your role.
error-no-page-title = Not found
error-no-page = There is no such page, or it belongs to an account that you are not in.
error-unreadable-title = Unreadable form
error-unreadable = The form could not be read. Open the page again, and send it from there.
error-closed-title = Closed
error-too-many = { $count ->
    [one] Too many pages in a minute. Try again in { $number } second.
   *[other] Too many pages in a minute. Try again in { $number } seconds.
}
error-sent-twice-title = Sent twice
error-sent-twice = This form was sent before, and its outcome is not known. Check whether it took effect before you send it again.
error-service-title = That did not work

## The start page of an account

today-title = Today, { $value }
today-missing = Not available now, because a service does not answer: { $value }. Load the page again in a moment.
today-part-keys = keys and calls
today-part-webhooks = webhooks
today-part-listings = listings
today-part-reports = reports of economies
today-part-team = the team
today-nothing = All done.
today-for-you = Waiting for you
today-failed = What failed
today-for-staff = Waiting for staff
today-api-title = Use the API
today-api = Read games, creators, events and rankings from a program. A test key is free and instant, and reads sample data.
today-first-key = Create the first key
today-first-call = Make the first call
today-first-webhook = Add a webhook
today-list-title = List your game
today-list = A listing is free. We review it before it goes public.
today-first-page = Submit or claim your page
today-first-game = Submit a game
today-first-cover = Add a cover
today-done = done
today-month = This month
today-calls = Calls this month with live keys:
today-of-limit = of { $from } ({ $to })
today-resets = The count begins again at { $value }.
today-share = Share of the month's calls
today-calls-missing = The calls of the month are not available now.
today-plan = Plan
today-usage = usage
today-plans = plans
today-keys = Working keys
today-role = Your role
today-changed = What changed
today-activity = All activity
today-settings = Change name or address
today-key-broken = The key { $value } does not work
today-live-key = The live key { $value }
today-live-key-since = Requested { $value }. Test keys work meanwhile.
today-live-key-approved = The live key { $value } is approved
today-live-key-reveal = Reveal it once, and copy it then.
today-live-key-rejected = The live key { $value } was rejected
today-listing-waits = It waits for its review. You can change it meanwhile.
today-listing-rejected = { $value } was rejected
today-claim = The claim of { $value }
today-claim-made = Made { $value }.
today-claim-rejected = The claim of { $value } was rejected
today-correction = A visitor suggests a correction for { $value }
today-correction-since = It waits since { $value }. Read it and close it.
today-invited = { $value } is invited and has not joined
today-invitation-ends = The invitation ends { $value }.
today-report-held = A report of { $value } is held
today-report-since = It waits for staff since { $value }.
today-address-off = { $value } is switched off
today-address-fails = Deliveries to { $value } fail
today-newest-delivery = The newest one

## Accounts of a person, and the settings of one

accounts-title = Accounts
accounts-empty = You do not belong to an account yet. Create one here, or ask the owner of one to invite you.
accounts-new = A new account
accounts-name = Name of the account
accounts-create = Create the account
accounts-form-old = Open the page again, and send the form from there.
accounts-most = You are an owner of { $value } accounts already, which is the most.
accounts-full-title = Too many accounts
accounts-full = You belong to { $value } accounts already, which is the most. Leave one of them, then try again.
accounts-made-before = This form has made the account { $value } already. If you want another account with this name, send it again.
settings-title = Name and address
settings-heading = Name and address of the account
settings-name = Name
settings-email = Contact address of the account
settings-email-hint = The address of a member of the team, by which our staff know the account.
settings-email-invalid = Use the address of a member of the team, who has confirmed it.

## The team of an account, and its activity

team-title = Team
team-members = Members
team-person = Person
team-role = Role
team-since = Since
team-change = Change
team-you = you
team-role-of = Role of { $value }
team-remove = Remove
team-remove-effect = { $value } leaves the team at once.
team-remove-yes = Yes, remove
team-remove-yes-person = Yes, remove { $value }
team-rules = An owner may do everything. A developer works with keys and webhooks, an editor with listings. An account keeps at least one owner.
team-leave = Leave the team
team-leave-effect = You no longer see this account. Only an owner can invite you again.
team-leave-yes = Yes, leave it
team-invited = Invited
team-until = until { $value }
team-withdraw = Withdraw
team-withdraw-person = Withdraw the invitation of { $value }
team-invite = Invite somebody
team-choose-developer = Developer
team-choose-developer-may = keys and webhooks
team-choose-editor = Editor
team-choose-editor-may = listings
team-choose-owner = Owner
team-choose-owner-may = everything, including the team
team-send = Send the invitation
team-is-member = This person is in the team already.
team-most = A team has at most { $value } people and invitations.
team-choose-role = Choose a role.
team-last-owner = An account keeps at least one owner: make another person an owner first.
team-activity-title = Activity
team-activity-lead = Who did what in the last year, from where.
team-activity-empty = Nothing yet: keys, team changes and settings appear here as they happen.
team-activity-who = Who
team-activity-with = With
