# The texts of the public site in English, and what all pages share. Every key is in the same file of the other languages; a test compares the files with each other
# and with the pages.

## The frame of all pages

skip = Skip to the content
colon = { ":" }
nav-label = Pages
nav-games = Games
nav-creators = Creators
nav-events = Events
nav-places = Places
nav-you-label = Your account
nav-docs = Developers
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
language-label = Language
sample-title = Sample data
sample-notice = This listing is made up: it belongs to the sample data that test keys read.
api-call-same = Same in the API
api-call-colon = { $value }:
api-call-copy = Copy the call { $value }
people-copy = Copy
part-unavailable = This part of the page is not available at the moment. Try again in a few seconds.

## Start page

start-title = Games of Africa
start-lead = Games from all over Africa, the people who make them, and the events where they meet.
start-new = New this week
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
game-picture = Picture { $value }
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
event-ask-site = Know the event’s site?
share-link-title = Share
share-copy-link = Copy the link
share-copied = Copied
share-selected = Selected: press Ctrl+C
board-share = won { $value } % of its votes
event-calendar = Add to my calendar

## Lists with filters, and the map

list-description = { $value }, in the directory of games made in Africa.
places-all = All places
places-countries = Countries
map-label = { $from }: { $to }
map-hint = The stronger a country’s colour, the more games come from it.

## A vote and what it did

vote-keys = Keys: ← votes for the first, → for the second.

## Currencies: examples and units

economy-example = An example: when a meal, a ride and a month of rent cost 25,500 Cowries in one game and 402 Shells in another, one Shell is worth 63.43 Cowries.
economy-guide = How a game sends its reports

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
action-claim = Claim or manage this page
action-write = Write to us about this listing
note-optional = optional

## Votes and boards

nav-vote = Vote
nav-economy = Currencies
nav-boards = Rankings
vote-title-games = Which game is better?
vote-title-creators = Who makes better games?
vote-description = Two listings, drawn at random: pick one or skip. The rankings come from these votes.
vote-for = Vote for { $value }
vote-skip = Skip this pair
vote-counted = Your vote is counted. Here is the next pair.
vote-repeated = A pair counts once a day, and your first vote on that one stays. Here is the next pair.
vote-refused = That vote was not counted: the pair was drawn more than ten minutes ago, or for somebody else, or many people of your network have voted since, or one of the two is not listed any more. Here is a new pair.
vote-unknown = That vote was not counted, because your browser did not send the cookie of this site. Allow cookies for this site, and vote on this new pair.
vote-closed = That vote was not counted: this site is read-only at the moment. Try again later.
vote-none-left = There are no pairs left for you today. Come back tomorrow (UTC), or vote on the other kind.
vote-limit = That vote was not counted. The number of votes per hour and per day is limited, for each person, and for each network from which people vote without an account or with one younger than 30 days.
vote-again-minutes = { $count ->
    [one] Try again in { $number } minute.
   *[other] Try again in { $number } minutes.
}
vote-again-hours = { $count ->
    [one] Try again in { $number } hour.
   *[other] Try again in { $number } hours.
}
vote-no-rank = Not ranked yet.
vote-board = This week’s ranking
vote-as-account = You vote as { $value }.
vote-your-account = your account
vote-as-cookie = You vote without an account; a cookie makes sure that each pair counts once.
boards-title = Rankings
boards-description = Games and creators, ranked by votes. Each vote is a choice between two of them.
boards-how = How rankings work
boards-vote = Vote: which is better?
boards-empty = No votes in this period yet. Be the first to vote.
boards-same = So far the same as for the shorter period.

## Currencies and rates

economy-title = In-game currencies
economy-lead = Many games have a currency of their own. Exchange rates are calculated from the reports of the games.
economy-how = How rankings and rates work
economy-empty = No currency is listed yet. A studio registers the currency of its game in the dashboard, and the game sends reports.
economy-unavailable = The rates are not available at the moment. Try again in a few seconds.
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
figure-inflation = Inflation since the previous report
figure-growth = Growth of the output since the previous report
figure-money-growth = Growth of the supply since the previous report
figure-balance = Trade balance over 30 days
rates-title = Rates now
rates-lead = What one { $value } buys.
rates-empty = No other currency is listed here, so there is nothing to compare with.
rates-of = Currency
rates-rate = Rate
rates-day = Change in 24 hours
rates-month = 30 days
rates-course = The calculated rate over the last 30 days: { $from } at first, { $to } now
rates-course-since = The calculated rate since { $day }: { $from } at first, { $to } now
rates-since = since { $value }
rates-all = All about { $value }
rates-source = Source
rates-at = As of
rate-source-worked = calculated
rate-source-market = market
currency-of-game = { $from } of { $to }
method-title = The method of rates

## Search

search-title = Search
search-nothing-typed = Type a name in the field at the top of the page, or look through a list:
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

error-not-found-title = Not found
error-not-found = The address may have a typing error, or its page is gone.
error-not-found-account = The address may have a typing error, its page may be gone, or it belongs to an account that you are not in.
error-invalid-title = This address does not work
error-invalid = The filter or the page in this address does not exist, or no longer exists. Start from the first page.
error-limit-title = Slow down
error-limit = { $count ->
    [one] Too many pages in a minute. Try again in { $number } second. A program should use the API, which has limits of its own.
   *[other] Too many pages in a minute. Try again in { $number } seconds. A program should use the API, which has limits of its own.
}
error-unavailable-title = Not available now
error-reference = The reference is not available at the moment. Try again in a few seconds.
error-refused-title = Request refused
error-refused = This address cannot do what was asked. Start from a page of the site.
error-too-large-title = Too much text
error-too-large = The form contains more text than is allowed, so nothing was stored. Go back, shorten it, and send it again.
error-coded-title = Compressed form
error-coded = The form has the Content-Encoding `{ $value }`, and forms are read as they are. Send it uncompressed, without the header.
error-method-title = Wrong kind of request
error-method = This address answers another kind of request. Open the page with the form, and send it from there.
error-cross-site-title = Sent from another site
error-cross-site = This form was sent from another site, and was not processed. Open the page here and send it again.
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
date-day-of-month = { $day } { $month }
date-days-of-month = { $day }–{ $last_day } { $month } { $year }
date-minute = { $day }, { $time } UTC
date-month = { $month } { $year }
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
role-writer = Writer
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

## Cities whose name is another one in some language, by country and name in the directory

city-dz-algiers = Algiers
city-eg-alexandria = Alexandria
city-eg-cairo = Cairo
city-eg-giza = Giza
city-eg-luxor = Luxor
city-eg-port-said = Port Said
city-et-addis-ababa = Addis Ababa
city-ma-fes = Fes
city-ma-marrakesh = Marrakesh
city-ma-meknes = Meknes
city-ma-tangier = Tangier
city-mu-port-louis = Port Louis
city-so-mogadishu = Mogadishu
city-za-cape-town = Cape Town
