# The texts of the public site in English. Every key is in fr.ftl too; a test compares the files with each other and with the pages.

## The frame of all pages

skip = Skip to the content
nav-label = Pages
nav-games = Games
nav-creators = Creators
nav-events = Events
nav-places = Places
nav-you-label = Your account
nav-docs = Docs
nav-sign-in = Sign in
nav-add-game = Add your game
search-label = Search games, creators, events and cities
search-placeholder = A game, a studio, a city…
search-button = Search
footer-label = About this site
footer-credits = Credits and sources
footer-boards = How rankings and rates work
footer-terms = Terms
footer-privacy = Privacy
footer-developers = For developers
footer-design = How this site looks
language-label = Language
sample-notice = This listing is made up: it belongs to the sample data that test keys read.
api-same = The API has the same:

## Start page

start-title = Games of Africa
start-lead = Games from all over Africa, the people who make them, and the events where they meet.
start-featured = Games of the day
start-vote = Two games, one choice. The rankings come from what players pick.
start-all-games = All games
start-events = Next events
start-all-events = All events
start-developers-title = For developers and studios
start-developers = The same catalogue is an API, with exchange rates between the currencies of games and signed webhooks. Studios list and change their games here. Test keys are free and instant.
start-sign-up = Create an account
start-docs = Read the documentation
start-first-call = The first call
notice-signed-out = You are signed out.
notice-deleted = Your profile is deleted. Goodbye.

## Lists

list-show = Show
list-any = Any
# With a feminine noun.
list-any-feminine = Any
list-next = Next page
list-first = First page
list-empty = Nothing is listed here yet.
list-empty-filtered = Nothing matches these filters.
list-all = Show all
list-follow = Follow this list:
feed-games = New games (feed)
feed-games-title = New games
feed-events = Next events (feed)
feed-calendar = Events for your calendar
games-title = Games
games-description = Games made in Africa, by genre, platform, country and stage.
games-count = { $count ->
    [one] { $number } game
   *[other] { $number } games
}
creators-title = Creators
creators-description = The studios and people who make games in Africa.
creators-count = { $count ->
    [one] { $number } creator
   *[other] { $number } creators
}
events-title = Events
events-description = Game jams, meetups, tournaments, showcases and conferences in Africa.
events-in = Events in { $value }
events-count = { $count ->
    [one] { $number } event
   *[other] { $number } events
}
countries-title = Places
countries-count = { $count ->
    [one] { $number } country
   *[other] { $number } countries
}
countries-description = The countries and cities of Africa where games are made.
cities-title = Cities
cities-description = The African cities where games are made.
cities-count = { $count ->
    [one] { $number } city
   *[other] { $number } cities
}
place-description = Games, studios, people and events in { $value }.
place-nobody = Nothing from here is listed yet.

## Filters

filter-label = Filters
filter-genre = Genre
filter-platform = Platform
filter-country = Country
filter-stage = Stage
filter-kind = Kind
filter-when = When

## A game

game-by = by
game-genres = Genres
game-platforms = Platforms
game-stage = Stage
game-year = Year
game-place = From
game-currency = Currency
game-currency-late = its reports are late
game-featured = Featured
game-trailer = Watch the trailer on { $value }
game-trailer-hint = Nothing is loaded from there before you follow the link.
game-about = About the game
game-pictures = Pictures
game-links = Links
game-credits = Credits
game-boards = In the rankings
game-description = { $value }, a game from Africa.
game-listed = Listed
game-updated = Changed
board-week = This week
board-month = This month
board-all = All time
board-rank = rank { $value }
board-wins = { $count ->
    [one] { $number } win
   *[other] { $number } wins
}
board-new = new
board-up = up from { $value }
board-down = down from { $value }
board-same = no change

## Around a listing: where to play, what is missing, sharing, neighbours

game-stores = Where to play
game-ask-store = Know where to play it?
game-ask-description = Nobody has described this game yet. Got a description?
game-ask-site = Know the developer’s site?
game-ask-do = Suggest it
game-others = More by
game-similar = Similar games
creator-ask-links = Know their site?
share-title = Share and embed
share-copy-link = Copy the link
share-embed = To show the game on your own page, paste this:
share-copy-embed = Copy the code
share-copied = Copied
share-selected = Selected: press Ctrl+C
rank-on = { $from } on { $to }
rank-plot = Weekly rank: from { $from } to { $to }
board-share = won { $value } % of its votes
event-calendar = Add to my calendar

