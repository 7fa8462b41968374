# Les textes du site public en français. Chaque clé est aussi dans en.ftl ; un test compare les deux fichiers entre eux et avec les pages.

## Le cadre de toutes les pages

skip = Aller au contenu
nav-label = Pages
nav-games = Jeux
nav-creators = Créateurs
nav-events = Événements
nav-places = Lieux
nav-you-label = Votre compte
nav-docs = Docs
nav-sign-in = Se connecter
nav-add-game = Ajouter votre jeu
search-label = Rechercher des jeux, des créateurs, des événements et des villes
search-placeholder = Un jeu, un studio, une ville…
search-button = Rechercher
footer-label = À propos de ce site
footer-credits = Crédits et sources
footer-boards = Classements et taux
footer-terms = Conditions
footer-privacy = Confidentialité
footer-developers = Développeurs
footer-design = Design du site
language-label = Langue
sample-notice = Cette fiche est inventée : elle fait partie des données d’exemple que lisent les clés de test.
api-same = L’API donne la même chose :

## Page d’accueil

start-title = Jeux d’Afrique
start-lead = Des jeux de toute l’Afrique, celles et ceux qui les créent, et les événements où l’on se rencontre.
start-featured = Les jeux du jour
start-vote = Deux jeux, un choix. Les classements viennent des choix des joueurs.
start-all-games = Tous les jeux
start-events = Prochains événements
start-all-events = Tous les événements
start-developers-title = Pour les développeurs et les studios
start-developers = Le même catalogue existe sous forme d’API, avec les taux de change entre les monnaies des jeux et des webhooks signés. Les studios y publient et modifient leurs jeux. Les clés de test sont immédiates et gratuites.
start-sign-up = Créer un compte
start-docs = Lire la documentation (en anglais)
start-first-call = Le premier appel
notice-signed-out = Vous êtes déconnecté.
notice-deleted = Votre profil est supprimé. Au revoir.

## Listes

list-show = Afficher
list-any = Tous
# With a feminine noun.
list-any-feminine = Toutes
list-next = Page suivante
list-first = Première page
list-empty = Rien n’est encore répertorié ici.
list-empty-filtered = Rien ne correspond à ces filtres.
list-all = Tout afficher
list-follow = Suivre cette liste :
feed-games = Nouveaux jeux (flux)
feed-games-title = Nouveaux jeux
feed-events = Prochains événements (flux)
feed-calendar = Événements pour votre agenda
games-title = Jeux
games-description = Les jeux créés en Afrique, par genre, plateforme, pays et stade de développement.
games-count = { $count ->
    [one] { $number } jeu
   *[other] { $number } jeux
}
creators-title = Créateurs
creators-description = Les studios et les personnes qui créent des jeux en Afrique.
creators-count = { $count ->
    [one] { $number } créateur
   *[other] { $number } créateurs
}
events-title = Événements
events-description = Game jams, rencontres, tournois, salons et conférences en Afrique.
events-in = Événements – { $value }
events-count = { $count ->
    [one] { $number } événement
   *[other] { $number } événements
}
countries-title = Lieux
countries-count = { $count ->
    [one] { $number } pays
   *[other] { $number } pays
}
countries-description = Les pays et les villes d’Afrique où l’on crée des jeux.
cities-title = Villes
cities-description = Les villes d’Afrique où l’on crée des jeux.
cities-count = { $count ->
    [one] { $number } ville
   *[other] { $number } villes
}
place-description = Jeux, studios, personnes et événements – { $value }.
place-nobody = Rien n’est encore répertorié ici.

## Filtres

filter-label = Filtres
filter-genre = Genre
filter-platform = Plateforme
filter-country = Pays
filter-stage = Stade
filter-kind = Type
filter-when = Période

## Un jeu

game-by = par
game-genres = Genres
game-platforms = Plateformes
game-stage = Stade
game-year = Année
game-place = Origine
game-currency = Monnaie
game-currency-late = ses rapports sont en retard
game-featured = À la une
game-trailer = Voir la bande-annonce sur { $value }
game-trailer-hint = Rien n’est chargé depuis ce site avant que vous ne suiviez le lien.
game-about = À propos du jeu
game-pictures = Images
game-links = Liens
game-credits = Générique
game-boards = Dans les classements
game-description = { $value }, un jeu d’Afrique.
game-listed = Répertorié le
game-updated = Modifié le
board-week = Cette semaine
board-month = Ce mois-ci
board-all = Depuis toujours
board-rank = rang { $value }
board-wins = { $count ->
    [one] { $number } victoire
   *[other] { $number } victoires
}
board-new = nouveau
board-up = en hausse (avant : { $value })
board-down = en baisse (avant : { $value })
board-same = inchangé

## Autour d’une fiche : où jouer, ce qui manque, le partage, les voisins

game-stores = Où jouer
game-ask-store = Vous connaissez un lien pour y jouer ?
game-ask-description = Personne n’a encore décrit ce jeu. Vous avez un texte ?
game-ask-site = Vous connaissez le site du studio ?
game-ask-do = Proposez-le
game-others = Autres jeux de
game-similar = Jeux semblables
creator-ask-links = Vous connaissez leur site ?
share-title = Partager et intégrer
share-copy-link = Copier le lien
share-embed = Pour montrer le jeu sur votre propre page, collez ceci :
share-copy-embed = Copier le code
share-copied = Copié
share-selected = Sélectionné : appuyez sur Ctrl+C
rank-on = { $from } le { $to }
rank-plot = Rang dans le classement de la semaine : { $from }, puis { $to }
board-share = a remporté { $value } % de ses votes
event-calendar = Ajouter à mon agenda

## Listes filtrées et carte

games-of-genre = Jeux – { $value }
list-on = { $from } – { $to }
list-from = { $from } – { $to }
list-in = { $from } – { $to }
list-by = { $from } – par { $to }
list-that = { $from } – { $to }
list-matching = { $from } – « { $to } »
list-since = { $from } à partir du { $to }
list-until = { $from } jusqu’au { $to }
list-description = { $value }, dans le répertoire des jeux créés en Afrique.
filter-set = Filtres actifs
filter-remove = Enlever le filtre
places-all = Tous les lieux
places-countries = Pays
map-label = { $from } : { $to }
map-hint = Plus la couleur d’un pays est vive, plus il compte de jeux.

