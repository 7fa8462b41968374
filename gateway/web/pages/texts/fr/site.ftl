# Les textes du site public en français, et ce que toutes les pages ont en commun. Chaque clé est aussi dans le même fichier des autres langues ; un test compare les
# fichiers entre eux et avec les pages.

## Le cadre de toutes les pages

skip = Aller au contenu
colon = { " :" }
nav-label = Pages
nav-games = Jeux
nav-creators = Créateurs
nav-events = Événements
nav-places = Lieux
nav-you-label = Votre compte
nav-docs = Développeurs
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
language-label = Langue
sample-title = Données d’exemple
sample-notice = Cette fiche est inventée : elle fait partie des données d’exemple que lisent les clés de test.
api-call-same = La même chose par l’API
api-call-colon = { $value } :
api-call-copy = Copier l’appel { $value }
people-copy = Copier
part-unavailable = Cette partie de la page n’est pas disponible pour le moment. Réessayez dans quelques secondes.

## Page d’accueil

start-title = Jeux d’Afrique
start-lead = Des jeux de toute l’Afrique, celles et ceux qui les créent, et les événements où l’on se rencontre.
start-new = Nouveautés de la semaine
start-featured = Les jeux du jour
start-vote = Deux jeux, un choix. Les classements viennent des choix des joueurs.
start-all-games = Tous les jeux
start-events = Prochains événements
start-all-events = Tous les événements
start-developers-title = Pour les développeurs et les studios
start-developers = Le même catalogue existe sous forme d’API, avec des webhooks signés et les taux de change entre les monnaies des jeux. Les studios présentent leurs jeux sur ce site et y modifient leurs fiches. Les clés de test sont immédiates et gratuites.
start-sign-up = Créer un compte
start-docs = Lire la documentation (en anglais)
start-first-call = Le premier appel
notice-signed-out = Votre session est fermée.
notice-deleted = Votre profil est supprimé. Au revoir.

## Listes

list-show = Afficher
list-any = Tous
# Avec un nom féminin.
list-any-feminine = Toutes
list-next = Page suivante
list-first = Première page
list-empty = Rien n’est encore répertorié ici.
list-empty-filtered = Rien ne correspond à ces filtres.
list-all = Tout afficher
list-follow = Suivre cette liste :
feed-games = Nouveaux jeux (flux)
feed-games-title = Nouveaux jeux
feed-calendar = Événements pour votre agenda
games-title = Jeux
games-description = Les jeux créés en Afrique, par genre, plateforme, pays et état d’avancement.
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
filter-stage = État d’avancement
filter-kind = Type
filter-when = Période

## Un jeu

game-by = par
game-genres = Genres
game-platforms = Plateformes
game-stage = État d’avancement
game-year = Année
game-place = Origine
game-currency = Monnaie
game-currency-late = ses rapports sont en retard
game-featured = À la une
game-trailer = Voir la bande-annonce sur { $value }
game-trailer-hint = Rien n’est chargé depuis cet autre site tant que vous ne suivez pas le lien.
game-about = À propos du jeu
game-pictures = Images
game-picture = Image { $value }
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
board-up = en hausse depuis le rang { $value }
board-down = en baisse depuis le rang { $value }
board-same = inchangé

## Autour d’une fiche : où jouer, ce qui manque, le partage, les voisins

game-stores = Où jouer
game-ask-store = Vous connaissez un lien pour y jouer ?
game-ask-description = Personne n’a encore décrit ce jeu. Vous avez un texte ?
game-ask-site = Vous connaissez le site de son créateur ?
game-ask-do = Proposez-le
game-others = Autres jeux de
game-similar = Jeux semblables
creator-ask-links = Vous connaissez leur site ?
event-ask-site = Vous connaissez le site de l’événement ?
share-link-title = Partager
share-copy-link = Copier le lien
share-copied = Copié
share-selected = Sélectionné : appuyez sur Ctrl+C
board-share = a remporté { $value } % de ses votes
event-calendar = Ajouter à mon agenda

## Listes filtrées et carte

list-description = { $value }, dans le répertoire des jeux créés en Afrique.
places-all = Tous les lieux
places-countries = Pays
map-label = { $from } : { $to }
map-hint = Plus la couleur d’un pays est vive, plus il compte de jeux.