## Lists with filters, and the map

games-of-genre = { $value } games
list-on = { $from } for { $to }
list-from = { $from } from { $to }
list-in = { $from } in { $to }
list-by = { $from } by { $to }
list-that = { $from }, { $to }
list-matching = { $from } that match “{ $to }”
list-since = { $from } from { $to } on
list-until = { $from } until { $to }
list-description = { $value }, in the directory of games made in Africa.
filter-set = Active filters
filter-remove = Remove the filter
places-all = All places
places-countries = Countries
map-label = { $from }: { $to }
map-hint = The stronger a country’s colour, the more games come from it.

## A vote and what it did

vote-outcome = The two listings of your last vote
vote-outcome-hint = Your vote shows here within a few seconds.
vote-keys = Keys: ← votes for the first, → for the second, Esc skips.

## Currencies: examples and units

economy-example = An example: when a meal, a ride and a month of rent cost 25,500 Cowries in one game and 402 Shells in another, one Shell is worth 63.43 Cowries.
economy-guide = How a game sends its reports
rates-unit = { $to } for one { $from }

## A creator, an event, a place

creator-verified = Verified
creator-about = About
creator-roles = Roles
creator-description = { $value } makes games in Africa.
event-when = When
event-where = Where
event-online = online
event-online-too = { $value }, and online
event-website = Website of the event
event-about = About the event
event-over = This event is over.
event-description = { $value }. An event about games in Africa.

## What a visitor can do about a listing

actions-label = About this listing
action-claim = Claim this page
action-correct = Suggest a correction
action-report = Report this listing
action-takedown = Request removal
note-correct-title = Suggest a correction for { $value }
note-correct-lead = What is wrong or missing, and where can it be checked? The person who looks after the listing will read this. It is not shown on the site.
note-report-title = Report { $value }
note-report-lead = Someone reads every report. Neither the report nor its sender is shown on the site.
note-owner = Is it your own listing?
note-owner-link = Sign in, and ask for the takedown from your account.
note-reason-label = Reason
note-choose = Choose one
report-reason-rights = It infringes my rights: a game, a name, a picture or a trademark
report-reason-deception = It is misleading: fraud, malware, or a false name
report-reason-offence = It is offensive or harmful
report-reason-not_a_game = It does not belong here
report-reason-other = Something else
note-text-label = What is wrong?
note-email-label = Your e-mail address
note-email-hint = Only so that the people who read this can ask you something. It is deleted after 90 days.
note-optional = optional
note-send = Send
note-back = Back to { $value }
note-sent = Thank you. Someone will read it.
note-duplicate = The same note about this listing was sent from your network today, so it was not stored again.
note-reason-error = Choose a reason.
note-text-error = Write what is wrong, in at most 2,000 characters.
note-email-error = Write an e-mail address such as ada@studio.example, or leave it out.
note-form-error = Part of the form was lost. Send it again.
note-limit = { $count ->
    [one] Many notes came from your network within an hour. Send this one again in { $number } minute.
   *[other] Many notes came from your network within an hour. Send this one again in { $number } minutes.
}
note-closed = The site is under maintenance and accepts no notes for a while. Try again later.
note-unavailable = What you wrote could not be stored. Send it again in a few seconds.
## Votes and boards

nav-vote = Vote
nav-economy = Currencies
nav-boards = Rankings
vote-title-games = Which game is better?
vote-title-creators = Who makes better games?
vote-description = Two listings, drawn at random: pick one or skip. The rankings come from these votes.
vote-for = Vote for { $value }
vote-skip = Skip this pair
vote-page-of = See its page
vote-counted = Your vote is counted. Here is the next pair.
vote-repeated = A pair counts once a day, and your first vote on that one stays. Here is the next pair.
vote-refused = That vote was not counted: the pair was drawn more than ten minutes ago, or for somebody else, or one of the two is not listed any more. Here is a new pair.
vote-unknown = That vote was not counted, because your browser sent no cookie of ours. Allow cookies for this site, and vote on this new pair.
vote-closed = That vote was not counted: everything is read-only for a while. Try again later.
vote-none-left = There are no pairs left for you today. Come back tomorrow (UTC), or vote on the other kind.
vote-limit = That vote was not counted. The number of votes per hour and per day is limited, for each person and for each network from which people vote without an account.
vote-again-minutes = { $count ->
    [one] Try again in { $number } minute.
   *[other] Try again in { $number } minutes.
}
vote-again-hours = { $count ->
    [one] Try again in { $number } hour.
   *[other] Try again in { $number } hours.
}
vote-moved = How the rankings moved
vote-moved-hint = Where the listings of your last five votes stand. A vote shows within a few seconds.
vote-no-rank = Not ranked yet.
vote-board = This week’s ranking
vote-as-account = You vote as { $value }.
vote-your-account = your account
vote-as-cookie = You vote without an account; a cookie makes sure that each pair counts once.
boards-title = Rankings
boards-description = Games and creators, ranked by votes between two of them.
boards-how = How rankings work
boards-vote = Vote: which is better?
boards-empty = No votes in this period yet. Be the first to vote.

