## Fiches d’un compte

## La liste

listing-list-title = Fiches
listing-submit-page = Soumettre une page
listing-submit-game = Soumettre un jeu
listing-submit-event = Soumettre un événement
listing-pages = Pages
listing-no-page = Pas encore de page. Un jeu appartient à la page d’un studio ou d’une personne :
listing-no-page-submit = soumettez-en une, ou
listing-no-page-claim = revendiquez
listing-no-page-listed = une page qui est déjà dans le répertoire.
listing-no-page-editor = un propriétaire ou un éditeur de ce compte en soumet ou en revendique une.
listing-games-and-events = Jeux et événements
listing-no-listing = Pas encore de jeu ni d’événement.
listing-no-listing-begin = Commencez par une page.
listing-no-listing-submit = Soumettez un jeu : une personne l’examine avant sa publication.
listing-no-listing-editor = Un propriétaire ou un éditeur de ce compte les soumet.
listing-state = État
listing-changed = Modifiée le
listing-next = Plus anciennes
# D’un jeu ou d’un événement, et d’une page.
listing-kind-game = jeu
listing-kind-event = événement
listing-kind-studio = studio
listing-kind-person = personne
listing-state-pending = attend un examen
listing-state-published = publique
listing-state-rejected = rejetée
listing-state-removed = retirée
listing-state-unknown = inconnu
listing-yes = oui
listing-writes-left = { $count ->
    [0] Vous ne pouvez plus soumettre ni modifier de fiche aujourd’hui. Le compte reprend à 00:00 UTC.
    [one] Vous pouvez encore soumettre ou modifier { $number } fiche aujourd’hui.
   *[other] Vous pouvez encore soumettre ou modifier { $number } fiches aujourd’hui.
}

## Une fiche

listing-see-public = Voir la page publique
listing-why-rejected = Pourquoi elle a été rejetée :
listing-change-submits = Une modification la soumet de nouveau.
listing-page-pending = Votre page { $value } attend encore un examen. Le jeu apparaîtra dès qu’elle sera publique.
listing-no-cover = Elle n’a pas encore de couverture.
listing-no-cover-why = La couverture est la première chose que voient les joueurs : ajoutez-en une avant l’examen, si vous le pouvez.
listing-add-cover = Ajouter une couverture
listing-change-it = Modifier la fiche
listing-pictures = Images
listing-take-down-text = Plus personne ne la voit sur le site ni dans l’API, et les clés d’un jeu ne fonctionnent plus. Son adresse reste la vôtre. Seule notre équipe peut la rétablir.
listing-take-down-it = Retirer la fiche
listing-take-down-sure = Retirer la fiche maintenant ?
listing-take-down-yes = Oui, la retirer
listing-all = Toutes les fiches
listing-api-state = L’API donne son état

## Les formulaires

listing-reviewed = Une personne examine la fiche avant sa publication. Vous pouvez la modifier pendant qu’elle attend.
listing-page-first = Un jeu appartient à la page de ses créateurs, et ce compte n’en a pas encore.
listing-page-first-create = Créez d’abord la page de votre studio
listing-submit-it = Soumettre
listing-sent-before = Ce formulaire a déjà soumis une fiche : regardez vos fiches. S’il s’agit bien d’une autre, renvoyez-le.
listing-same-title = Ce compte a déjà une fiche avec ce titre. S’il s’agit d’une autre, renvoyez le formulaire.
listing-send-reopen = Rouvrez la page et envoyez le formulaire depuis celle-ci.
listing-edit-title = Modifier { $value }
listing-edit-lead = Vous voyez ce qui change avant l’enregistrement. La modification d’une fiche publique est aussitôt publique.
listing-edit-button = Vérifier les modifications
listing-edit-reopen = Rouvrez la page et faites la modification depuis celle-ci.
listing-edit-conflict = Quelqu’un d’autre a modifié cette fiche depuis que vous avez ouvert le formulaire. Voici ses modifications avec les vôtres : vérifiez-les de nouveau.
listing-taken-down-title = Fiche retirée
listing-taken-down = Notre équipe a retiré cette fiche. Elle ne peut pas être modifiée tant qu’elle n’est pas rétablie.
listing-the-listing = La fiche
listing-add-game = Ajouter un jeu
listing-which-account = À quel compte appartient-il ?

## Les champs des fiches : leurs noms, indications et erreurs

