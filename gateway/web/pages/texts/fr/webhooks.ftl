## Webhooks : adresses

webhook-title = Webhooks
webhook-none = Aucune adresse pour l’instant.
webhook-none-text = Donnez l’adresse de votre serveur : nous lui envoyons un POST signé quand une fiche est publiée ou modifiée, quand un joueur laisse un pourboire à votre jeu, ou quand une fiche change de place dans le classement de la semaine.
webhook-add = Ajouter une adresse
webhook-samples-link = À quoi ressemblent les événements
webhook-plan-none = Votre offre ne comprend aucune adresse.
webhook-who-adds = Les adresses sont ajoutées par un propriétaire ou un développeur de ce compte.
webhook-addresses = Adresses
webhook-address = Adresse
webhook-state = État
webhook-state-on = active
webhook-state-paused = en pause
webhook-state-off = désactivée
webhook-state-unknown = inconnu
webhook-events = Événements
webhook-events-none = Cochez au moins un événement.
webhook-event = Événement
webhook-waiting = En attente
webhook-last-success = Dernier succès
webhook-never = jamais
webhook-of-plan = { $count ->
    [one] { $used } sur { $number } adresse comprise dans votre offre.
   *[other] { $used } sur { $number } adresses comprises dans votre offre.
}
webhook-plan-used-up = Votre offre ne comprend pas d’autre adresse. Supprimez-en une pour en ajouter une autre, ou changez d’offre.
webhook-plan-full = Supprimez-en une pour en ajouter une autre, ou changez d’offre.
webhook-plan-unlimited = Votre offre comprend un nombre illimité d’adresses.
webhook-plan-real = Votre offre comprend les événements réels.
webhook-plan-test = Votre offre ne comprend que les événements de test : les événements réels exigent une offre qui comprend des webhooks.
done-webhook-changed = L’adresse est modifiée.
done-webhook-paused = L’adresse est en pause. Les livraisons attendent que vous la réactiviez.
done-webhook-resumed = L’adresse est réactivée. Ce qui attendait est envoyé maintenant.
done-webhook-switched = Les messages sont désormais signés avec le nouveau secret.
done-webhook-removed = L’adresse est supprimée.
done-webhook-recovered = Les livraisons en échec sont renvoyées.
done-webhook-recovered-paused = L’adresse est en pause. Les livraisons en échec seront renvoyées quand vous la réactiverez.

## Le formulaire d’une adresse

webhook-add-button = Ajouter l’adresse
webhook-change-title = Modifier l’adresse
webhook-url-hint = En https, publique et avec un nom d’hôte, comme https://hooks.example/mchezo. Ni port, ni adresse IP, ni redirection.
webhook-rate-label = Débit maximal (livraisons par seconde)
webhook-rate-hint = Vide : aucune limite.
webhook-rate-number = Indiquez un nombre entier, ou laissez ce champ vide.
webhook-sample-of = Exemple de { $value }
webhook-samples-all = Exemples de tous les événements

## Un secret de signature, montré une seule fois

webhook-secret-title = Le secret de signature
webhook-secret-new-title = Le nouveau secret de signature
webhook-asked = Résultat d’une requête d’essai sans message :
webhook-asked-end = { "." } Toute réponse convient, sauf une redirection.
webhook-unreached = Nous n’avons pas encore pu l’atteindre (
webhook-unreached-end = ). Vérifiez l’adresse ou démarrez votre serveur.
webhook-copy-now = Copiez-le maintenant.
webhook-copy-now-text = Seule cette page le montre. Conservez-le sur votre serveur.
webhook-copy-secret = Copier le secret
webhook-for-server = Pour votre serveur
webhook-copy-variable = Copier la variable
webhook-library = Une bibliothèque de
webhook-library-takes = { "," } comme celle de Svix, prend le secret sans
webhook-copy-library = Copier pour une bibliothèque
webhook-until = Jusqu’au { $value },
webhook-old-signs = vient de l’ancien secret et
webhook-next-signs = de celui-ci. Donnez le nouveau secret à votre serveur d’ici là, ou passez-y plus tôt sur la
webhook-own-page = page de l’adresse
webhook-next = Ensuite
webhook-next-text = Démarrez votre récepteur avec le secret, puis envoyez-lui un événement de test et regardez sa réponse.
webhook-test = Envoyer un événement de test
webhook-go-to = Aller à cette adresse

