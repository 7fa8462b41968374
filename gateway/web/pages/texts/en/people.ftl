## People: sign-up, sign-in, and what a person may change

people-nav = You
people-docs = Developers
people-accounts = Accounts
people-sign-out = Sign out
docs-in-english = The documentation is in English.
docs-site = The site in English
sign-up-lead = We send a link to this address. There you choose a password; then you can list your games and use the API.
sign-up-rules = The rules for accounts:
sign-up-send = Send the link
sign-up-have = Already have an account?
mail-sent-title = Check your e-mail
mail-sent-to = We have sent an e-mail to
mail-sent-people-only = { $count ->
    [one] Many emails were requested from your network. If this address belongs to a profile, look for our email with a link from this hour. To sign up with a new address, try again in { $number } minute.
   *[other] Many emails were requested from your network. If this address belongs to a profile, look for our email with a link from this hour. To sign up with a new address, try again in { $number } minutes.
}
mail-sent-lifetime = The link in it works for { $value }, once.
mail-sent-none = No e-mail after a few minutes? Look in the spam folder, and for our other e-mails of this hour, whose links still work. Check the address:
mail-sent-again = send it again
lifetime-hour = an hour
lifetime-day = a day
lifetime-week = a week
reset-title = Forgotten password
reset-lead = We send a link that lets you choose a new one.
sign-in-to-add-game = To add your game, sign in. New here? Create an account first: the link is below.
sign-in-to-claim = To claim this page, sign in. New here? Create an account first: the link is below.
sign-in-wrong = The email address or the password is wrong, or there were too many attempts. Check both, or wait 15 minutes. You can also set a new password by email.
email-label = E-mail
email-invalid = Write an e-mail address such as ada@studio.example.
password-label = Password
password-new = New password
password-hint = At least 10 characters. A few unrelated words are good; a password manager is better.
password-short = Use at least { $from } characters: this has { $to }.
password-long = Use at most { $value } characters.
password-guessable = This is easy to guess: common passwords, names, dates and patterns are tried first. Add a few unrelated words.
password-wrong = This is not your password.
account-name-label = Name of your studio or project
account-name-hint = Your team and our staff see it.
account-name-empty = Fill in this field.
account-name-long = Use 120 characters or fewer.
account-name-control = Remove the control characters.
choose-password-title = Choose a password
choose-password-text = One step left: then you can list your games and use the API.
choose-password-button = Create the account
set-password-title = Set a new password
set-password-text = All your sessions end.
set-password-button = Set the password
join-title = Join { $value }
join-text = { $value } Choose a password to sign in with.
join-button = Join
invite-role-owner = You become an owner of the account.
invite-role-developer = You become a developer of the account.
invite-role-editor = You become an editor of the account.
the-account = the account
for-address = For
other-signed-in = { $from } is signed in here. The button signs { $from } out, and signs you in as { $to }.
change-address-title = Change your address
change-address-text = You sign in with { $value } from then on. Your other sessions end.
change-address-button = Change the address
other-person-title = For another person
other-person-invite = This invitation is for { $from }. You are signed in as { $to }.
other-person-email = Another person asked for the address { $from }. You are signed in as { $to }.
other-person-button = Sign out and go on
invitation-reason = Sign in as { $to } to join { $from }.
invitation-reason-moved = Sign in to join { $from }. The invitation was sent to { $to }, which was your address.
code-title = Code of your authenticator app
code-label = Code, or a recovery code
code-start-again = Start again
code-invalid = A code of the app has six digits, and a recovery code has 16 letters and digits.
code-wrong-wait = This code is wrong, or it was used before. Wait for the next one.
code-without-phone = Without your phone, type one of your recovery codes.
code-without-codes = If you have lost these too, write to us:
limit-attempts = { $count ->
    [one] Too many attempts. Try again in { $number } minute.
   *[other] Too many attempts. Try again in { $number } minutes.
}
limit-forms = { $count ->
    [one] Too many forms. Try again in { $number } minute.
   *[other] Too many forms. Try again in { $number } minutes.
}
limit-mails = { $count ->
    [one] Too many e-mails. Try again in { $number } minute.
   *[other] Too many e-mails. Try again in { $number } minutes.
}
limit-codes = { $count ->
    [one] Too many codes. Try again in { $number } minute.
   *[other] Too many codes. Try again in { $number } minutes.
}
fault-unavailable = A part of the site does not answer at the moment. Try again in a few seconds.
fault-closed = Everything is read-only for a while: nothing can be changed now. Try again later.
error-accounts = Your accounts
error-link-gone-title = This link does not work any more
error-link-gone = It was used before, it is too old, or it was withdrawn or replaced by a newer one. If it was an invitation, ask the person who invited you for another one.
error-link-used-title = This link is no longer needed
error-link-used-sign_up = Your account exists. Sign in with your email address and the password that you chose. If you have forgotten it, set a new one.
error-link-used-invite = The invitation was accepted. Sign in with the email address that it was sent to. If you have forgotten your password, set a new one.
error-link-used-reset = It has set your new password. Sign in with it, or ask for another link.
error-link-used-email = Your email address is changed. Sign in with the new one.
error-sign-in-again-title = Sign in again
error-sign-in-again = Your password, address or second factor was changed, or your sessions were ended, while you sent this form, and it was not processed. Sign in again.
error-signed-out-title = You are signed out
error-signed-out = Your session has ended, and the form was not processed. Sign in, then submit it again.
error-other-person-title = Another person is signed in
error-other-person = Another person opened this form. This browser is now signed in as { $value }, so the form was not processed and nothing was changed. Open the page again to act as { $value }, or sign out and sign in as the other person.
error-address-taken-title = This address is taken
error-address-taken = Another person has this address. Sign in as that person, or choose another address.
error-form-kept = This page has kept what you typed.
error-form-kept-secrets = This page has kept what you typed, without passwords and codes.
error-sign-in-tab = Sign in as the same person in another tab
error-then-back = { "," } then come back here.
error-send-again = Send it again

## Parts of pages, and errors

errors-heading = { $count ->
    [one] There is an error
   *[other] There are { $number } errors
}
errors-title = { $count ->
    [one] Error:
   *[other] { $number } errors:
}
mail-folder = This is a local fleet: e-mails are files in

date-day-utc = { $value } (UTC)
agent-on = { $from } on { $to }
agent-unknown = unknown browser

error-unreadable-title = Unreadable form
error-unreadable = The form could not be read. Open the page again, and send it from there.
error-closed-title = Closed
error-service-title = That did not work
error-service = The site could not do this (code { $value }).

accounts-full-title = Too many accounts
accounts-full = You belong to { $value } accounts already, which is the most. Leave one of them, then try again.
