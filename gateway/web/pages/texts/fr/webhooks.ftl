## Webhooks : adresses

webhook-title = Webhooks
webhook-none = Aucune adresse pour l’instant.
webhook-none-text = Donnez l’adresse de votre serveur : nous lui envoyons un POST signé quand une fiche est publiée ou modifiée, quand un joueur laisse un pourboire à votre jeu, ou quand une fiche change de place dans le classement de la semaine.
webhook-add = Ajouter une adresse
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
webhook-sample-of = Exemple de { $value }
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
webhook-added = Ajoutée le
webhook-head-label = Essai de l’adresse
webhook-head = Requête HEAD lors de l’ajout :
webhook-head-end = { "." } Toute réponse convient, sauf une redirection.
webhook-head-unreached = Nous n’avons pas pu l’atteindre lors de l’ajout (
webhook-head-unreached-end = ).
webhook-queued-since = { $from }, la plus ancienne depuis le { $to }
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
delivery-message = Message
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
## Les livraisons en échec qui sont renvoyées

recover-title = Renvoyer les livraisons en échec
recover-lead = { " :" } chaque livraison définitivement en échec depuis une date, quel que soit le moment de sa création, a droit à six nouvelles tentatives. Ce qui attend est envoyé aussi, même si vous ne choisissez plus cet événement.
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
recover-label = Renvoyées
recover-so-far = { $count ->
    [one] { $number } livraison en échec attend de nouveau pour l’instant ; les autres suivent
   *[other] { $number } livraisons en échec attendent de nouveau pour l’instant ; les autres suivent
}