## Une adresse

webhook-of = Webhook { $value }
webhook-off = Nous avons désactivé cette adresse.
webhook-off-queue = Aucun événement n’est mis en file pour elle.
webhook-off-queue-until = Aucun événement n’est mis en file pour elle tant que vous ne la réactivez pas.
webhook-limit = Limite
webhook-a-second = { $value } par seconde
webhook-no-limit = aucune
webhook-added = Ajoutée le
webhook-head-label = Essai de l’adresse
webhook-head = Requête HEAD lors de l’ajout :
webhook-head-end = { "." } Toute réponse convient, sauf une redirection.
webhook-head-unreached = Nous n’avons pas pu l’atteindre lors de l’ajout (
webhook-head-unreached-end = ).
webhook-queued-since = { $from }, la plus ancienne depuis le { $to }
webhook-samples = Exemples
webhook-pause-title = Mettre en pause ou modifier
webhook-pause = Mettre en pause
webhook-resume = Réactiver
webhook-change = Modifier
webhook-paused-note = Tant qu’elle est en pause, ses livraisons attendent jusqu’à 30 jours.
webhook-secret-heading = Secret de signature
webhook-rotating = Un nouveau secret attend : jusqu’au { $value },
webhook-rotating-old = vient encore de l’ancien, et
webhook-rotating-new = du nouveau. Passez au nouveau dès que votre récepteur l’a.
webhook-switch = Passer maintenant au nouveau secret
webhook-rotate-text = Un nouveau secret est montré une seule fois. L’ancien signe encore pendant un jour, pour que vous puissiez d’abord donner le nouveau à votre récepteur.
webhook-rotate = Créer un nouveau secret
webhook-remove = Supprimer
webhook-remove-text = L’adresse ne reçoit plus rien, et ses livraisons sont supprimées avec elle.
webhook-remove-address = Supprimer l’adresse
webhook-remove-question = avec ses livraisons et son secret ? Personne ne peut les rétablir. Pour arrêter les messages quelque temps, mettez l’adresse en pause.
webhook-remove-yes = Oui, la supprimer
webhook-all = Toutes les adresses

## Les événements et leurs exemples

webhook-samples-title = Exemples d’événements
webhook-samples-lead = Les corps tels qu’ils sont envoyés, avec des fiches inventées. Un événement de test a lui aussi un tel corps.
webhook-samples-api = est un chemin de l’API : lisez-le avec une clé de production pour obtenir la fiche telle qu’elle est maintenant.
webhook-about-game = À propos d’un jeu
webhook-about-studio = À propos d’un studio
webhook-about-person = À propos d’une personne
webhook-about-event = À propos d’un événement
webhook-copy-sample = Copier l’exemple de { $from } { $to }
webhook-when-listing-published = Un jeu, un studio, une personne ou un événement a été approuvé et figure dans le répertoire.
webhook-when-listing-updated = Une fiche publiée a été modifiée.
webhook-when-tip-paid = Un joueur a laissé un pourboire à l’un de vos jeux enregistrés.
webhook-when-ranking-moved = Une fiche a changé de place dans le classement de la semaine ; vérifié une fois par jour à 04:00 UTC.
webhook-when-ping = Vous appuyez sur « Envoyer un événement de test ».

## Livraisons