## Un vote et son effet

vote-outcome = Les deux fiches de votre dernier vote
vote-outcome-hint = Votre vote se voit ici en quelques secondes.
vote-keys = Touches : ← vote pour la première fiche, → pour la seconde, Échap passe.

## Monnaies : exemples et unités

economy-example = Un exemple : si un repas, un trajet et un mois de loyer coûtent 25 500 Cowries dans un jeu et 402 Shells dans un autre, un Shell vaut 63,43 Cowries.
economy-guide = Comment un jeu envoie ses rapports (en anglais)
rates-unit = { $to } pour une unité de { $from }

## Un créateur, un événement, un lieu

creator-verified = Vérifié
creator-about = À propos
creator-roles = Rôles
creator-description = { $value } crée des jeux en Afrique.
event-when = Quand
event-where = Où
event-online = en ligne
event-online-too = { $value }, et en ligne
event-website = Site de l’événement
event-about = À propos de l’événement
event-over = Cet événement est terminé.
event-description = { $value }. Un événement consacré aux jeux en Afrique.

## Ce qu’un visiteur peut faire d’une fiche

actions-label = À propos de cette fiche
action-claim = Revendiquer cette page
action-correct = Proposer une correction
action-report = Signaler cette fiche
action-takedown = Demander le retrait
note-correct-title = Proposer une correction pour { $value }
note-correct-lead = Qu’est-ce qui est faux ou manque, et où peut-on le vérifier ? La personne qui s’occupe de la fiche lira ceci. Rien n’est montré sur le site.
note-report-title = Signaler { $value }
note-report-lead = Quelqu’un lit chaque signalement. Ni le signalement ni son auteur n’apparaissent sur le site.
note-owner = Est-ce votre propre fiche ?
note-owner-link = Connectez-vous et demandez le retrait depuis votre compte.
note-reason-label = Motif
note-choose = Choisissez
report-reason-rights = Elle porte atteinte à mes droits : un jeu, un nom, une image ou une marque
report-reason-deception = Elle est trompeuse : fraude, logiciel malveillant ou faux nom
report-reason-offence = Elle est offensante ou nuisible
report-reason-not_a_game = Elle n’a pas sa place ici
report-reason-other = Autre chose
note-text-label = Qu’est-ce qui ne va pas ?
note-email-label = Votre adresse e-mail
note-email-hint = Seulement pour que les personnes qui lisent ceci puissent vous poser une question. Elle est effacée après 90 jours.
note-optional = facultatif
note-send = Envoyer
note-back = Retour à { $value }
note-sent = Merci. Quelqu’un lira votre message.
note-duplicate = La même note sur cette fiche a déjà été envoyée depuis votre réseau aujourd’hui ; elle n’a pas été enregistrée une seconde fois.
note-reason-error = Choisissez un motif.
note-text-error = Écrivez ce qui ne va pas, en 2 000 caractères au plus.
note-email-error = Écrivez une adresse e-mail comme ada@studio.example, ou n’en donnez pas.
note-form-error = Une partie du formulaire s’est perdue. Envoyez-le encore une fois.
note-limit = { $count ->
    [one] Votre réseau a envoyé beaucoup de notes en une heure. Envoyez celle-ci de nouveau dans { $number } minute.
   *[other] Votre réseau a envoyé beaucoup de notes en une heure. Envoyez celle-ci de nouveau dans { $number } minutes.
}
note-closed = Le site est en maintenance et n’accepte pas de notes pour l’instant. Réessayez plus tard.
note-unavailable = Ce que vous avez écrit n’a pas pu être enregistré. Envoyez-le de nouveau dans quelques secondes.
## Votes et classements

nav-vote = Voter
nav-economy = Monnaies
nav-boards = Classements
vote-title-games = Quel jeu est le meilleur ?
vote-title-creators = Qui crée les meilleurs jeux ?
vote-description = Deux fiches tirées au sort : choisissez-en une, ou passez. Les classements viennent de ces votes.
vote-for = Voter pour { $value }
vote-skip = Passer cette paire
vote-page-of = Voir sa page
vote-counted = Votre vote est compté. Voici la paire suivante.
vote-repeated = Une paire compte une fois par jour, et votre premier vote sur celle-ci reste. Voici la paire suivante.
vote-refused = Ce vote n’a pas été compté : la paire a été tirée il y a plus de dix minutes, ou pour quelqu’un d’autre, ou l’une des deux fiches n’est plus répertoriée. Voici une nouvelle paire.
vote-unknown = Ce vote n’a pas été compté, car votre navigateur n’a pas envoyé de cookie de ce site. Autorisez les cookies pour ce site, et votez sur cette nouvelle paire.
vote-closed = Ce vote n’a pas été compté : rien ne peut être modifié pour l’instant. Réessayez plus tard.
vote-none-left = Il ne reste pas de paire pour vous aujourd’hui. Revenez demain (UTC), ou votez dans l’autre catégorie.
vote-limit = Ce vote n’a pas été compté. Le nombre de votes par heure et par jour est limité, pour chaque personne et pour chaque réseau d’où l’on vote sans compte.
vote-again-minutes = { $count ->
    [one] Réessayez dans { $number } minute.
   *[other] Réessayez dans { $number } minutes.
}
vote-again-hours = { $count ->
    [one] Réessayez dans { $number } heure.
   *[other] Réessayez dans { $number } heures.
}
vote-moved = Comment les classements ont bougé
vote-moved-hint = La place des fiches de vos cinq derniers votes. Un vote se voit en quelques secondes.
vote-no-rank = Dans aucun classement pour l’instant.
vote-board = Le classement de la semaine
vote-as-account = Vous votez en tant que { $value }.
vote-your-account = votre compte
vote-as-cookie = Vous votez sans compte ; un cookie fait en sorte que chaque paire compte une fois.
boards-title = Classements
boards-description = Les jeux et leurs créateurs, classés par des votes entre deux d’entre eux.
boards-how = Fonctionnement des classements
boards-vote = Voter : lequel est le meilleur ?
boards-empty = Aucun vote sur cette période. Soyez la première personne à voter.

## Monnaies et taux