## Currencies and rates

economy-title = In-game currencies
economy-lead = Many games have a currency of their own. Their reports lead to exchange rates, which nobody sets by hand.
economy-how = How rankings and rates work
economy-empty = No currency is listed yet. A studio registers the currency of its game in the dashboard, and the game reports.
economy-away = The rates are not available at the moment. Try again in a few seconds.
economy-from = Rates from the currency of
economy-count = { $count ->
    [one] { $number } currency
   *[other] { $number } currencies
}
economy-of = Currency of
economy-reported = reported { $value }
economy-late = late
economy-late-hint = The game has not reported for a while, so its figures and rates may be old.
economy-description = { $value }, the currency of a game, with its rates.
figure-reported = Last report
figure-supply = Supply
figure-players = Active players
figure-basket = Cost of living (a month)
figure-inflation = Inflation
figure-growth = Growth
figure-money-growth = Growth of the supply
figure-balance = Trade balance over 30 days
rates-title = Rates now
rates-lead = What one { $value } buys.
rates-empty = No other currency is listed here, so there is nothing to compare with.
rates-of = Currency
rates-rate = Rate
rates-day = Change in 24 hours
rates-source = Source
rates-at = As of
rate-source-worked = calculated
rate-source-market = market
pair-title = { $from } in { $to }
pair-name = { $from } of { $to }
pair-description = How many { $to } one { $from } buys, over time.
pair-late = The game of { $value } has not reported for a while, so the rate may be old.
pair-empty = There is no rate for these days yet.
pair-days = { $count ->
    [one] The last day
   *[other] The last { $number } days
}
plot-hint = The table below has the same figures.
method-title = The method of rates
method-lead = The formulas and numbers with which rates and figures are worked out.
method-version = Version { $value }; it changes when the same reports would lead to other figures.
method-formulas = Formulas
method-constants = Numbers
method-sources = Sources
formula-cost = What a month of living costs in a game: a basket of fixed quantities.
formula-worked = What one unit of the one currency buys in the other, by equal baskets. Calculated rates are reciprocal, and lead to the same result by any detour.
formula-market = Over both directions of the pair’s swaps in 24 hours, where there were enough of them by enough parties; else the rate is calculated.
formula-day_change_pct = Null when one of the two had no counted report by then.
formula-inflation_pct = Null without a counted report before.
formula-money_growth_pct = Null without a counted report before, or when its supply was 0.
formula-growth_pct = The output of a day, each report over the time since the game’s report before it, whether that one counts or not; compared with the counted report before. Null for the first two counted reports, or when the earlier output was 0.
formula-trade_balance = Somebody gives in 100 cowries and gets 50 beads, and later gives in 30 beads and gets 60 cowries: the balance of cowries is 100 − 60 = 40, that of beads 30 − 50 = −20.
constant-market_swaps = Swaps of a pair in 24 hours that make a market.
constant-market_parties = Parties to them, at least.
constant-most_jump_pct = A report whose cost has moved by more, up or down, is held for a review.
constant-late_days = A currency is late after so many days without a counted report.
constant-digits = Significant digits of a printed number; it is exact until then, and rounded half to even.
method-words = Where a rate comes from
method-worked = Calculated: the cost of a basket of goods in the one game, divided by its cost in the other.
method-market = Market: the average of what players exchanged in the last 24 hours, where there were enough exchanges by enough people.

## Search

