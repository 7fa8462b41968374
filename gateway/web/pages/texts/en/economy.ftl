## Currencies of an account

## The games

economy-list-title = Economy
economy-list-lead = A game with a currency reports its economy with the secret key of the game. Exchange rates between the currencies of all listed games follow from the reports.
economy-no-game = No game yet.
economy-no-game-submit = Submit a game
economy-no-game-then = first, then register its currency here.
economy-game = Game
economy-state = State
economy-no-currency = none
economy-register-it = Register it
economy-register-of = Register the currency of { $value }
economy-public = public
economy-hidden = not public
economy-more-games = More games

## The currency of a game

economy-game-title = Economy of { $value }
economy-game-hidden = The game is not public, so its currency is not listed and has no rates.
economy-currency = Currency
economy-name = Name
economy-name-since = Since
economy-name-by = Given by
economy-by-owner = an owner
economy-by-staff = staff
economy-not-named = No currency yet.
economy-not-named-here = Register it here: reports need it.
economy-not-named-others = An owner or a developer of this account registers it.
economy-name-label = Name of the currency
economy-name-hint = As players know it. A new name is valid from now on, also for earlier reports.
economy-rename = Rename it
economy-register = Register the currency

## Its reports

economy-reports = Reports
economy-no-report = No report yet.
economy-no-report-server = The server of the game sends them:
economy-no-report-with = with its
economy-no-report-key = secret key
economy-no-report-later = A game reports once its currency is registered.
economy-time = Time
economy-basket = Basket
economy-supply = Supply
economy-output = Output
economy-players = Players
economy-report-counts = counts
economy-report-rejected = rejected
economy-report-held = held
economy-report-unknown = not known
economy-report-approved = Staff approved it: { $value }.
economy-report-reason = Staff rejected it, { $from }: { $to }
economy-report-waits = It waits for staff since { $value }, and changes nothing until they approve or reject it. Later reports that are close to the last counted one count meanwhile.
economy-earlier-reports = Earlier reports
economy-api-reports = The API has the counted reports

## Its rates

economy-rates = Rates
economy-rates-public = Once a first report counts, the rates are on
economy-rates-page = the public page of the currency
economy-all-games = All games