economy-title = Monnaies des jeux
economy-lead = Beaucoup de jeux ont leur propre monnaie. Leurs rapports donnent des taux de change, que personne ne fixe à la main.
economy-how = Fonctionnement des classements et des taux
economy-empty = Aucune monnaie n’est encore répertoriée. Un studio enregistre la monnaie de son jeu dans le tableau de bord, et le jeu envoie des rapports.
economy-away = Les taux ne sont pas disponibles pour l’instant. Réessayez dans quelques secondes.
economy-from = Taux depuis la monnaie de
economy-count = { $count ->
    [one] { $number } monnaie
   *[other] { $number } monnaies
}
economy-of = Monnaie de
economy-reported = dernier rapport le { $value }
economy-late = en retard
economy-late-hint = Le jeu n’a pas envoyé de rapport depuis longtemps : ses chiffres et ses taux peuvent être anciens.
economy-description = { $value }, la monnaie d’un jeu, et ses taux.
figure-reported = Dernier rapport
figure-supply = Masse monétaire
figure-players = Joueurs actifs
figure-basket = Coût de la vie (un mois)
figure-inflation = Inflation
figure-growth = Croissance
figure-money-growth = Croissance de la masse monétaire
figure-balance = Balance commerciale sur 30 jours
rates-title = Taux actuels
rates-lead = Ce qu’achète une unité de { $value }.
rates-empty = Aucune autre monnaie n’est répertoriée ici : il n’y a rien à comparer.
rates-of = Monnaie
rates-rate = Taux
rates-day = Variation sur 24 h
rates-source = Source
rates-at = Date
rate-source-worked = calculé
rate-source-market = marché
pair-title = { $from } en { $to }
pair-name = { $from } – { $to }
pair-description = Combien de { $to } achète une unité de { $from }, au fil du temps.
pair-late = Le jeu de la monnaie { $value } n’a pas envoyé de rapport depuis longtemps : le taux peut être ancien.
pair-empty = Il n’y a pas encore de taux pour ces jours.
pair-days = { $count ->
    [one] Le dernier jour
   *[other] Les { $number } derniers jours
}
plot-hint = Le tableau ci-dessous donne les mêmes chiffres.
method-title = La méthode des taux
method-lead = Les formules et les nombres avec lesquels les taux et les chiffres sont calculés. Les sources sont en anglais.
method-version = Version { $value } ; elle change quand les mêmes rapports donneraient d’autres chiffres.
method-formulas = Formules
method-constants = Nombres
method-sources = Sources
formula-cost = Ce que coûte un mois de vie dans un jeu : un panier de quantités fixes.
formula-worked = Ce qu’une unité d’une monnaie achète dans l’autre, à paniers égaux. Les taux calculés sont réciproques, et tout détour mène au même résultat.
formula-market = Sur les échanges de la paire dans les deux sens en 24 heures, s’il y en a eu assez, entre assez de parties ; sinon le taux est calculé.
formula-day_change_pct = Nul si l’un des deux n’avait pas encore de rapport compté.
formula-inflation_pct = Nul sans rapport compté auparavant.
formula-money_growth_pct = Nul sans rapport compté auparavant, ou si sa masse monétaire était 0.
formula-growth_pct = La production d’un jour, chaque rapport étant divisé par le temps écoulé depuis le rapport précédent du jeu, compté ou non ; comparée au rapport compté précédent. Nul pour les deux premiers rapports comptés, ou si la production antérieure était 0.
formula-trade_balance = Quelqu’un donne 100 cauris et reçoit 50 perles, puis donne 30 perles et reçoit 60 cauris : la balance des cauris est de 100 − 60 = 40, celle des perles de 30 − 50 = −20.
constant-market_swaps = Échanges d’une paire en 24 heures qui font un marché.
constant-market_parties = Parties à ces échanges, au moins.
constant-most_jump_pct = Un rapport dont le coût a varié davantage, vers le haut ou vers le bas, est mis en attente d’un examen.
constant-late_days = Une monnaie est en retard après ce nombre de jours sans rapport compté.
constant-digits = Chiffres significatifs d’un nombre imprimé ; il est exact jusque-là, et arrondi au pair le plus proche.
method-words = D’où vient un taux
method-worked = Calculé : le coût d’un panier de biens dans l’un des jeux, divisé par son coût dans l’autre.
method-market = Marché : la moyenne de ce que les joueurs ont échangé pendant les dernières 24 heures, s’il y a eu assez d’échanges par assez de personnes.

## Recherche

search-title = Recherche
search-results-for = Résultats pour « { $value } »
search-count = { $count ->
    [0] Aucun résultat
    [one] { $number } résultat
   *[other] { $number } résultats
}
search-hint = Essayez avec moins de mots, ou d’autres mots.
search-similar = Rien ne porte exactement ce nom. Voici ce qui s’en approche.
search-did-you-mean = Vouliez-vous dire
search-question-mark = {" "}?
nav-kind-games = Jeux
nav-kind-creators = Créateurs
nav-kind-events = Événements
nav-kind-cities = Villes
search-type-games = Jeu
search-type-creators = Créateur
search-type-events = Événement
search-type-cities = Ville
search-all = Tout

## Erreurs