search-title = Search
search-results-for = Results for “{ $value }”
search-count = { $count ->
    [0] Nothing found
    [one] { $number } result
   *[other] { $number } results
}
search-hint = Try fewer or different words.
search-similar = Nothing is called exactly that. These are similar.
search-did-you-mean = Did you mean
search-question-mark = ?
nav-kind-games = Games
nav-kind-creators = Creators
nav-kind-events = Events
nav-kind-cities = Cities
search-type-games = Game
search-type-creators = Creator
search-type-events = Event
search-type-cities = City
search-all = Everything

## Errors

error-not-found-title = Page not found
error-not-found = The address may have a typing error, or its listing is no longer here. Search for it, or start from a list.
error-embed-not-found = This game is not listed any more, or the address of the frame has a typing error.
error-invalid-title = This address does not work
error-invalid = It contains a filter or a place in a list that does not exist, or no longer exists. Start from the first page.
error-limit-title = Slow down
error-limit = { $count ->
    [one] Too many pages were asked for from your network in a minute. Try again in { $number } second. A program should use the API, which has limits of its own.
   *[other] Too many pages were asked for from your network in a minute. Try again in { $number } seconds. A program should use the API, which has limits of its own.
}
error-unavailable-title = Not available now
error-unavailable = The catalogue does not answer at the moment. Try again in a few seconds.
error-refused-title = Request refused
error-refused = This address cannot do what was asked. Start from a page of the site.
error-too-large-title = Too much text
error-too-large = The form contains more text than is allowed, so nothing was stored. Go back, shorten it, and send it again.
error-coded-title = Compressed form
error-coded = The form has the Content-Encoding “{ $value }”, and forms are read as they are. Send it uncompressed, without the header.
error-method-title = Wrong kind of request
error-method = This address answers another kind of request. Open the page with the form, and send it from there.
error-cross-site-title = Sent from another site
error-cross-site = This form was sent from another site, so nothing was done. Open the page here and send it again.
error-slow-title = This took too long
error-slow = The request was stopped. Check whether it took effect before you send it again.
error-internal-title = Something went wrong
error-internal = Something broke on our side. It is in our log under the id below.
error-ways = From here
error-request-id = Request id:
error-start = Start page

## Values of fields

stage-in_development = In development
stage-early_access = Early access
stage-released = Released
platform-web = Web
platform-android = Android
platform-ios = iOS
platform-windows = Windows
platform-mac = macOS
platform-linux = Linux
platform-switch = Nintendo Switch
platform-playstation = PlayStation
platform-xbox = Xbox
platform-vr = VR
creator-kind-studio = Studio
creator-kind-person = Person
creators-kind-studio = Studios
creators-kind-person = People
event-kind-jam = Game jam
event-kind-meetup = Meetup
event-kind-tournament = Tournament
event-kind-showcase = Showcase
event-kind-conference = Conference
when-upcoming = Upcoming
when-past = Past
when-all = All
link-play = Play
link-steam = Steam
link-playStore = Google Play
link-appStore = App Store
link-itch = itch.io
link-epic = Epic Games Store
link-xbox = Xbox
link-playstation = PlayStation
link-nintendo = Nintendo
link-website = Website
link-facebook = Facebook
link-instagram = Instagram
link-x = X
link-youtube = YouTube

## Dates

date-day = { $day } { $month } { $year }
date-days-of-month = { $day }–{ $last_day } { $month } { $year }
date-minute = { $day }, { $time } UTC
date-range = { $from } – { $to }
month-1 = January
month-2 = February
month-3 = March
month-4 = April
month-5 = May
month-6 = June
month-7 = July
month-8 = August
month-9 = September
month-10 = October
month-11 = November
month-12 = December

## Genres of the directory; others have the name that the catalogue gives

genre-action = Action
genre-adventure = Adventure
genre-arcade = Arcade
genre-board = Board
genre-card = Card
genre-casual = Casual
genre-educational = Educational
genre-fighting = Fighting
genre-horror = Horror
genre-music = Music
genre-party = Party
genre-platformer = Platformer
genre-puzzle = Puzzle
genre-racing = Racing
genre-roguelike = Roguelike
genre-rpg = Role-playing
genre-runner = Runner
genre-shooter = Shooter
genre-simulation = Simulation
genre-sports = Sports
genre-strategy = Strategy
genre-visual-novel = Visual novel

## Roles of the directory; others are shown as they are

