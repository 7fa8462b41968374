## The list

listing-submit-page = Submit a page
listing-submit-game = Submit a game
listing-submit-event = Submit an event
# Of a game or an event, and of a page.
listing-kind-game = game
listing-kind-event = event
listing-kind-studio = studio
listing-kind-person = person
listing-state-pending = waits for review
listing-state-published = public
listing-state-rejected = rejected
listing-state-withdrawn = withdrawn
listing-state-removed = taken down
listing-state-unknown = not known
listing-yes = yes
listing-writes-left = { $count ->
    [0] You can submit or change no more listings today. The count begins again at 00:00 UTC.
    [one] You can submit or change { $number } more listing today.
   *[other] You can submit or change { $number } more listings today.
}

# In the list of listings, next to the state. The reason that staff gave follows.
listing-row-rejected = Staff rejected it, { $value }.
listing-row-withdrawn = Its owners withdrew it, { $value }.
listing-row-taken-down = Its owners took it down, { $value }.
listing-row-taken-down-by-staff = Staff took it down, { $value }.

## One listing

listing-api-state = The API has its state

## The forms

listing-reviewed = A person reviews it before it is public. You can change it while it waits.
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
listing-withdrawn-by = The account { $from } withdrew this listing, { $to }.
listing-withdrawn-by-you = Your account withdrew this listing, { $value }. Its owners see in Activity who did.
listing-rejected-by-staff = Our staff rejected this listing, { $value }.
listing-taken-down-by = The account { $from } took this listing down, { $to }.
listing-taken-down-by-you = Your account took this listing down, { $value }. Its owners see in Activity who did.
listing-taken-down-by-staff = Our staff took this listing down, { $value }.
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
picture-the-cover = The cover
picture-the-avatar = The avatar
picture-no-cover = No cover yet.
picture-no-avatar = No avatar yet.
picture-cover-file = A new cover: it is cut to 16 by 9 from its middle, at least 600 by 338 pixels
picture-avatar-file = A new avatar: it is cut to a square from its middle, at least 128 by 128 pixels
picture-upload-cover = Upload the cover
picture-upload-avatar = Upload the avatar
picture-remove-cover = Remove the cover
picture-remove-avatar = Remove the avatar
picture-remove-one = Remove picture { $value }
picture-alt-one = Text for people who cannot see picture { $value }
picture-place-one = Place of picture { $value }
picture-change-submits = A change of the pictures submits the listing again.
picture-change-public = A change of the pictures is public at once.
picture-text-lost = Somebody else has removed the screenshot for which you typed: { $value }
picture-order-both = Somebody else has changed the order since you opened the form. If you save again, it becomes yours.
picture-no-file = Choose a file.
picture-too-large = Make it smaller: a file has { $value } MB at most.
picture-incomplete = The file did not arrive whole. Send it again.
picture-silent = Nothing of the file arrived for { $value } seconds, so the upload ended. Check your connection, and send the file again.
picture-slow = The file did not arrive within { $value } minutes. Send a smaller one, or use a faster connection.
picture-other-upload = You are uploading another picture: send this one when that is done.

## Claims of pages

claim-state-granted = granted
claim-state-rejected = rejected
claim-state-waits = waits for staff
claim-state-unknown = not known
claim-a-page = Claim a page
claim-handle = Handle of the page
claim-handle-hint = The last part of its address, for example maliyo-games.
claim-how = How staff can check that it is yours
claim-how-hint = For example an e-mail address on its website, or a post there that names this account.
claim-which-account = Which account does it belong to?