delivery-heading = Livraisons
delivery-to = Vers
delivery-kept = Elles sont gardées pendant 30 jours.
delivery-any = tous
delivery-since = À partir de (UTC)
delivery-before = Avant (UTC)
delivery-time = Écrivez la date et l’heure comme 2026-11-23T14:05, en UTC.
delivery-no-state = Cet état n’existe pas : choisissez-en un.
delivery-filter = Filtrer
delivery-no-match = Aucune livraison ne correspond. Élargissez le filtre, ou affichez tout.
delivery-none = Aucune pour l’instant.
delivery-none-send = Envoyez un événement de test
delivery-none-result = { " :" } son résultat apparaît aussitôt.
delivery-none-appear = Elles apparaîtront ici avec les réponses du récepteur.
delivery-older = Livraisons plus anciennes
delivery-all = Toutes les livraisons
delivery-created = Création
delivery-tries-heading = Tentatives
delivery-last-answer = Dernière réponse
delivery-next-try = Prochaine tentative
delivery-now = maintenant
delivery-newest = Dernières livraisons
delivery-recent = livrées : { $from } sur { $to }
delivery-recent-failed = en échec : { $value }
delivery-days = Livraisons par jour du { $from } au { $to }, en UTC
delivery-days-figures = Les chiffres
delivery-days-caption = Livraisons selon le jour de leur création (UTC) ; les jours sans livraison sont omis
delivery-days-none = Aucune livraison des { $number } derniers jours n’est terminée pour l’instant.
delivery-days-cut = Il y en a d’autres : seules les plus récentes sont comptées.
delivery-failures = Échecs depuis lors
delivery-failed-last = { $from }, le dernier le { $to }
delivery-state-waiting = en attente
delivery-state-retrying = nouvel essai prévu
delivery-state-delivered = livrée
delivery-state-failed = en échec
delivery-state-cancelled = annulée
delivery-state-unknown = inconnu

## Une livraison

delivery-of = Livraison de { $value }
delivery-reloads = { $count ->
    [one] Cette page se recharge chaque seconde.
   *[other] Cette page se recharge toutes les { $number } secondes.
}
delivery-stop = Arrêter
delivery-message = Message
delivery-change-label = Ce qu’il faut changer
delivery-change = Ce qu’il faut changer :
delivery-guide = Le guide des récepteurs (en anglais)
delivery-send-again = Renvoyer
delivery-said = Votre récepteur a répondu :
delivery-answer-to = La réponse à la tentative { $number }
delivery-headers = En-têtes de la réponse, sans cookies ni identifiants
delivery-headers-of = En-têtes de la réponse à la tentative { $number }
delivery-no-body = La réponse n’avait pas de corps.
delivery-body = Corps
delivery-copy-body = Copier le corps
delivery-curl = Avec curl
delivery-curl-signs = Cette commande signe de nouveau, avec le secret de
delivery-curl-since = { "," } car une signature est valable cinq minutes. Changez l’adresse pour envoyer le message à un récepteur sur votre machine.
delivery-copy-command = Copier la commande
delivery-listing = La fiche telle qu’elle est maintenant
delivery-copy-call = Copier l’appel
delivery-tries = { $count ->
    [one] { $number } tentative
   *[other] { $number } tentatives
}
delivery-waits-paused = L’adresse est en pause : l’envoi aura lieu quand vous la réactiverez.
delivery-waits-off = L’adresse est désactivée : l’envoi aura lieu quand vous la réactiverez.
delivery-on-its-way = Elle est en route.
delivery-retry-now = La dernière tentative a échoué. Une autre est en cours.
delivery-retry-at = La dernière tentative a échoué. La prochaine aura lieu le { $value }, ou plus tôt.
delivery-retry-follows = La dernière tentative a échoué. Une autre suivra.
delivery-arrived = Votre récepteur l’a acceptée après { $value }.
delivery-failed-after = Elle a échoué après { $value }, et ne sera pas renvoyée, sauf par vous.
delivery-not-sent = Elle n’est pas envoyée.
delivery-again-paused = L’adresse est en pause : la tentative aura lieu quand vous la réactiverez.
delivery-again-off = L’adresse est désactivée : réactivez-la avant de renvoyer cette livraison.
delivery-again-waiting = Une tentative a lieu maintenant. S’il y en a une en cours et qu’elle échoue, la suivante a lieu aussitôt.
delivery-again-once = Une seule tentative a lieu maintenant. Si elle échoue, aucune autre ne suit.