error-not-found-title = Cette page n’existe pas
error-not-found = L’adresse contient peut-être une faute de frappe, ou sa fiche n’est plus répertoriée. Faites une recherche, ou partez d’une liste.
error-embed-not-found = Ce jeu n’est plus répertorié, ou l’adresse du cadre contient une faute de frappe.
error-invalid-title = Cette adresse ne fonctionne pas
error-invalid = Elle contient un filtre, ou une position dans une liste, qui n’existe pas ou n’existe plus. Repartez de la première page.
error-limit-title = Moins vite
error-limit = { $count ->
    [one] Trop de pages ont été demandées depuis votre réseau en une minute. Réessayez dans { $number } seconde. Un programme devrait utiliser l’API, qui a ses propres limites.
   *[other] Trop de pages ont été demandées depuis votre réseau en une minute. Réessayez dans { $number } secondes. Un programme devrait utiliser l’API, qui a ses propres limites.
}
error-unavailable-title = Indisponible pour le moment
error-unavailable = Le catalogue ne répond pas pour l’instant. Réessayez dans quelques secondes.
error-refused-title = Requête refusée
error-refused = Cette adresse ne peut pas faire ce qui est demandé. Partez d’une page du site.
error-too-large-title = Trop de texte
error-too-large = Le formulaire contient plus de texte que permis, et rien n’a été enregistré. Revenez en arrière, raccourcissez-le et renvoyez-le.
error-coded-title = Formulaire compressé
error-coded = Le formulaire a le Content-Encoding « { $value } », et les formulaires sont lus tels quels. Envoyez-le sans compression et sans cet en-tête.
error-method-title = Ce type de requête n’est pas accepté
error-method = Cette adresse répond à un autre type de demande. Ouvrez la page du formulaire et envoyez-le depuis celle-ci.
error-cross-site-title = Envoyé depuis un autre site
error-cross-site = Ce formulaire a été envoyé depuis un autre site, et rien n’a été fait. Ouvrez la page ici et envoyez-le de nouveau.
error-slow-title = Cela a pris trop de temps
error-slow = La requête a été arrêtée. Vérifiez si elle a eu un effet avant de la renvoyer.
error-internal-title = Une erreur s’est produite
error-internal = Une panne s’est produite de notre côté. Elle figure dans notre journal sous l’identifiant ci-dessous.
error-ways = À partir d’ici
error-request-id = Identifiant de la requête :
error-start = Accueil

## Valeurs des champs

stage-in_development = En développement
stage-early_access = Accès anticipé
stage-released = Sorti
platform-web = Web
platform-android = Android
platform-ios = iOS
platform-windows = Windows
platform-mac = macOS
platform-linux = Linux
platform-switch = Nintendo Switch
platform-playstation = PlayStation
platform-xbox = Xbox
platform-vr = Réalité virtuelle
creator-kind-studio = Studio
creator-kind-person = Personne
creators-kind-studio = Studios
creators-kind-person = Personnes
event-kind-jam = Game jam
event-kind-meetup = Rencontre
event-kind-tournament = Tournoi
event-kind-showcase = Salon
event-kind-conference = Conférence
when-upcoming = À venir
when-past = Passés
when-all = Tous
link-play = Jouer
link-steam = Steam
link-playStore = Google Play
link-appStore = App Store
link-itch = itch.io
link-epic = Epic Games Store
link-xbox = Xbox
link-playstation = PlayStation
link-nintendo = Nintendo
link-website = Site web
link-facebook = Facebook
link-instagram = Instagram
link-x = X
link-youtube = YouTube

## Dates

date-day = { $day ->
    [1] 1er
   *[other] { $day }
} { $month } { $year }
date-days-of-month = du { $day ->
    [1] 1er
   *[other] { $day }
} au { $last_day } { $month } { $year }
date-minute = { $day }, { $time } UTC
date-range = du { $from } au { $to }
month-1 = janvier
month-2 = février
month-3 = mars
month-4 = avril
month-5 = mai
month-6 = juin
month-7 = juillet
month-8 = août
month-9 = septembre
month-10 = octobre
month-11 = novembre
month-12 = décembre

## Genres du répertoire ; les autres gardent le nom du catalogue

genre-action = Action
genre-adventure = Aventure
genre-arcade = Arcade
genre-board = Plateau
genre-card = Cartes
genre-casual = Casual
genre-educational = Éducatif
genre-fighting = Combat
genre-horror = Horreur
genre-music = Musique
genre-party = Jeu de soirée
genre-platformer = Plateformes
genre-puzzle = Réflexion
genre-racing = Course
genre-roguelike = Roguelike
genre-rpg = Jeu de rôle
genre-runner = Course sans fin
genre-shooter = Tir
genre-simulation = Simulation
genre-sports = Sport
genre-strategy = Stratégie
genre-visual-novel = Roman visuel

## Rôles du répertoire ; les autres sont affichés tels quels

role-artist = Artiste
role-community = Communauté
role-designer = Designer
role-developer = Développement
role-educational = Jeux éducatifs
role-founder = Fondateur·rice
role-mobile = Jeux mobiles
role-producer = Producteur·rice
role-programmer = Programmeur·se
role-publisher = Édition
role-serious-games = Jeux sérieux
role-web = Jeux web
role-xr = Réalité virtuelle et augmentée
role-composer = Compositeur·rice

## Pays

country-AO = Angola
country-BF = Burkina Faso
country-BI = Burundi
country-BJ = Bénin
country-BW = Botswana
country-CD = RD Congo
country-CF = République centrafricaine
country-CG = République du Congo
country-CI = Côte d’Ivoire
country-CM = Cameroun
country-CV = Cap-Vert
country-DJ = Djibouti
country-DZ = Algérie
country-EG = Égypte
country-ER = Érythrée
country-ET = Éthiopie
country-GA = Gabon
country-GH = Ghana
country-GM = Gambie
country-GN = Guinée
country-GQ = Guinée équatoriale
country-GW = Guinée-Bissau
country-KE = Kenya
country-KM = Comores
country-LR = Libéria
country-LS = Lesotho
country-LY = Libye
country-MA = Maroc
country-MG = Madagascar
country-ML = Mali
country-MR = Mauritanie
country-MU = Maurice
country-MW = Malawi
country-MZ = Mozambique
country-NA = Namibie
country-NE = Niger
country-NG = Nigéria
country-RW = Rwanda
country-SC = Seychelles
country-SD = Soudan
country-SL = Sierra Leone
country-SN = Sénégal
country-SO = Somalie
country-SS = Soudan du Sud
country-ST = Sao Tomé-et-Principe
country-SZ = Eswatini
country-TD = Tchad
country-TG = Togo
country-TN = Tunisie
country-TZ = Tanzanie
country-UG = Ouganda
country-ZA = Afrique du Sud
country-ZM = Zambie
country-ZW = Zimbabwe

## Les personnes : inscription, connexion, et ce qu’une personne peut changer

