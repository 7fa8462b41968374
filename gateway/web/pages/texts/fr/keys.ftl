## Clés, utilisation, offres et requêtes

## Clés

key-title = Clés
key-none = Aucune clé pour l’instant.
key-create-test = Créez une clé de test
key-create-test-text = { " :" } elle est immédiate et lit les données d’exemple.
key-none-other = Un propriétaire ou un développeur de ce compte crée des clés.
key-create = Créer une clé
key-requested-title = Demandées
key-requested-label = Clés demandées
key-requested-at = Demandée le
key-name = Nom
key-key = Clé
key-rights = Droits
key-state = État
key-created = Créée le
key-last-used = Dernière utilisation
key-never = jamais
key-request-approved = approuvée
key-request-rejected = rejetée
key-request-waits = en attente d’examen
key-request-waits-text = Notre équipe examine les clés de production ; les clés de test fonctionnent entre-temps.
key-reveal = Afficher la clé
key-reveal-name = Afficher la clé { $value }
key-mode-test = test
key-mode-live = production
key-kind-secret = clé secrète
key-kind-public = clé publique
key-rights-reads = lecture
key-rights-writes = lecture et écriture
key-rights-of-game = { $from } du jeu { $to }
key-rights-of-game-writes = { $from } du jeu { $to }, écriture
key-state-works = fonctionne
key-state-revoked = révoquée
key-state-rotated = renouvelée
key-state-game-gone = son jeu n’est pas publié
key-state-not-owned = son jeu a un autre propriétaire
key-refusal-revoked = Elle a été révoquée le { $value } : les appels faits avec elle reçoivent définitivement 401. Créez une autre clé.
key-refusal-rotated = Elle a été renouvelée, et son délai de grâce a pris fin le { $value }. Les appels ont besoin de la nouvelle clé.
key-refusal-game-gone = Son jeu { $value } n’est pas publié : il attend son examen, a été rejeté ou a été retiré. La clé fonctionnera de nouveau dès que le jeu sera public.
key-refusal-not-owned = Son jeu { $value } appartient maintenant à un autre compte. La clé fonctionnera de nouveau si le jeu revient à ce compte.
key-refusal-month = Les appels de l’offre sont épuisés : les clés de production reçoivent 429 jusqu’au { $value }, ou jusqu’à ce que le compte ait une offre plus grande.

## Une nouvelle clé

key-first-name = Ma première clé
key-name-hint = À quoi sert la clé, par exemple le serveur qui l’utilise.
key-data = Données
key-choose-test = Test
key-choose-test-hint = données d’exemple, tout de suite
key-choose-live = Production
key-choose-live-hint = le vrai répertoire ; notre équipe examine d’abord la demande
key-options = Plus d’options
key-may-write = Peut écrire
key-may-write-hint = soumettre et modifier des fiches ; ne change plus une fois la clé créée
key-owner = Appartient
key-of-account = Au compte
key-of-game-secret = À un jeu, secrète
key-of-game-secret-hint = appels de l’économie depuis son serveur
key-of-game-public = À un jeu, publique
key-of-game-public-hint = peut être livrée dans son client
key-game = Jeu
key-game-hint = Pour la clé d’un jeu.
key-game-none-hint = Le compte n’a pas encore de jeu : soumettez-en un d’abord.
key-game-slug-hint = Son slug, pour la clé d’un jeu : la fin de son adresse.
key-game-none = aucun
key-create-button = Créer la clé

## Un secret, montré une seule fois

key-secret-test = Votre clé de test
key-secret-live = Votre clé de production
key-secret-new = Le nouveau secret
key-secret-name = Nom :
key-copy-now = Copiez-la maintenant.
key-copy-now-why = Nous n’en gardons qu’une empreinte : cette page est la seule qui la montre.
key-copy = Copier la clé
key-old-secret-works = L’ancien secret fonctionne encore :
key-paste-call = Collez-le dans un terminal :
key-copy-call = Copier l’appel
key-for-server = Pour votre serveur
key-copy-variable = Copier la variable
key-first-call-docs = Le premier appel en Python, Node et Go (en anglais)
key-all = Toutes les clés

## Une clé

key-one = Clé { $value }
key-rotate-title = Renouveler
key-rotate-text = Un nouveau secret avec les mêmes droits. L’ancien fonctionne encore 24 heures, pour que vous puissiez d’abord déployer le nouveau. Les deux partagent les appels par minute. Si la clé a été renouvelée il y a moins de 24 heures, le secret d’avant celui-ci s’arrête maintenant.
key-rotate-revoke = L’ancien secret s’arrête tout de suite.
key-rotate = Renouveler la clé
key-revoke-title = Révoquer
key-revoke-text = Le prochain appel avec cette clé est refusé, partout et définitivement.
key-was-used = Sa dernière utilisation date du { $value }.
key-was-not-used = Elle n’a jamais servi.
key-newest-call-in = Dans le
key-log = journal
key-newest-call-is = { "," } son appel le plus récent est
key-newest-call-answer = { "," } qui a reçu { $from } le { $to }.
key-revoke = Révoquer la clé
key-revoke-effect = { " ?" } Elle ne fonctionnera plus jamais.
key-revoke-yes = Oui, la révoquer