## Les réponses à une tentative, et pourquoi il n’y en a pas

delivery-milliseconds = { $value } ms
delivery-answered-in = a répondu { $from } en { $to }

## Ce que la personne qui exploite un récepteur peut changer après un échec

delivery-advice-redirect = Les redirections ne sont pas suivies. Remplacez l’adresse par celle vers laquelle votre serveur redirige. Souvent, seule une barre oblique à la fin les distingue, ou www.
delivery-advice-signature = Votre récepteur a refusé la signature ou l’heure. Le plus souvent, il a un autre secret, ou une partie seulement du bon : le secret commence par svc_whsec_, et un signe égal à sa fin en fait partie. Vérifiez les octets du corps tels qu’ils sont arrivés, et que l’horloge de votre serveur est à l’heure : un message est valable cinq minutes.
delivery-advice-path = Rien n’accepte de POST à ce chemin. Comparez le chemin de l’adresse avec la route de votre récepteur, et faites en sorte que cette route accepte POST.
delivery-advice-gone = 410 signifie que l’adresse a disparu pour de bon : elle a donc été désactivée. Si ce n’est pas ce que vous vouliez dire, faites répondre autre chose à votre récepteur, puis réactivez l’adresse.
delivery-advice-too-many = Votre récepteur veut moins de messages à la fois. Fixez pour l’adresse une limite de livraisons par seconde.
delivery-advice-refused = Votre récepteur a refusé le message. Sa réponse ci-dessous et son journal disent pourquoi. Il devrait répondre 2xx à tout message bien signé, même à un événement qu’il ne connaît pas.
delivery-advice-broken = Votre récepteur est en panne, ou un proxy placé devant lui ; le journal dit pourquoi. Vérifiez et enregistrez le message, répondez 2xx, et faites le travail ensuite.
delivery-advice-status = Faites répondre votre récepteur avec un statut de 200 à 299.
delivery-advice-slow = Votre récepteur a mis trop de temps. Vérifiez et enregistrez le message, répondez 2xx aussitôt, et faites le travail ensuite.
delivery-advice-certificate = Le certificat de votre serveur n’est pas accepté. Présentez-en un qui soit valide pour ce nom d’hôte, avec tous les certificats entre lui et son autorité.
delivery-advice-name = Le nom d’hôte ne mène pas à une adresse publique. Regardez ses enregistrements DNS, et si l’adresse contient une faute de frappe.
delivery-advice-port = Votre serveur n’accepte pas de connexions sur le port de cette adresse. Vérifiez qu’il fonctionne, et qu’aucun pare-feu ne refuse les nôtres.
delivery-advice-closed = Votre serveur a fermé la connexion. Vérifiez que le récepteur fonctionne, et qu’un proxy placé devant lui attend assez longtemps.
delivery-advice-address = Donnez de nouveau l’adresse : en https, publique et avec un nom d’hôte.

## Les livraisons en échec qui sont renvoyées

recover-title = Renvoyer les livraisons en échec
recover-lead = { " :" } chaque livraison définitivement en échec depuis une date, quel que soit le moment de sa création, a droit à six nouvelles tentatives, 10 000 livraisons au plus à la fois. Ce qui attend est envoyé aussi, même si vous ne choisissez plus cet événement.
recover-since = En échec depuis (UTC)
recover-since-hint = Le moment où votre récepteur a commencé à échouer. Les livraisons sont gardées pendant 30 jours.
recover-choose = Choisissez une date et une heure.
recover-count = Les compter
recover-none = Aucune livraison n’est définitivement en échec depuis lors.
recover-failed = { $count ->
    [one] { $number } livraison en échec
    [10000] { $number } livraisons en échec ou plus
   *[other] { $number } livraisons en échec
}
recover-have-failed = { $count ->
    [one] { $number } livraison a échoué depuis le
    [10000] { $number } livraisons ou plus ont échoué depuis le
   *[other] { $number } livraisons ont échoué depuis le
}
recover-known-ids = Votre récepteur verra des identifiants qu’il connaît peut-être.
recover-send = { $count ->
    [one] La renvoyer
   *[other] Les renvoyer
}