people-nav = Vous
people-docs = Documentation (en anglais)
people-accounts = Comptes (en anglais)
people-sign-out = Se déconnecter
people-back = Retour
people-copy = Copier
dashboard-in-english = Le tableau de bord et la documentation sont en anglais.
sign-up-lead = Nous envoyons un lien à cette adresse. Il mène au choix du mot de passe, puis à votre première clé.
sign-up-send = Envoyer le lien
sign-up-have = Vous avez déjà un compte ?
mail-sent-title = Consultez votre messagerie
mail-sent-to = Nous avons envoyé un message à
mail-sent-lifetime = Le lien qu’il contient fonctionne pendant { $value }, une seule fois.
mail-sent-none = Rien après quelques minutes ? Regardez dans les indésirables et vérifiez l’adresse :
mail-sent-again = renvoyer le message
lifetime-hour = une heure
lifetime-day = un jour
lifetime-week = une semaine
reset-title = Mot de passe oublié
reset-lead = Nous envoyons un lien qui permet d’en choisir un nouveau.
sign-in-wrong = L’adresse ou le mot de passe est incorrect.
sign-in-or-reset = { $value } Vous pouvez aussi choisir un nouveau mot de passe.
email-label = Adresse e-mail
email-new = Nouvelle adresse
email-invalid = Indiquez une adresse e-mail comme ada@studio.example.
email-own = C’est déjà votre adresse.
password-label = Mot de passe
password-own = Votre mot de passe
password-current = Mot de passe actuel
password-new = Nouveau mot de passe
password-hint = Au moins 10 caractères. Quelques mots sans rapport entre eux conviennent ; un gestionnaire de mots de passe est encore mieux.
password-short = Utilisez au moins { $from } caractères : il y en a { $to }.
password-long = Utilisez au plus { $value } caractères.
password-guessable = Ce mot de passe est facile à deviner : les mots de passe courants, les noms, les dates et les suites sont essayés en premier. Ajoutez quelques mots sans rapport entre eux.
password-wrong = Ce n’est pas votre mot de passe.
account-name-label = Nom de votre studio ou de votre projet
account-name-hint = Votre équipe et la nôtre le voient.
account-name-empty = Indiquez un nom. Vous pourrez le modifier plus tard.
account-name-long = Utilisez au plus 120 caractères.
account-name-control = Retirez les caractères de contrôle.
choose-password-title = Choisissez un mot de passe
choose-password-text = Encore une étape : vous créerez ensuite votre première clé.
choose-password-button = Créer le compte
set-password-title = Choisissez un nouveau mot de passe
set-password-text = Toutes vos sessions prennent fin.
set-password-button = Enregistrer le mot de passe
join-title = Rejoindre { $value }
join-text = { $value } Choisissez un mot de passe pour vous connecter.
join-button = Rejoindre
invite-role-owner = Vous devenez propriétaire du compte.
invite-role-developer = Vous devenez développeur du compte.
invite-role-editor = Vous devenez éditeur du compte.
the-account = le compte
for-address = Pour
other-signed-in = { $from } est connecté ici. Le bouton déconnecte { $from } et vous connecte en tant que { $to }.
change-address-title = Changer d’adresse
change-address-text = Vous vous connecterez désormais avec { $value }. Vos autres sessions prennent fin.
change-address-button = Changer l’adresse
other-person-title = Pour une autre personne
other-person-invite = Cette invitation est pour { $from }. Vous êtes connecté en tant que { $to }.
other-person-email = Une autre personne a demandé l’adresse { $from }. Vous êtes connecté en tant que { $to }.
other-person-button = Se déconnecter et continuer
invitation-reason = Connectez-vous en tant que { $to } pour rejoindre { $from }.
invitation-reason-moved = Connectez-vous pour rejoindre { $from }. L’invitation a été envoyée à { $to }, qui était votre adresse.
code-title = Code de votre application d’authentification
code-label = Code, ou code de secours
code-start-again = Recommencer
code-invalid = Un code de l’application a six chiffres, un code de secours 16 lettres et chiffres.
code-wrong = Ce code est incorrect ou a déjà servi.
code-wrong-wait = Ce code est incorrect ou a déjà servi. Attendez le suivant.
code-without-phone = Sans votre téléphone, saisissez un de vos codes de secours. Sans eux :
code-lost-link = j’ai perdu mon téléphone et mes codes
lost-title = Téléphone et codes de secours perdus
lost-text = Nous envoyons un lien à { $value }. Quand vous appuyez sur le bouton de sa page, vous et tous les propriétaires de vos comptes recevez un message. Si personne ne s’y oppose pendant un jour, la double authentification prend fin et votre mot de passe suffit pour vous connecter.
lost-button = Envoyer le lien
lost-link-title = Mettre fin à la double authentification
lost-link-text = Vous et tous les propriétaires de vos comptes recevez un message qui permet à chacun de l’empêcher. Si personne ne le fait pendant un jour, la double authentification de { $value } prend fin et le mot de passe suffit pour se connecter.
lost-link-button = Y mettre fin dans un jour
lost-begun-title = La double authentification prend fin dans un jour
lost-begun-text = Elle prend fin le { $value }, sauf si quelqu’un l’empêche par le lien de notre message, ou si un code sert à se connecter d’ici là.
stop-title = Garder la double authentification
stop-text = Quelqu’un a demandé la fin de la double authentification de { $value }. Le bouton l’empêche.
stop-button = La garder
stopped-title = La double authentification reste active
stopped-text = { $value } en est informé. La personne qui a fait la demande connaissait le mot de passe : il faut en choisir un nouveau.
you-factor = Double authentification
you-on = active
you-off = inactive
you-codes-left = { $count ->
    [one] { $number } code de secours restant
   *[other] { $number } codes de secours restants
}
you-change-password = Changer le mot de passe
you-change-email = Changer l’adresse e-mail
you-accounts = Vos comptes (en anglais)
you-another-account = Créer un autre compte (en anglais)
you-settings = Langue et messages
you-language = Langue de vos pages et de vos messages
you-mails = Messages que vous souhaitez recevoir
you-mails-always = Les messages sur votre mot de passe, votre adresse et la double authentification sont toujours envoyés.
you-save = Enregistrer
notice-kind-keys = décisions sur les clés de production
notice-kind-listings = décisions sur les fiches
notice-kind-claims = décisions sur les pages revendiquées
notice-kind-takedowns = fiches retirées
notice-kind-reports = rapports d’économie mis en attente
notice-kind-team = mon retrait d’une équipe
notice-kind-sign_ins = connexions depuis un nouveau réseau
you-sessions = Sessions
you-browser = Navigateur
you-address = Adresse
you-since = Depuis
you-seen = Dernière activité
you-action = Action
you-this-one = celle-ci
you-end = Terminer
you-end-since = Terminer la session ouverte le { $value }
you-end-others = Terminer toutes les autres
you-activity = Activité
you-activity-link = Ce que vous avez fait
you-activity-text = { " :" } vos connexions et vos modifications depuis un an.
you-leave = Partir
you-delete-text = { " :" } la page dit ce qui disparaît et ce qui reste.
activity-title = Votre activité
activity-lead = Vos connexions, et les modifications de votre mot de passe, de votre adresse, de la double authentification et de vos sessions, avec leur origine. Les entrées sont gardées un an. Quelque chose ne vient pas de vous ?
activity-password = Changez le mot de passe
activity-password-effect = { " :" } cela met fin à toutes les autres sessions.
activity-empty = Rien pour l’instant : vos actions apparaîtront ici.
activity-time = Date
activity-what = Action
activity-earlier = Plus ancien
did-signed_in = connexion
did-password_changed = mot de passe changé
did-password_reset = nouveau mot de passe choisi par un lien
did-email_change_asked = autre adresse demandée
did-email_changed = adresse changée
did-totp_on = double authentification activée
did-totp_off = double authentification désactivée
did-recovery_codes_made = nouveaux codes de secours créés
did-totp_end_asked = fin de la double authentification demandée, sans téléphone ni codes
did-totp_end_stopped = fin de la double authentification empêchée
did-totp_ended = double authentification terminée un jour après la demande
did-sessions_ended = toutes les autres sessions terminées
did-person_deleted = profil supprimé
password-change-text = Vos autres sessions prennent fin.
email-change-text = Nous envoyons un lien à la nouvelle adresse. Votre adresse change quand vous l’ouvrez et appuyez sur son bouton ; l’ancienne adresse en est informée.
totp-title = Configurer une application d’authentification
totp-scan = Scannez ceci avec votre application, ou saisissez le secret.
totp-type = Saisissez le code que montre l’application, et votre mot de passe.
totp-secret = Secret :
totp-code = Code
totp-button = Activer
totp-no-code = L’application montre un code de six chiffres. Saisissez celui-là.
totp-wrong = Ce code est incorrect. Vérifiez l’heure de votre téléphone et saisissez le code que l’application montre maintenant.
totp-off-title = Désactiver la double authentification
totp-off-text = Votre mot de passe suffira ensuite pour vous connecter.
totp-off-button = Désactiver
codes-title = Codes de secours
codes-on = La double authentification est active.
codes-replaced = Vos codes de secours précédents ne fonctionnent plus.
codes-text = Chacun de ces codes vous connecte une fois si vous n’avez plus votre application. Conservez-les maintenant : ils ne seront plus montrés.
codes-stored = Je les ai conservés
codes-new-title = Nouveaux codes de secours
codes-new-text = Vos codes de secours précédents cessent de fonctionner. La double authentification reste telle quelle.
codes-new-button = Créer de nouveaux codes
delete-title = Supprimer votre profil
delete-goes = Sont supprimés : votre adresse, votre mot de passe et la double authentification, vos sessions et votre appartenance aux comptes.
delete-accounts = Dans un compte dont vous êtes le seul membre, tous les jetons et toutes les clés sont révoqués, les demandes de clé sont retirées, les webhooks supprimés, et plus personne ne peut l’ouvrir. Dans les autres, les jetons que vous avez créés sont révoqués.
delete-stays = Restent : ce que le compte a publié, qui appartient à ses pages, ainsi que l’activité de son équipe et la vôtre avec votre adresse, pendant un an.
delete-button = Supprimer mon profil
delete-last-owner = Vous êtes le dernier propriétaire d’un compte qui a d’autres membres. Rendez d’abord l’un d’eux propriétaire, sur sa page « Team ».
delete-members-changed = Les membres d’un de vos comptes viennent de changer. Renvoyez le formulaire.
limit-tries = { $count ->
    [one] Trop d’essais. Réessayez dans { $number } minute.
   *[other] Trop d’essais. Réessayez dans { $number } minutes.
}
limit-mails = { $count ->
    [one] Trop de messages. Réessayez dans { $number } minute.
   *[other] Trop de messages. Réessayez dans { $number } minutes.
}
limit-codes = { $count ->
    [one] Trop de codes. Réessayez dans { $number } minute.
   *[other] Trop de codes. Réessayez dans { $number } minutes.
}
fault-unavailable = Une partie du site ne répond pas pour l’instant. Réessayez dans quelques secondes.
fault-closed = Tout est en lecture seule pour un moment : rien ne peut être modifié. Réessayez plus tard.
fault-sent-before = Ce formulaire a déjà été envoyé avec d’autres valeurs, et il n’agit qu’une fois. Si vous voulez aussi les valeurs affichées ici, renvoyez-le.
error-accounts = Vos comptes (en anglais)
error-look = Vérifier
error-link-gone-title = Ce lien ne fonctionne plus
error-link-gone = Il a déjà servi, il est trop ancien, ou il a été retiré ou remplacé par un plus récent. Si c’était une invitation, demandez-en une autre à la personne qui vous a invité.
error-sign-in-again-title = Reconnectez-vous
error-sign-in-again = Votre mot de passe, votre adresse ou la double authentification a changé entre-temps, ou vos sessions ont pris fin : rien n’a été fait. Reconnectez-vous.
error-signed-out-title = Vous êtes déconnecté
error-signed-out = Votre session a pris fin : rien n’a été fait. Connectez-vous, puis renvoyez le formulaire.
error-address-taken-title = Cette adresse est prise
error-address-taken = Une autre personne a cette adresse. Connectez-vous en tant que cette personne, ou choisissez une autre adresse.
error-form-kept = Cette page a gardé ce que vous avez saisi.
error-form-kept-secrets = Cette page a gardé ce que vous avez saisi, sans les mots de passe ni les codes.
error-sign-in-tab = Connectez-vous en tant que la même personne dans un autre onglet
error-then-back = { "," } puis revenez ici.
error-send-again = Renvoyer
done-password = Le mot de passe est changé, et vos autres sessions ont pris fin.
done-email = L’adresse est changée, et vos autres sessions ont pris fin.
done-email-sent = Nous avons envoyé un message à la nouvelle adresse. Le lien qu’il contient fonctionne pendant une heure.
done-totp-off = La double authentification est désactivée, et vos autres sessions ont pris fin.
done-session = La session a pris fin.
done-sessions = Toutes les autres sessions ont pris fin.
done-settings = La langue et les messages sont enregistrés.