## Un vote et son effet

vote-keys = Touches : ← vote pour la première fiche, → pour la seconde.

## Monnaies : exemples et unités

economy-example = Un exemple : si un repas, un trajet et un mois de loyer coûtent 25 500 Cowries dans un jeu et 402 Shells dans un autre, un Shell vaut 63,43 Cowries.
economy-guide = Comment un jeu envoie ses rapports (en anglais)

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
action-claim = Revendiquer ou gérer cette page
action-write = Nous écrire au sujet de cette fiche
note-optional = facultatif

## Votes et classements

nav-vote = Voter
nav-economy = Monnaies
nav-boards = Classements
vote-title-games = Quel jeu est le meilleur ?
vote-title-creators = Qui crée les meilleurs jeux ?
vote-description = Deux fiches tirées au sort : choisissez-en une, ou passez. Les classements viennent de ces votes.
vote-for = Voter pour { $value }
vote-skip = Passer cette paire
vote-counted = Votre vote est compté. Voici la paire suivante.
vote-repeated = Une paire compte une fois par jour, et votre premier vote sur celle-ci est maintenu. Voici la paire suivante.
vote-refused = Ce vote n’a pas été compté : la paire a été tirée il y a plus de dix minutes, ou pour quelqu’un d’autre, ou beaucoup de personnes de votre réseau ont voté depuis, ou l’une des deux fiches n’est plus répertoriée. Voici une nouvelle paire.
vote-unknown = Ce vote n’a pas été compté, car votre navigateur n’a pas envoyé le cookie de ce site. Autorisez les cookies pour ce site, et votez sur cette nouvelle paire.
vote-closed = Ce vote n’a pas été compté : ce site est en lecture seule pour le moment. Réessayez plus tard.
vote-none-left = Il ne reste plus de paire pour vous aujourd’hui. Revenez demain (UTC), ou votez dans l’autre catégorie.
vote-limit = Ce vote n’a pas été compté. Le nombre de votes par heure et par jour est limité, pour chaque personne, et pour chaque réseau d’où l’on vote sans compte ou avec un compte de moins de 30 jours.
vote-again-minutes = { $count ->
    [one] Réessayez dans { $number } minute.
   *[other] Réessayez dans { $number } minutes.
}
vote-again-hours = { $count ->
    [one] Réessayez dans { $number } heure.
   *[other] Réessayez dans { $number } heures.
}
vote-no-rank = Dans aucun classement pour l’instant.
vote-board = Le classement de la semaine
vote-as-account = Vous votez au nom de { $value }.
vote-your-account = votre compte
vote-as-cookie = Vous votez sans compte ; un cookie fait en sorte que chaque paire ne compte qu’une fois.
boards-title = Classements
boards-description = Les jeux et les créateurs, classés par les votes. Chaque vote est un choix entre deux d’entre eux.
boards-how = Fonctionnement des classements
boards-vote = Voter : lequel est le meilleur ?
boards-empty = Pas encore de vote sur cette période. Soyez la première personne à voter.
boards-same = Pour l’instant, identique à la période plus courte.

## Monnaies et taux

economy-title = Monnaies des jeux
economy-lead = Beaucoup de jeux ont leur propre monnaie. Les taux de change sont calculés à partir des rapports des jeux.
economy-how = Fonctionnement des classements et des taux
economy-empty = Aucune monnaie n’est encore répertoriée. Un studio enregistre la monnaie de son jeu dans le tableau de bord, et le jeu envoie des rapports.
economy-unavailable = Les taux ne sont pas disponibles pour le moment. Réessayez dans quelques secondes.
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
figure-inflation = Inflation depuis le rapport précédent
figure-growth = Croissance de la production depuis le rapport précédent
figure-money-growth = Croissance de la masse monétaire depuis le rapport précédent
figure-balance = Balance commerciale sur 30 jours
rates-title = Taux actuels
rates-lead = Ce qu’achète une unité de { $value }.
rates-empty = Aucune autre monnaie n’est répertoriée ici : il n’y a rien à comparer.
rates-of = Monnaie
rates-rate = Taux
rates-day = Variation sur 24 h
rates-month = 30 jours
rates-course = Le taux calculé sur les 30 derniers jours : { $from } au début, { $to } maintenant
rates-course-since = Le taux calculé depuis le { $day } : { $from } au début, { $to } maintenant
rates-since = depuis le { $value }
rates-all = Tout sur { $value }
rates-source = Source
rates-at = Date
rate-source-worked = calculé
rate-source-market = de marché
currency-of-game = { $from } – { $to }
method-title = La méthode des taux