## La vérification d’un récepteur

check-title = Vérifier mon récepteur
check-address = Adresse :
check-lead = La vérification envoie une quarantaine de messages en quelques secondes, signés comme des livraisons. La plupart sont des pings. Certains sont falsifiés exprès, et d’autres ont un corps étrange mais signé : pas du JSON, ou du JSON qui n’est pas un de nos messages. Ils ne doivent pas mettre un récepteur en panne. Chaque réponse est comparée aux six règles des récepteurs. Ces messages ne sont pas des livraisons : ils n’apparaissent dans aucune liste, et une mauvaise réponse est sans conséquence.
check-old-secret = vient de l’ancien secret.
check-own-machine = Sur votre propre machine,
check-sees-more = en voit davantage : si un travail est répété, et si les identifiants survivent à un redémarrage.
check-run = Lancer la vérification
check-run-again = Relancer la vérification
check-takes = Elle peut prendre 20 secondes.
check-verdict-right = respectée
check-verdict-partly = respectée, pour ce que nous en voyons
check-verdict-broken = enfreinte
check-verdict-open = non vérifiée
check-all-right = Toutes les réponses suivent les six règles.
check-none-broken = { $count ->
    [one] Aucune règle n’est enfreinte, mais { $number } n’a pas pu être vérifiée.
   *[other] Aucune règle n’est enfreinte, mais { $number } n’ont pas pu être vérifiées.
}
check-broken = { $count ->
    [one] { $number } règle est enfreinte.
   *[other] { $number } règles sont enfreintes.
}
check-open = { $count ->
    [one] { $number } n’a pas pu être vérifiée.
   *[other] { $number } n’ont pas pu être vérifiées.
}
check-only-you = Ce que vous seul pouvez voir :
check-should-be = { " ;" } réponse attendue :
check-sent = Envoyé, sous forme de commande curl ; sa signature est valable cinq minutes :
check-copy = Copier : { $value }
check-no-body = La réponse n’a pas de corps.
check-begins = La réponse commence ainsi :
check-rule-1 = Lire le corps brut avant de l’analyser
check-rule-2 = Répondre 401 à une heure ou à une signature fausse
check-rule-3 = Répondre 400 à un corps signé qui n’est pas du JSON
check-rule-4 = Répondre 200 à un identifiant déjà traité, sans en répéter le travail
check-rule-5 = Répondre 200 aussitôt, et faire ensuite le travail qui prend du temps
check-rule-6 = Répondre 200 à un événement inconnu, et l’ignorer
check-unseen-2 = S’il compare les signatures en temps constant. Cherchez hmac.compare_digest, timingSafeEqual ou un équivalent dans son code.
check-unseen-4 = S’il ne fait qu’une fois le travail d’un identifiant, même après un redémarrage. Cherchez l’identifiant ci-dessous dans son journal ; puis redémarrez-le, et appuyez sur « Renvoyer » pour une livraison qu’il a traitée.
check-unseen-5 = Si le travail de ses événements réels attend qu’il ait répondu. Envoyez-lui un événement de test de chaque type, et comparez les temps.
check-unseen-6 = S’il ignore l’événement.

## Les messages de la vérification