## Les messages aux personnes

mail-link-foot = Le lien fonctionne pendant { $value }, une seule fois. Si vous ne l’avez pas demandé, ignorez-le : rien ne se passe tant que personne n’appuie sur le bouton de sa page.
mail-switch-foot = Vous pouvez désactiver les messages de ce type : { $value }
mail-no-reason = aucune n’a été donnée
mail-sign-up-subject = Créez votre compte sur Mchezo
mail-sign-up-body = Ouvrez cette page pour choisir un mot de passe et créer votre première clé (le tableau de bord est en anglais) :
mail-sign-up-exists-subject = Vous avez un compte sur Mchezo
mail-sign-up-exists-body = Quelqu’un veut créer un compte avec cette adresse, qui en a déjà un. Connectez-vous avec votre mot de passe ; si vous l’avez oublié, choisissez-en un nouveau ici :
mail-reset-subject = Un nouveau mot de passe sur Mchezo
mail-reset-body = Ouvrez cette page pour choisir un nouveau mot de passe :
mail-reset-nobody-subject = Aucun compte n’a cette adresse sur Mchezo
mail-reset-nobody-body = Quelqu’un a demandé un nouveau mot de passe, mais aucun compte n’a cette adresse. Vous en avez peut-être utilisé une autre. Pour créer un compte avec celle-ci, ouvrez cette page :
mail-new-address-subject = Confirmez votre nouvelle adresse
mail-new-address-body = Ouvrez cette page pour vous connecter désormais à Mchezo avec cette adresse :
mail-invite-owner-subject = Une invitation sur Mchezo
mail-invite-owner-body = { $inviter } vous invite à rejoindre un compte sur Mchezo, en tant que propriétaire. Ouvrez cette page pour accepter :
mail-invite-developer-subject = Une invitation sur Mchezo
mail-invite-developer-body = { $inviter } vous invite à rejoindre un compte sur Mchezo, en tant que développeur. Ouvrez cette page pour accepter :
mail-invite-editor-subject = Une invitation sur Mchezo
mail-invite-editor-body = { $inviter } vous invite à rejoindre un compte sur Mchezo, en tant qu’éditeur. Ouvrez cette page pour accepter :
mail-end-factor-subject = Téléphone perdu : fin de la double authentification
mail-end-factor-body = Quelqu’un qui connaît votre mot de passe dit que vous avez perdu votre téléphone et vos codes de secours. Ouvrez cette page pour mettre fin à la double authentification dans un jour. Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.
mail-factor-ends-subject = Votre double authentification prend fin dans un jour
mail-factor-ends-body =
    Quelqu’un a utilisé un lien dans un message qui vous était adressé pour mettre fin à votre double authentification : le téléphone et les codes de secours seraient perdus. Elle prend fin le { $at }. Votre mot de passe suffira alors pour vous connecter.

    Si ce n’était pas vous, empêchez-le ici et choisissez tout de suite un nouveau mot de passe :