field-name = Nom
field-title = Titre
field-handle = Identifiant
field-handle-hint = Des minuscules, des chiffres et des traits d’union ; il ne change jamais. Si vous n’en donnez pas, il est formé à partir du nom.
field-slug = Slug
field-kind = Type
field-roles = Rôles
field-tagline = Accroche
field-tagline-hint = Une phrase, 160 caractères au plus.
field-bio = À propos
field-description = Description
field-text-hint = Du texte simple. Une ligne vide commence un paragraphe ; les liens et les listes sont montrés tels que vous les saisissez.
field-country_code = Pays
field-country_code-choose = Choisissez un pays
field-city = Ville
field-creator = Page
field-page_id = Page
field-genres = Genres
field-genres-legend = Genres (trois au plus)
field-platforms = Plateformes
field-stage = État d’avancement
field-stage-choose = Choisissez un état d’avancement
field-release_year = Année de sortie
field-release_year-hint = Si vous n’en donnez pas, c’est l’année en cours.
field-trailer_url = Bande-annonce
field-trailer_url-hint = L’adresse d’une vidéo.
field-credits = Générique
field-credits-hint = Une ligne par personne ou studio : nom | rôle | identifiant de leur page ici. Seul le nom est nécessaire. Par exemple : Ada Obi | Code | ada-obi
field-credits-name = Commencez chaque ligne par un nom.
field-credits-handle = Aucune page n’a cet identifiant : n’en indiquez pas pour une personne ou un studio sans page.
field-cover_url = Couverture
field-avatar_url = Avatar
field-screenshots = Captures d’écran
field-featured = À la une
field-verified = Page vérifiée
field-starts_at = Premier jour
field-ends_at = Dernier jour
field-online = Aussi en ligne
field-online-legend = Lieu
field-website = Site web
field-links = Liens
field-links-hint = Collez des liens vers des boutiques ou votre site ; nous reconnaissons la boutique.
field-links-more = Choisir vous-même le type d’un lien
field-empty = Remplissez ce champ.
field-kind-error = Choisissez un type.
field-stage-error = Choisissez un état d’avancement.
field-country_code-error = Choisissez un pays.
field-creator-error = Choisissez une page.
field-link-1 = Adresse
field-link-2 = Une autre adresse
field-link-3 = Une troisième adresse
field-link-line = { $from } : { $to }
# Les autres types de liens ont le nom que leur donne le site public.
field-link-play = Jouer dans le navigateur
field-link-other = Autre

## Les images

picture-title = Images – { $value }
picture-the-cover = La couverture
picture-the-avatar = L’avatar
picture-no-cover = Pas encore de couverture.
picture-no-avatar = Pas encore d’avatar.
picture-no-screenshot = Pas encore de capture d’écran.
picture-choose = Choisissez un fichier ci-dessous.
picture-cover-file = Une nouvelle couverture : elle est recadrée en 16 sur 9 à partir de son milieu, au moins 600 sur 338 pixels
picture-avatar-file = Un nouvel avatar : il est recadré en carré à partir de son milieu, au moins 128 sur 128 pixels
picture-screenshot-file = Une autre capture d’écran
picture-single-hint = JPEG, PNG ou WebP, 10 Mo au plus. Vous voyez le recadrage avant que rien ne change.
picture-screenshot-hint = JPEG, PNG ou WebP, 10 Mo au plus. Elle est montrée en entier, au plus 1 600 pixels en largeur et en hauteur.
picture-upload-cover = Envoyer la couverture
picture-upload-avatar = Envoyer l’avatar
picture-upload-screenshot = Envoyer la capture d’écran
picture-remove = Supprimer
picture-remove-cover = Supprimer la couverture
picture-remove-avatar = Supprimer l’avatar
picture-remove-one = Supprimer l’image { $value }
picture-alt-one = Texte pour les personnes qui ne voient pas l’image { $value }
picture-place-one = Place de l’image { $value }
picture-arrange = Enregistrer l’ordre et les textes
picture-change-submits = Une modification des images soumet de nouveau la fiche.
picture-change-public = Une modification des images est aussitôt publique.
picture-no-file = Choisissez un fichier.
picture-too-large = Réduisez-le : un fichier a au plus { $value } Mo.
picture-incomplete = Le fichier n’est pas arrivé en entier. Renvoyez-le.
picture-other-upload = Vous envoyez déjà une autre image : envoyez celle-ci quand ce sera fait.
## Les pages revendiquées

claim-title = Pages revendiquées
claim-heading = Pages revendiquées
claim-none = Pas encore de demande. Si une page du répertoire est la vôtre et que personne ne la gère, revendiquez-la ci-dessous : notre équipe vérifie les preuves.
claim-none-reader = Pas encore de demande. Si une page du répertoire est la vôtre et que personne ne la gère, un propriétaire ou un éditeur de ce compte peut la revendiquer : notre équipe vérifie les preuves.
claim-made = Revendiquée le
claim-evidence = Preuves
claim-state-granted = acceptée
claim-state-rejected = rejetée
claim-state-waits = attend notre équipe
claim-state-unknown = inconnu
claim-a-page = Revendiquer une page
claim-another = Revendiquer une autre page, et voir vos demandes
claim-handle = Identifiant de la page
claim-handle-hint = La dernière partie de son adresse, par exemple maliyo-games.
claim-how = Comment notre équipe peut vérifier qu’elle est à vous
claim-how-hint = Par exemple une adresse e-mail sur son site, ou une publication sur celui-ci qui nomme ce compte.
claim-button = Revendiquer la page
claim-which-account = À quel compte appartient-elle ?