## Recherche

search-title = Recherche
search-nothing-typed = Saisissez un nom dans le champ en haut de la page, ou parcourez une liste :
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

error-not-found-title = Page introuvable
error-not-found = L’adresse contient peut-être une faute de frappe, ou la page n’existe plus.
error-not-found-account = L’adresse contient peut-être une faute de frappe, la page n’existe plus, ou elle appartient à un compte dont vous n’êtes pas membre.
error-invalid-title = Cette adresse ne fonctionne pas
error-invalid = Le filtre ou la page que cette adresse indique n’existe pas, ou n’existe plus. Repartez de la première page.
error-limit-title = Moins vite
error-limit = { $count ->
    [one] Trop de pages en une minute. Réessayez dans { $number } seconde. Un programme devrait utiliser l’API, qui a ses propres limites.
   *[other] Trop de pages en une minute. Réessayez dans { $number } secondes. Un programme devrait utiliser l’API, qui a ses propres limites.
}
error-unavailable-title = Indisponible pour le moment
error-reference = La référence n’est pas disponible pour le moment. Réessayez dans quelques secondes.
error-refused-title = Requête refusée
error-refused = Cette adresse ne peut pas faire ce qui est demandé. Partez d’une page du site.
error-too-large-title = Trop de texte
error-too-large = Le formulaire contient plus de texte que permis, et rien n’a été enregistré. Revenez en arrière, raccourcissez-le et renvoyez-le.
error-coded-title = Formulaire compressé
error-coded = Le formulaire a l’en-tête Content-Encoding « { $value } », mais les formulaires sont lus tels quels. Envoyez-le sans compression et sans cet en-tête.
error-method-title = Ce type de requête n’est pas accepté
error-method = Cette adresse répond à un autre type de requête. Ouvrez la page du formulaire et envoyez-le depuis celle-ci.
error-cross-site-title = Envoyé depuis un autre site
error-cross-site = Ce formulaire a été envoyé depuis un autre site, et rien n’a été fait. Ouvrez la page ici et envoyez-le de nouveau.
error-slow-title = Cela a pris trop de temps
error-slow = La requête a été arrêtée. Vérifiez si elle a eu un effet avant de la renvoyer.
error-internal-title = Une erreur s’est produite
error-internal = Une panne s’est produite de notre côté. Elle figure dans notre journal sous l’identifiant ci-dessous.
error-ways = Pour continuer
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
date-day-of-month = { $day ->
    [1] 1er
   *[other] { $day }
} { $month }
date-days-of-month = du { $day ->
    [1] 1er
   *[other] { $day }
} au { $last_day } { $month } { $year }
date-minute = { $day } à { $time } UTC
date-month = { $month } { $year }
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
role-developer = Développeur·se
role-educational = Jeux éducatifs
role-founder = Fondateur·rice
role-mobile = Jeux mobiles
role-producer = Producteur·rice
role-programmer = Programmeur·se
role-publisher = Éditeur·rice
role-serious-games = Jeux sérieux
role-web = Jeux web
role-writer = Scénariste
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

## Villes dont le nom change selon la langue, par pays et nom dans le répertoire

city-dz-algiers = Alger
city-eg-alexandria = Alexandrie
city-eg-cairo = Le Caire
city-eg-giza = Gizeh
city-eg-luxor = Louxor
city-eg-port-said = Port-Saïd
city-et-addis-ababa = Addis-Abeba
city-ma-fes = Fès
city-ma-marrakesh = Marrakech
city-ma-meknes = Meknès
city-ma-tangier = Tanger
city-mu-port-louis = Port-Louis
city-so-mogadishu = Mogadiscio
city-za-cape-town = Le Cap