mail-factor-of-member-ends-subject = La double authentification d’un membre prend fin dans un jour
mail-factor-of-member-ends-body =
    { $email } est membre d’un compte dont vous êtes propriétaire, et dit avoir perdu son téléphone et ses codes de secours. La double authentification de { $email } prend fin le { $at }. Le mot de passe suffira alors pour se connecter.

    Demandez à { $email }, autrement que par e-mail, si c’est vrai. Sinon, empêchez-le ici :
mail-factor-stays-subject = Votre double authentification reste active
mail-factor-stays-body =
    La fin de votre double authentification a été demandée, puis empêchée : par le lien d’un de nos messages, ou parce qu’un code a servi à se connecter.

    Si vous ne l’avez pas demandée, quelqu’un connaît votre mot de passe : choisissez-en un nouveau tout de suite.
mail-factor-ended-subject = Votre double authentification a pris fin
mail-factor-ended-body =
    Un jour s’est écoulé depuis la demande, et personne ne l’a empêchée : votre mot de passe suffit pour vous connecter. Connectez-vous et configurez de nouveau une application d’authentification : { $page }

    Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.
mail-password-changed-subject = Votre mot de passe a été changé
mail-password-changed-body =
    Le mot de passe de votre compte a été changé, et toutes les autres sessions ont pris fin.

    Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.
mail-password-reset-subject = Votre mot de passe a été changé
mail-password-reset-body =
    Un nouveau mot de passe a été choisi pour votre compte, et toutes les sessions ont pris fin.

    Si ce n’était pas vous, choisissez tout de suite un autre mot de passe.
mail-email-asked-subject = Un changement de votre adresse est demandé
mail-email-asked-body =
    Quelqu’un qui est connecté en votre nom veut remplacer votre adresse par { $address }. Un lien envoyé à cette adresse le fait.

    Si ce n’était pas vous, changez tout de suite votre mot de passe : cela annule aussi le lien.
mail-email-changed-subject = Votre adresse a été changée
mail-email-changed-body =
    Votre adresse de connexion, { $old }, a été remplacée par { $new }.

    Si ce n’était pas vous, répondez à ce message.
mail-totp-on-subject = La double authentification est active
mail-totp-on-body =
    Une application d’authentification est désormais nécessaire pour se connecter.

    Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.
mail-totp-off-subject = La double authentification est désactivée
mail-totp-off-body =
    Le mot de passe suffit désormais pour se connecter.

    Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.
mail-recovery-codes-subject = De nouveaux codes de secours ont été créés
mail-recovery-codes-body =
    De nouveaux codes de secours remplacent les précédents, qui ne fonctionnent plus.

    Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.
mail-wrong-codes-subject = Quelqu’un essaie des codes pour se connecter en votre nom
mail-wrong-codes-body =
    Vingt codes incorrects d’une application d’authentification ont été saisis pour vous aujourd’hui, par quelqu’un qui connaît votre mot de passe.

    Si ce n’était pas vous, connectez-vous et choisissez tout de suite un nouveau mot de passe : { $page }
