## Listings of an account

## The list

listing-list-title = Listings
listing-submit-page = Submit a page
listing-submit-game = Submit a game
listing-submit-event = Submit an event
listing-pages = Pages
listing-no-page = No page yet. A game belongs to the page of a studio or a person:
listing-no-page-submit = submit one, or
listing-no-page-claim = claim
listing-no-page-listed = one that is in the directory already.
listing-no-page-editor = an owner or an editor of this account submits or claims one.
listing-games-and-events = Games and events
listing-no-listing = No game or event yet.
listing-no-listing-begin = Begin with a page.
listing-no-listing-submit = Submit a game: a person reviews it before it is public.
listing-no-listing-editor = An owner or an editor of this account submits them.
listing-state = State
listing-changed = Changed
listing-next = Earlier
# Of a game or an event, and of a page.
listing-kind-game = game
listing-kind-event = event
listing-kind-studio = studio
listing-kind-person = person
listing-state-pending = waits for review
listing-state-published = public
listing-state-rejected = rejected
listing-state-removed = taken down
listing-state-unknown = not known
listing-yes = yes
listing-writes-left = { $count ->
    [0] You can submit or change no more listings today. The count begins again at 00:00 UTC.
    [one] You can submit or change { $number } more listing today.
   *[other] You can submit or change { $number } more listings today.
}

## One listing

listing-see-public = See the public page
listing-why-rejected = Why it was rejected:
listing-change-submits = A change submits it again.
listing-no-cover = It has no cover yet.
listing-no-cover-why = A cover is the first thing that players see: add one before the review, if you can.
listing-add-cover = Add a cover
listing-change-it = Change it
listing-pictures = Pictures
listing-take-down-text = What is public disappears from the site and the API, keys of a game stop working, and only staff can restore it. What waits for its review is taken back instead: a change submits it again. Its address stays yours.
listing-take-down-it = Take it down
listing-take-down-sure = Take it down now?
listing-take-down-yes = Yes, take it down
listing-all = All listings
listing-api-state = The API has its state

## The forms

listing-reviewed = A person reviews it before it is public. You can change it while it waits.
listing-page-first = A game belongs to the page of its maker, and this account has none yet.
listing-page-first-create = First create your studio's page
listing-submit-it = Submit it
listing-sent-before = This form has submitted a listing already: look at your listings. If this is meant to be another one, send it again.
listing-same-title = This account has already listed something with this title. If this is another one, send the form again.
listing-send-reopen = Open the page again, and send the form from there.
listing-edit-title = Change { $value }
listing-edit-lead = A change of a public listing is public at once.
listing-edit-button = Save the changes
listing-edit-reopen = Open the page again, and change it there.
listing-edit-busy = Somebody else is changing this listing at the same moment. Save your changes again.
listing-edit-both = Somebody else has changed this since you opened the form. It is now: { $value } If you save again, it becomes what you typed.
listing-edit-both-emptied = Somebody else has emptied this since you opened the form. If you save again, it becomes what you typed.
listing-taken-down-by = The account { $from } took this listing down, { $to }.
listing-taken-down-by-you = Your account took this listing down, { $value }. Its owners see in Activity who did.
listing-taken-down-by-staff = Our staff took this listing down, { $value }.
listing-why-taken-down = Why it was taken down:
listing-restore = It cannot be changed until our staff restore it.
listing-restore-mail = To ask for that, write to
listing-add-game = Add a game
listing-which-account = Which account does it belong to?

## Fields of listings: their labels, hints and errors

