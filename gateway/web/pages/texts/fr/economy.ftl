## Monnaies et taux d’un compte

## Les jeux

economy-list-title = Économie
economy-list-lead = Un jeu qui a une monnaie envoie des rapports sur son économie avec la clé secrète du jeu. Les taux de change entre les monnaies de tous les jeux répertoriés en découlent.
economy-no-game = Pas encore de jeu.
economy-no-game-submit = Soumettez d’abord un jeu,
economy-no-game-then = puis enregistrez sa monnaie ici.
economy-game = Jeu
economy-state = État
economy-no-currency = aucune
economy-register-it = L’enregistrer
economy-register-of = Enregistrer la monnaie du jeu { $value }
economy-public = public
economy-hidden = non public
economy-more-games = Jeux suivants

## La monnaie d’un jeu

economy-game-title = Économie – { $value }
economy-game-hidden = Le jeu n’est pas public : sa monnaie n’est donc pas répertoriée et n’a pas de taux.
economy-currency = Monnaie
economy-name = Nom
economy-name-since = Depuis
economy-name-by = Donné par
economy-by-owner = un propriétaire
economy-by-staff = notre équipe
economy-not-named = Pas encore de monnaie.
economy-not-named-here = Enregistrez-la ici : les rapports en ont besoin.
economy-not-named-others = Un propriétaire ou un développeur de ce compte l’enregistre.
economy-name-label = Nom de la monnaie
economy-name-hint = Tel que les joueurs le connaissent. Un nouveau nom est valable dès maintenant, aussi pour les rapports précédents.
economy-rename = La renommer
economy-register = Enregistrer la monnaie

## Ses rapports

economy-reports = Rapports
economy-no-report = Pas encore de rapport.
economy-no-report-server = Le serveur du jeu les envoie :
economy-no-report-with = avec sa
economy-no-report-key = clé secrète
economy-no-report-later = Un jeu envoie des rapports une fois que sa monnaie est enregistrée.
economy-time = Date
economy-basket = Panier
economy-supply = Masse monétaire
economy-output = Production
economy-players = Joueurs
economy-report-counts = compte
economy-report-rejected = rejeté
economy-report-held = en attente
economy-report-unknown = inconnu
economy-report-approved = Notre équipe l’a approuvé : { $value }.
economy-report-reason = Notre équipe l’a rejeté, { $from } : { $to }
economy-report-waits = Il attend notre équipe depuis le { $value }, et ne change rien tant qu’il n’est ni approuvé ni rejeté. Entre-temps, les rapports suivants comptent s’ils sont proches du dernier qui compte.
economy-earlier-reports = Rapports antérieurs
economy-api-reports = L’API donne les rapports qui comptent

## Ses taux

economy-rates = Taux
economy-rates-public = Dès qu’un premier rapport compte, les taux sont sur
economy-rates-page = la page publique de la monnaie
economy-all-games = Tous les jeux