check-probe-a-ping = un ping
check-probe-the-same-ping-again = le même ping une seconde fois
check-probe-a-body-with-spaces-and-line-breaks = un corps avec des espaces et des sauts de ligne
check-probe-a-body-with-its-keys-in-another-order = un corps dont les clés sont dans un autre ordre
check-probe-a-body-with-escapes = un corps avec des séquences d’échappement
check-probe-a-body-that-is-not-ASCII = un corps qui n’est pas en ASCII
check-probe-a-body-with-numbers-in-odd-forms = un corps avec des nombres écrits de façon inhabituelle
check-probe-a-message-without-a-timestamp = un message sans horodatage
check-probe-a-message-signed-310-seconds-ago = un message signé il y a 310 secondes
check-probe-a-message-signed-310-seconds-ahead = un message signé avec 310 secondes d’avance
check-probe-a-message-with-a-signed-timestamp-that-is-no-number = un message dont l’horodatage signé n’est pas un nombre
check-probe-a-message-with-an-empty-timestamp-signed = un message avec un horodatage vide, signé
check-probe-a-message-with-a-signed-timestamp-of-40-digits = un message avec un horodatage signé de 40 chiffres
check-probe-a-message-with-the-signed-timestamp-NaN = un message avec l’horodatage signé NaN
check-probe-a-message-with-a-signed-timestamp-in-milliseconds = un message avec un horodatage signé en millisecondes
check-probe-a-message-signed-310-seconds-ago-with-a-second-timestamp-of-now = un message signé il y a 310 secondes, avec un second horodatage de maintenant
check-probe-a-message-signed-310-seconds-ago-with-a-timestamp-of-now-before-its-own = un message signé il y a 310 secondes, avec un horodatage de maintenant avant le sien
check-probe-a-message-with-a-timestamp-that-is-not-the-signed-one = un message dont l’horodatage n’est pas celui qui est signé
check-probe-a-message-without-a-signature = un message sans signature
check-probe-a-message-with-an-empty-signature = un message avec une signature vide
check-probe-a-message-with-half-a-signature = un message avec la moitié d’une signature
check-probe-a-message-with-more-characters-behind-its-signature = un message avec des caractères de plus après sa signature
check-probe-a-message-with-the-last-character-of-its-signature-changed = un message dont le dernier caractère de la signature est changé
check-probe-a-message-with-a-signature-that-is-not-hexadecimal = un message dont la signature n’est pas hexadécimale
check-probe-a-message-signed-with-another-secret = un message signé avec un autre secret
check-probe-a-message-signed-with-an-empty-secret = un message signé avec un secret vide
check-probe-a-message-changed-after-it-was-signed = un message modifié après sa signature
check-probe-a-message-whose-body-was-removed-after-it-was-signed = un message dont le corps a été retiré après sa signature
check-probe-a-message-signed-240-seconds-ago = un message signé il y a 240 secondes
check-probe-a-message-signed-240-seconds-ahead = un message signé avec 240 secondes d’avance
check-probe-a-text-that-is-not-JSON = un texte qui n’est pas du JSON
check-probe-half-a-JSON-object = la moitié d’un objet JSON
check-probe-an-empty-body = un corps vide
check-probe-two-JSON-objects = deux objets JSON
check-probe-JSON-with-single-quotes = du JSON avec des guillemets simples
check-probe-a-body-that-is-not-UTF-8 = un corps qui n’est pas en UTF-8
check-probe-JSON-with-NaN = du JSON avec NaN
check-probe-a-list-instead-of-a-message = une liste au lieu d’un message
check-probe-null-instead-of-a-message = null au lieu d’un message
check-probe-a-text-instead-of-a-message = un texte au lieu d’un message
check-probe-a-ping-without-an-id = un ping sans identifiant
check-probe-a-ping-whose-id-is-an-object = un ping dont l’identifiant est un objet
check-probe-a-ping-whose-id-is-half-of-a-surrogate-pair = un ping dont l’identifiant est la moitié d’une paire de substitution UTF-16
check-probe-a-message-whose-event-is-a-list = un message dont l’événement est une liste
check-probe-an-event-that-nobody-knows = un événement que personne ne connaît