field-name = Name
field-title = Title
field-handle = Handle
field-handle-hint = Lower-case letters, digits and hyphens; it never changes. Without one it is made from the name.
field-slug = Slug
field-kind = Kind
field-roles = Roles
field-tagline = Tagline
field-tagline-hint = One sentence, at most 160 characters.
field-bio = About
field-description = Description
field-text-hint = Plain text. An empty line begins a paragraph; links and lists are shown as you type them.
field-country_code = Country
field-country_code-choose = Choose a country
field-city = City
field-creator = Page
field-genres = Genres
field-genres-legend = Genres (up to three)
field-platforms = Platforms
field-stage = Stage
field-stage-choose = Choose a stage
field-release_year = Year of release
field-release_year-hint = Without one it is this year.
field-trailer_url = Trailer
field-trailer_url-hint = The address of a video.
field-credits = Credits
field-credits-hint = A line for each person or studio: name | role | handle of their page here. Only the name is needed. For example: Ada Obi | Code | ada-obi
field-credits-name = Begin each line with a name.
field-cover_url = Cover
field-avatar_url = Avatar
field-screenshots = Screenshots
field-verified = Verified
field-starts_at = First day
field-ends_at = Last day
field-online = Also online
field-online-legend = Place
field-website = Website
field-links = Links
field-links-hint = Links to stores, to your site, or to a page about it.
field-links-more = Add a link
field-kind-error = Choose a kind.
field-stage-error = Choose a stage.
field-country_code-error = Choose a country.
field-creator-error = Choose a page.
field-link-line = { $from }: { $to }
# Other kinds of links have the name that the public site gives them.
field-link-play = Play in the browser
field-link-other = Other

## Pictures

note-back = Back to { $value }
picture-title = Pictures of { $value }
picture-the-cover = The cover
picture-the-avatar = The avatar
picture-no-cover = No cover yet.
picture-no-avatar = No avatar yet.
picture-no-screenshot = No screenshot yet.
picture-choose = Choose a file below.
picture-cover-file = A new cover: it is cut to 16 by 9 from its middle, at least 600 by 338 pixels
picture-avatar-file = A new avatar: it is cut to a square from its middle, at least 128 by 128 pixels
picture-screenshot-file = Another screenshot
picture-single-hint = JPEG, PNG or WebP, at most 10 MB.
picture-screenshot-hint = JPEG, PNG or WebP, at most 10 MB. It is shown whole, at most 1,600 pixels wide and high.
picture-upload-cover = Upload the cover
picture-upload-avatar = Upload the avatar
picture-upload-screenshot = Upload the screenshot
picture-remove = Remove
picture-remove-cover = Remove the cover
picture-remove-avatar = Remove the avatar
picture-remove-one = Remove picture { $value }
picture-alt-one = Text for people who cannot see picture { $value }
picture-place-one = Place of picture { $value }
picture-arrange = Save order and texts
picture-change-submits = A change of the pictures submits the listing again.
picture-change-public = A change of the pictures is public at once.
picture-no-file = Choose a file.
picture-too-large = Make it smaller: a file has { $value } MB at most.
picture-incomplete = The file did not arrive whole. Send it again.
picture-silent = Nothing of the file arrived for { $value } seconds, so the upload ended. Check your connection, and send the file again.
picture-slow = The file did not arrive within { $value } minutes. Send a smaller one, or use a faster connection.
picture-other-upload = You are uploading another picture: send this one when that is done.
## Claims of pages

claim-title = Claims
claim-heading = Claims of pages
claim-none = No claim yet. If a page of the directory is yours and nobody manages it, claim it below: staff check the evidence.
claim-none-reader = No claim yet. If a page of the directory is yours and nobody manages it, an owner or an editor of this account can claim it: staff check the evidence.
claim-made = Claimed
claim-evidence = Evidence
claim-state-granted = granted
claim-state-rejected = rejected
claim-state-waits = waits for staff
claim-state-unknown = not known
claim-a-page = Claim a page
claim-another = Claim another page, and see your claims
claim-handle = Handle of the page
claim-handle-hint = The last part of its address, for example maliyo-games.
claim-how = How staff can check that it is yours
claim-how-hint = For example an e-mail address on its website, or a post there that names this account.
claim-button = Claim the page
claim-withdraw = Withdraw
claim-withdraw-page = Withdraw the claim of the page { $value }
claim-which-account = Which account does it belong to?