## Utilisation

usage-title = Utilisation
usage-month = Appels en { $value }
usage-month-calls = { $from } sur { $to } appels
usage-month-share = avec des clés de production ({ $value }).
usage-month-left = Il en reste { $from } jusqu’au { $to }.
usage-share-label = Part des appels du mois
usage-percent = { $value } %
usage-used-up = Quand ils sont épuisés, les clés de production reçoivent 429
usage-used-up-until = jusqu’à cette date. Rien n’est facturé. Les propriétaires et les développeurs reçoivent un message à 80 % et à 100 %.
usage-month-calls-only = Appels avec des clés de production : { $value }
usage-month-unlimited = { "." } L’offre n’a pas de limite mensuelle. Le décompte repart de zéro le { $value }.
usage-plan = Offre : { $value }.
usage-compare = Comparer les offres
usage-by-day = Appels par jour
usage-by-day-text = Appels avec des clés de production, du { $from } au { $to }. Les jours sont ceux d’UTC.
usage-by-day-caption = Appels par jour (UTC) ; les jours sans appel sont omis
usage-chart = Appels par jour du { $from } au { $to }, en UTC
usage-part-succeeded = réussis
usage-part-refused = refusés (4xx)
usage-part-limited = au-delà d’une limite (429)
usage-part-failed = échoués (5xx)
usage-day = Jour
usage-calls = Appels
usage-see-refused = Voir les appels refusés ou échoués
usage-none = Aucun appel avec une clé de production pendant ces jours.
usage-header = Chaque réponse indique ce qui reste de la minute et du mois dans son en-tête
usage-header-limits = { "," } et les limites dans

## Offres

plan-title = Offres
plan-api = L’API donne votre offre
plan-lead = Chaque offre donne des pages de 100 lignes au plus. Avec chacune, les clés de test sont gratuites, ne demandent aucune approbation et lisent les données d’exemple à toutes les adresses de l’API. Une fiche est gratuite ; ni une place dans un classement ni un badge de vérification ne s’achètent.
plan-plan = Offre
plan-own = votre offre
plan-coming = à venir, pas encore en vente
plan-calls-per-minute = Appels par minute, pour chaque clé
plan-calls-per-month = Appels par mois avec des clés de production
plan-keys = Clés de production actives
plan-writes = Écritures par jour
plan-webhooks = Adresses de webhooks
plan-events = Événements des webhooks
plan-no-limit = sans limite
plan-no-limit-per-month = sans limite : rien ne s’arrête, nous parlons d’abord
plan-real-events = événements réels et de test
plan-test-events = événements de test seulement
plan-beyond = Les appels au-delà d’une limite sont refusés avec un 429 qui dit combien de temps attendre. Ils ne sont jamais facturés.
plan-ask = Demander l’offre { $value }
plan-ask-mail = Écrivez à
plan-ask-staff = Dites à l’équipe de ce service
plan-ask-what = { " :" } ce que vous créez, le nombre d’appels que cela fait et l’identifiant de ce compte,
plan-ask-then = { "." } Notre équipe en parle avec vous et change l’offre ; les clés et les fiches restent telles quelles.
plan-usage = Utilisation de ce compte

## Requêtes : le journal des appels

request-title = Requêtes
request-lead = Les appels des sept derniers jours, les plus récents d’abord ; le journal en contient au plus { $value }. Ni les corps ni les clés n’y figurent.
request-sample = { $count ->
    [one] Le journal est un échantillon : { $number } autre appel est arrivé dans une seconde qui en comptait beaucoup. Il est omis ici.
   *[other] Le journal est un échantillon : { $number } autres appels sont arrivés dans des secondes qui en comptaient beaucoup. Ils sont omis ici.
}
request-any-key = toutes
request-only-errors = Seulement les appels refusés ou échoués
request-filter = Filtrer
request-all = Tout afficher
request-no-match = Aucun appel ne correspond. Élargissez le filtre, ou affichez tout.
request-none = Aucun appel pour l’instant.
request-none-paste = { "," } et collez l’appel qui l’accompagne : il apparaît ici en quelques secondes.
request-none-other = Un propriétaire ou un développeur de ce compte crée une clé ; ses appels apparaissent ici en quelques secondes.
request-time = Date
request-call = Appel
request-status = Statut
request-duration = Durée
request-cut-off = coupé
request-no-path = chemin inexistant
request-more = et { $value } de plus dans cette seconde
request-gone = supprimée
request-older = Appels plus anciens
request-id-header = Chaque réponse de l’API a son identifiant dans l’en-tête
request-id-body = et dans

## Pourquoi un appel du journal a été refusé ou a échoué, selon le code de son erreur, et ce que peut faire son auteur

request-left = L’appelant a fermé la connexion avant la réponse.