role-artist = Artist
role-community = Community
role-designer = Designer
role-developer = Developer
role-educational = Educational games
role-founder = Founder
role-mobile = Mobile games
role-producer = Producer
role-programmer = Programmer
role-publisher = Publisher
role-serious-games = Serious games
role-web = Web games
role-xr = VR and AR
role-composer = Composer

## Countries

country-AO = Angola
country-BF = Burkina Faso
country-BI = Burundi
country-BJ = Benin
country-BW = Botswana
country-CD = DR Congo
country-CF = Central African Republic
country-CG = Republic of the Congo
country-CI = Côte d’Ivoire
country-CM = Cameroon
country-CV = Cabo Verde
country-DJ = Djibouti
country-DZ = Algeria
country-EG = Egypt
country-ER = Eritrea
country-ET = Ethiopia
country-GA = Gabon
country-GH = Ghana
country-GM = Gambia
country-GN = Guinea
country-GQ = Equatorial Guinea
country-GW = Guinea-Bissau
country-KE = Kenya
country-KM = Comoros
country-LR = Liberia
country-LS = Lesotho
country-LY = Libya
country-MA = Morocco
country-MG = Madagascar
country-ML = Mali
country-MR = Mauritania
country-MU = Mauritius
country-MW = Malawi
country-MZ = Mozambique
country-NA = Namibia
country-NE = Niger
country-NG = Nigeria
country-RW = Rwanda
country-SC = Seychelles
country-SD = Sudan
country-SL = Sierra Leone
country-SN = Senegal
country-SO = Somalia
country-SS = South Sudan
country-ST = São Tomé and Príncipe
country-SZ = Eswatini
country-TD = Chad
country-TG = Togo
country-TN = Tunisia
country-TZ = Tanzania
country-UG = Uganda
country-ZA = South Africa
country-ZM = Zambia
country-ZW = Zimbabwe

## People: sign-up, sign-in, and what a person may change