mail-deleted-subject = Votre profil est supprimé
mail-deleted-body = Votre profil sur Mchezo est supprimé, comme vous l’avez demandé.
mail-new-network-subject = Une connexion depuis un nouveau réseau
mail-new-network-body =
    Vous vous êtes connecté depuis un réseau que nous ne connaissions pas : l’adresse { $address }, avec { $browser }, le { $at }.

    Si c’était vous, il n’y a rien à faire. Sinon, choisissez tout de suite un nouveau mot de passe, ce qui met fin à toutes les autres sessions : { $page }
mail-removed-subject = Vous ne faites plus partie d’une équipe
mail-removed-body =
    { $by } vous a retiré de l’équipe d’un compte sur Mchezo. Ses clés, webhooks et fiches continuent, vos jetons pour ce compte sont révoqués, et vous ne pouvez plus l’ouvrir.

    Si vous pensez que c’est une erreur, demandez à { $by }. Vos autres comptes (en anglais) : { $page }
mail-key-expires-subject = Une clé expire bientôt
mail-key-expires-body =
    La clé { $mode } « { $name } » (elle finit par { $last4 }) fonctionne jusqu’au { $at }. Les appels faits avec elle sont ensuite refusés.

    Créez-en une nouvelle à temps (page en anglais) : { $page }
mail-month-share-subject = 80 % des appels du mois sont utilisés
mail-month-share-body =
    Le compte { $name } a fait { $used } des { $limit } appels que comprend un mois de l’offre { $plan }.

    Quand ils seront épuisés, les appels avec des clés de production seront refusés avec 429 quota_exceeded jusqu’au { $resets }. Rien n’est facturé, et les clés de test fonctionnent toujours.

    Les jours et les chemins qui les ont utilisés (en anglais) : { $usage }
    Les offres (en anglais) : { $plans }
mail-month-used-subject = Les appels du mois sont épuisés
mail-month-used-body =
    Le compte { $name } a fait { $used } des { $limit } appels que comprend un mois de l’offre { $plan }.

    Les appels avec des clés de production sont refusés avec 429 quota_exceeded jusqu’au { $resets }. Rien n’est facturé, et les clés de test fonctionnent toujours.

    Les jours et les chemins qui les ont utilisés (en anglais) : { $usage }
    Les offres (en anglais) : { $plans }
mail-correction-subject = Un visiteur propose une correction d’une de vos fiches
mail-correction-body =
    Un visiteur propose une correction de { $title }. Lisez-la, et dites si elle est faite ou s’il n’y a rien à faire (page en anglais) :

    { $page }

    Nous envoyons au plus un message de ce type par jour et par fiche.
mail-key-approved-subject = Votre clé de production est approuvée
mail-key-approved-body =
    Notre équipe a approuvé la clé de production « { $name } ». Elle n’existe pas encore : un propriétaire ou un développeur l’affiche une seule fois et la conserve en lieu sûr.

    Affichez-la ici (page en anglais) : { $page }
mail-key-rejected-subject = Votre clé de production n’est pas approuvée
mail-key-rejected-body =
    Notre équipe n’a pas approuvé la clé de production « { $name } ». Sa raison : { $reason }

    Modifiez ce qu’elle indique et redemandez ; les clés de test fonctionnent toujours (page en anglais) : { $page }
mail-listing-approved-subject = Votre fiche est publique
mail-listing-approved-body =
    Notre équipe a approuvé { $title }. Tout le monde la voit maintenant : { $url }

    Ajoutez des images, modifiez-la à tout moment sans nouvel examen, et intégrez-la ailleurs (page en anglais) : { $page }
mail-listing-rejected-subject = Votre fiche n’est pas approuvée
mail-listing-rejected-body =
    Notre équipe n’a pas approuvé { $title }. Sa raison : { $reason }

    Modifiez ce qu’elle indique : l’enregistrement soumet de nouveau la fiche (page en anglais). { $page }
mail-listing-removed-subject = Votre fiche est retirée
mail-listing-removed-body =
    Notre équipe a retiré { $title }. Plus personne ne la trouve sur le site ni dans l’API, et les clés de ce jeu ne fonctionnent plus.

    Voyez ce qu’en dit la page de votre fiche, et à qui vous adresser (en anglais) : { $page }
mail-takedown-declined-subject = Votre fiche reste publique
mail-takedown-declined-body =
    Notre équipe a refusé de retirer { $title } comme vous l’aviez demandé. Sa réponse : { $reason }

    Vous pouvez refaire la demande avec une autre raison (page en anglais) : { $page }
mail-claim-granted-subject = Une page appartient maintenant à votre compte
mail-claim-granted-body =
    Notre équipe a accepté votre demande : la page { $handle } et ses jeux appartiennent à votre compte.

    Regardez ce qui s’y trouve et modifiez-le (page en anglais) : { $page }
mail-claim-rejected-subject = Votre demande pour une page est rejetée
mail-claim-rejected-body =
    Notre équipe a rejeté votre demande pour la page { $handle }. Sa raison : { $reason }

    Refaites la demande avec d’autres preuves (page en anglais) : { $page }
mail-report-held-subject = Un rapport de votre jeu est mis en attente
mail-report-held-body =
    Le rapport { $report } du jeu { $game } ne compte pas encore : une personne le vérifie d’abord. La raison : { $reason }

    D’ici là, les taux et les chiffres partent du rapport précédent. Vérifiez les nombres que votre jeu envoie ; si le rapport est juste, vous n’avez rien à faire (page en anglais) : { $page }
mail-report-counted-subject = Un rapport mis en attente compte
mail-report-counted-body =
    Notre équipe a approuvé le rapport { $report } du jeu { $game } : il compte maintenant.

    Vous n’avez rien à faire. Vos rapports (page en anglais) : { $page }
mail-report-rejected-subject = Un rapport mis en attente est rejeté
mail-report-rejected-body =
    Notre équipe a rejeté le rapport { $report } du jeu { $game } : il ne comptera jamais. Sa raison : { $reason }

    Corrigez ce que votre jeu envoie. Son prochain rapport est comparé au dernier qui compte (page en anglais) : { $page }