people-nav = You
people-docs = Docs
people-accounts = Accounts
people-sign-out = Sign out
people-back = Back
people-copy = Copy
dashboard-in-english = The dashboard and the documentation are in English.
sign-up-lead = We send a link to this address. It leads to your password and your first key.
sign-up-send = Send the link
sign-up-have = Already have an account?
mail-sent-title = Check your e-mail
mail-sent-to = We have sent an e-mail to
mail-sent-lifetime = The link in it works for { $value }, once.
mail-sent-none = No e-mail after a few minutes? Look in the spam folder, and check the address:
mail-sent-again = send it again
lifetime-hour = an hour
lifetime-day = a day
lifetime-week = a week
reset-title = Forgotten password
reset-lead = We send a link that lets you choose a new one.
sign-in-wrong = The address or the password is wrong.
sign-in-or-reset = { $value } You can also set a new password.
email-label = E-mail
email-new = New address
email-invalid = Write an e-mail address such as ada@studio.example.
email-own = This is your address already.
password-label = Password
password-own = Your password
password-current = Current password
password-new = New password
password-hint = At least 10 characters. A few unrelated words are good; a password manager is better.
password-short = Use at least { $from } characters: this has { $to }.
password-long = Use at most { $value } characters.
password-guessable = This is easy to guess: common passwords, names, dates and patterns are tried first. Add a few unrelated words.
password-wrong = This is not your password.
account-name-label = Name of your studio or project
account-name-hint = Your team and our staff see it.
account-name-empty = Write a name. You can change it later.
account-name-long = Use 120 characters or fewer.
account-name-control = Remove the control characters.
choose-password-title = Choose a password
choose-password-text = One step left: then you create your first key.
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
code-wrong = This code is wrong, or it was used before.
code-wrong-wait = This code is wrong, or it was used before. Wait for the next one.
code-without-phone = Without your phone, type one of your recovery codes. Without these:
code-lost-link = I have lost my phone and my codes
lost-title = Lost phone and recovery codes
lost-text = We send a link to { $value }. When you press the button on its page, you and every owner of your accounts get an e-mail. If nobody objects within a day, the second factor ends, and your password alone signs you in.
lost-button = Send the link
lost-link-title = End the second factor
lost-link-text = You and every owner of your accounts get an e-mail with a link that stops this. If nobody uses it within a day, the second factor of { $value } ends, and the password alone is enough to sign in.
lost-link-button = End it in a day
lost-begun-title = The second factor ends in a day
lost-begun-text = It ends on { $value }, unless somebody stops it by the link in our e-mail, or a code is used to sign in before.
stop-title = Keep the second factor
stop-text = Somebody asked to end the second factor of { $value }. The button stops that.
stop-button = Keep it
stopped-title = The second factor stays
stopped-text = We have told { $value }. The person who asked knew the password, so set a new one.
you-factor = Second factor
you-on = on
you-off = off
you-codes-left = { $count ->
    [one] { $number } recovery code left
   *[other] { $number } recovery codes left
}
you-change-password = Change password
you-change-email = Change e-mail
you-accounts = Your accounts
you-another-account = Another account
you-settings = Language and e-mails
you-language = Language of your pages and e-mails
you-mails = Send me e-mails about
you-mails-always = E-mails about your password, your address and your second factor are always sent.
you-save = Save
notice-kind-keys = decisions about live keys
notice-kind-listings = decisions about listings
notice-kind-claims = decisions about claims of pages
notice-kind-takedowns = listings that are taken down
notice-kind-reports = reports of an economy that are held
notice-kind-team = my removal from a team
notice-kind-sign_ins = sign-ins from a new network
you-sessions = Sessions
you-browser = Browser
you-address = Address
you-since = Since
you-seen = Last seen
you-action = Action
you-this-one = this one
you-end = End
you-end-since = End the session since { $value }
you-end-others = End all others
you-activity = Activity
you-activity-link = What you did
you-activity-text = { ":" } when you signed in, and what you changed, in the last year.
you-leave = Leave
you-delete-text = { ":" } the page says what goes and what stays.
activity-title = Your activity
activity-lead = When you signed in, and changes of your password, address, second factor and sessions, from where. Entries are kept for a year. Something that was not you?
activity-password = Change the password
activity-password-effect = { ":" } that ends all other sessions.
activity-empty = Nothing yet: what you do appears here as it happens.
activity-time = Time
activity-what = What
activity-earlier = Earlier
did-signed_in = signed in
did-password_changed = changed the password
did-password_reset = set a new password with a link
did-email_change_asked = asked for another address
did-email_changed = changed the address
did-totp_on = turned the second factor on
did-totp_off = turned the second factor off
did-recovery_codes_made = created new recovery codes
did-totp_end_asked = asked to end the second factor, without phone and codes
did-totp_end_stopped = the end of the second factor was stopped
did-totp_ended = the second factor ended a day after it was asked for
did-sessions_ended = ended all other sessions
did-person_deleted = deleted the profile
password-change-text = Your other sessions end.
email-change-text = We send a link to the new address. Your address changes when you open it and press its button; the old address is informed.
totp-title = Set up an authenticator app
totp-scan = Scan this with your app, or type the secret.
totp-type = Type the code that the app shows, and your password.
totp-secret = Secret:
totp-code = Code
totp-button = Turn it on
totp-no-code = The app shows a code of six digits. Type that one.
totp-wrong = This code is wrong. Check the clock of your phone, and type the code that the app shows now.
totp-off-title = Turn the second factor off
totp-off-text = Your password alone signs you in afterwards.
totp-off-button = Turn it off
codes-title = Recovery codes
codes-on = The second factor is on.
codes-replaced = Your earlier recovery codes do not work any more.
codes-text = Each of these codes signs you in once when your app is gone. Store them now: they are not shown again.
codes-stored = I have stored them
codes-new-title = New recovery codes
codes-new-text = Your earlier recovery codes stop working. The second factor stays as it is.
codes-new-button = Create new codes
delete-title = Delete your profile
delete-goes = This is deleted: your address, password and second factor, your sessions, and your membership of accounts.
delete-accounts = In an account of which you are the only member, every token and every key is revoked, every request for a key is withdrawn, every webhook is removed, and nobody can open it any more. In the others, the tokens that you created are revoked.
delete-stays = This stays: what the account has published, which belongs to its pages, and the activity of its team and your own with your address, for a year.
delete-button = Delete my profile
delete-last-owner = You are the last owner of an account with other members. Make one of them an owner first, on its page `Team`.
delete-members-changed = The members of one of your accounts have just changed. Send the form again.
limit-tries = { $count ->
    [one] Too many tries. Try again in { $number } minute.
   *[other] Too many tries. Try again in { $number } minutes.
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
fault-sent-before = This form was already sent with other values, and it takes effect once. If you mean the values that you see here as well, send it again.
error-accounts = Your accounts
error-look = Check it
error-link-gone-title = This link does not work any more
error-link-gone = It was used before, it is too old, or it was withdrawn or replaced by a newer one. If it was an invitation, ask the person who invited you for another one.
error-sign-in-again-title = Sign in again
error-sign-in-again = Your password, address or second factor was changed meanwhile, or your sessions were ended, so nothing was done. Sign in again.
error-signed-out-title = You are signed out
error-signed-out = Your session has ended, so nothing was done. Sign in, and send it again.
error-address-taken-title = This address is taken
error-address-taken = Another person has this address. Sign in as that person, or choose another address.
error-form-kept = This page has kept what you typed.
error-form-kept-secrets = This page has kept what you typed, without passwords and codes.
error-sign-in-tab = Sign in as the same person in another tab
error-then-back = { "," } then come back here.
error-send-again = Send it again
done-password = The password is changed, and your other sessions have ended.
done-email = The address is changed, and your other sessions have ended.
done-email-sent = We have sent an e-mail to the new address. The link in it works for an hour.
done-totp-off = The second factor is off, and your other sessions have ended.
done-session = The session has ended.
done-sessions = All other sessions have ended.
done-settings = Language and e-mails are saved.

## Mails to people

mail-link-foot = The link works for { $value }, once. If you did not ask for it, ignore it: nothing happens until the button on its page is pressed.
mail-switch-foot = You can turn off e-mails of this kind: { $value }
mail-no-reason = none was given
mail-sign-up-subject = Create your account at Mchezo
mail-sign-up-body = Open this page to choose a password and create your first key:
mail-sign-up-exists-subject = You have an account at Mchezo
mail-sign-up-exists-body = Somebody wants to create an account with this address, which has one. Sign in with your password; if you have forgotten it, set a new one here:
mail-reset-subject = Set a new password at Mchezo
mail-reset-body = Open this page to set a new password:
mail-reset-nobody-subject = There is no account with this address at Mchezo
mail-reset-nobody-body = Somebody asked for a new password, but no account has this address. Perhaps you used another one. To create an account with this address, open this page:
mail-new-address-subject = Confirm your new address
mail-new-address-body = Open this page to sign in to Mchezo with this address from now on:
mail-invite-owner-subject = An invitation to Mchezo
mail-invite-owner-body = { $inviter } invites you to an account at Mchezo, as owner. Open this page to join:
mail-invite-developer-subject = An invitation to Mchezo
mail-invite-developer-body = { $inviter } invites you to an account at Mchezo, as developer. Open this page to join:
mail-invite-editor-subject = An invitation to Mchezo
mail-invite-editor-body = { $inviter } invites you to an account at Mchezo, as editor. Open this page to join:
mail-end-factor-subject = Lost phone: end your second factor
mail-end-factor-body = Somebody who knows your password says that you have lost your phone and your recovery codes. Open this page to end the second factor in a day. If this was not you, set a new password at once.
mail-factor-ends-subject = Your second factor ends in a day
mail-factor-ends-body =
    Somebody used a link in an e-mail to you to end your second factor: phone and recovery codes are said to be lost. It ends on { $at }. Your password alone then signs you in.

    If this was not you, stop it here, and set a new password at once:
mail-factor-of-member-ends-subject = The second factor of a member ends in a day
mail-factor-of-member-ends-body =
    { $email } is a member of an account of which you are an owner, and says that phone and recovery codes are lost. The second factor of { $email } ends on { $at }. The password alone is then enough to sign in.

    Ask { $email } by other means than e-mail whether this is true. If it is not, stop it here:
mail-factor-stays-subject = Your second factor stays
mail-factor-stays-body =
    The end of your second factor was asked for and has been stopped: by the link in one of our e-mails, or because a code was used to sign in.

    If you did not ask for it, somebody knows your password: set a new one at once.
mail-factor-ended-subject = Your second factor has ended
mail-factor-ended-body =
    A day has passed since it was asked for, and nobody stopped it: your password alone signs you in. Sign in and set up an authenticator app again: { $page }

    If this was not you, set a new password at once.
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
    Somebody who is signed in as you wants to change your address to { $address }. A link that we sent there does so.

    If this was not you, change your password at once: that also voids the link.
mail-email-changed-subject = Your address was changed
mail-email-changed-body =
    Your address for signing in was changed from { $old } to { $new }.

    If this was not you, reply to this e-mail.
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
mail-deleted-subject = Your profile is deleted
mail-deleted-body = Your profile at Mchezo is deleted, as you asked.
mail-new-network-subject = A sign-in from a new network
mail-new-network-body =
    You have signed in from a network that is new to us: the address { $address }, with { $browser }, on { $at }.

    If this was you, there is nothing to do. If it was not, set a new password at once, which ends all other sessions: { $page }
mail-removed-subject = You are no longer in a team
mail-removed-body =
    { $by } has removed you from the team of an account at Mchezo. Its keys, webhooks and listings go on, your account tokens for it are revoked, and you cannot open it any more.

    If you think that this is a mistake, ask { $by }. Your other accounts: { $page }
mail-key-expires-subject = A key expires soon
mail-key-expires-body =
    The { $mode } key "{ $name }" (it ends in { $last4 }) works until { $at }. Calls with it are refused afterwards.

    Create a new one in time: { $page }
mail-month-share-subject = 80 % of the month's calls are used
mail-month-share-body =
    The account { $name } has made { $used } of the { $limit } calls a month that the plan { $plan } includes.

    When they are used up, calls with live keys are refused with 429 quota_exceeded until { $resets }. Nothing is charged, and test keys still work.

    Which days and routes used them: { $usage }
    The plans: { $plans }
mail-month-used-subject = The calls of the month are used up
mail-month-used-body =
    The account { $name } has made { $used } of the { $limit } calls a month that the plan { $plan } includes.

    Calls with live keys are refused with 429 quota_exceeded until { $resets }. Nothing is charged, and test keys still work.

    Which days and routes used them: { $usage }
    The plans: { $plans }
mail-correction-subject = A visitor suggests a correction of one of your listings
mail-correction-body =
    A visitor suggests a correction of { $title }. Read it, and say that it is done or that nothing needs to be done:

    { $page }

    We send at most one such e-mail a day for each listing.
mail-key-approved-subject = Your live key is approved
mail-key-approved-body =
    Staff have approved the live key "{ $name }". It does not exist yet: an owner or a developer reveals it once, and stores it in a safe place.

    Reveal it here: { $page }
mail-key-rejected-subject = Your live key is not approved
mail-key-rejected-body =
    Staff have not approved the live key "{ $name }". Their reason: { $reason }

    Change what they name and ask again; test keys go on working: { $page }
mail-listing-approved-subject = Your listing is public
mail-listing-approved-body =
    Staff have approved { $title }. Everybody sees it now: { $url }

    Add pictures, change it at any time without another review, and embed it: { $page }
mail-listing-rejected-subject = Your listing is not approved
mail-listing-rejected-body =
    Staff have not approved { $title }. Their reason: { $reason }

    Change what they name: saving the change submits it again. { $page }
mail-listing-removed-subject = Your listing is taken down
mail-listing-removed-body =
    Staff have taken down { $title }. Nobody finds it on the site or in the API any more, and keys of this game do not work.

    See what the page of your listing says about it, and whom to ask: { $page }
mail-takedown-declined-subject = Your listing stays public
mail-takedown-declined-body =
    Staff have declined your request to take down { $title }. Their answer: { $reason }

    You can ask again with another reason: { $page }
mail-claim-granted-subject = A page belongs to your account now
mail-claim-granted-body =
    Staff have granted your claim: the page { $handle } and its games belong to your account.

    See what is there, and change it: { $page }
mail-claim-rejected-subject = Your claim of a page is rejected
mail-claim-rejected-body =
    Staff have rejected your claim of the page { $handle }. Their reason: { $reason }

    Claim it again with other evidence: { $page }
mail-report-held-subject = A report of your game is held
mail-report-held-body =
    The report { $report } of the game { $game } does not count yet: a person looks at it first. The reason: { $reason }

    Until then, rates and figures go on from the report before. Check the numbers that your game sends; a right report needs nothing from you: { $page }
mail-report-counted-subject = A held report of your game counts
mail-report-counted-body =
    Staff have approved the report { $report } of the game { $game }: it counts now.

    You need not do anything. Your reports: { $page }
mail-report-rejected-subject = A held report of your game is rejected
mail-report-rejected-body =
    Staff have rejected the report { $report } of the game { $game }: it never counts. Their reason: { $reason }

    Correct what your game sends. Its next report is compared with the last one that counts: { $page }
