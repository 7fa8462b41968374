## Le cadre d’un compte : aujourd’hui, équipe, activité, réglages, appels

account-unnamed = Compte
account-switch = Changer de compte
account-all = Tous les comptes
account-nav-today = Aujourd’hui
account-nav-keys = Clés
account-nav-usage = Utilisation
account-nav-requests = Requêtes
account-nav-webhooks = Webhooks
account-nav-listings = Fiches
account-nav-economy = Économie
account-nav-team = Équipe
account-nav-activity = Activité
account-paused = Les nouveaux jeux et événements ne sont pas acceptés pour un moment. Les fiches déjà répertoriées peuvent toujours être modifiées.
api-call-same = Par l’API
api-call-colon = { $value } :
api-call-copy = Copier l’appel { $value }

## Parties des formulaires et des tableaux

errors-heading = { $count ->
    [one] Il y a une erreur
   *[other] Il y a { $number } erreurs
}
errors-title = { $count ->
    [one] Erreur :
   *[other] { $number } erreurs :
}
changes-label = Modifications
changes-field = Champ
changes-before = Avant
changes-after = Après
changes-empty = vide
image-elsewhere = Sur un autre site :
mail-folder = Cette installation est locale : les messages sont des fichiers dans

## Dates et durées

date-day-utc = { $value } (UTC)
left-days = { $count ->
    [one] { $number } jour
   *[other] { $number } jours
}
left-hours = { $count ->
    [one] { $number } heure
   *[other] { $number } heures
}
left-minutes = { $count ->
    [one] { $number } minute
   *[other] { $number } minutes
}
left-two-units = { $from } et { $to }
short-left-day = j
short-left-none = 0 min
grace-left = { " " }avant la fin, le { $value }

## Les rôles, et ce que des personnes ont fait dans un compte

team-role-owner = propriétaire
team-role-developer = développeur
team-role-editor = éditeur
did-account_created = a créé le compte
did-account_changed = a modifié le nom ou l’adresse du compte : { $value }
did-key_created = a créé la clé « { $value } »
did-key_asked = a demandé la clé de production « { $value } »
did-key_revealed = a affiché la clé « { $value } »
did-key_rotated = a renouvelé la clé « { $value } »
did-key_revoked = a révoqué la clé « { $value } »
did-webhook_added = a ajouté un webhook à l’adresse { $value }
did-webhook_changed = a modifié le webhook à l’adresse { $value }
did-webhook_paused = a mis en pause le webhook à l’adresse { $value }
did-webhook_resumed = a réactivé le webhook à l’adresse { $value }
did-webhook_secret_rotated = a créé un nouveau secret de signature pour { $value }
did-webhook_secret_switched = a activé le nouveau secret de signature de { $value }
did-webhook_removed = a supprimé le webhook à l’adresse { $value }
did-webhook_tested = a envoyé l’événement de test { $value }
did-webhook_test_sent = a envoyé un événement de test à { $value }
did-webhook_sent_again = a renvoyé une livraison à { $value }
did-webhook_recovered = a renvoyé les livraisons en échec à { $value }
did-webhook_checked = a vérifié le récepteur à l’adresse { $value }
did-invited = a invité { $value }
did-invite_withdrawn = a annulé l’invitation de { $value }
did-joined = a rejoint l’équipe (rôle : { $value })
did-role_changed = a changé un rôle : { $value }
did-member_removed = a retiré { $value } de l’équipe
did-left = a quitté l’équipe
did-listing_submitted = a soumis la fiche { $value }
did-listing_changed = a modifié la fiche { $value }
did-listing_withdrawn = a retiré de l’examen la fiche { $value }
did-pictures_changed = a modifié les images de { $value }
did-takedown_asked = a demandé le retrait de { $value }
did-correction_done = a marqué comme faite une correction de { $value }
did-correction_dismissed = a écarté une correction de { $value }
did-page_claimed = a revendiqué la page { $value }
did-listing_approved = a approuvé la fiche { $value }
did-listing_rejected = a rejeté la fiche { $value }
did-listing_removed = a retiré la fiche { $value }
did-takedown_declined = a refusé de retirer la fiche { $value }
did-claim_granted = a accepté la revendication de la page { $value }
did-claim_rejected = a rejeté la revendication de la page { $value }
did-currency_named = a nommé la monnaie de { $value }
activity-staff = Notre équipe
agent-on = { $from } sur { $to }
agent-unknown = navigateur inconnu

## Avis après un formulaire

done-listing-submitted = Votre fiche est envoyée. Notre équipe l’examine avant publication.
done-listing-without-cover = Le jeu est soumis, sans sa couverture : voyez ci-dessous ce qui ne va pas avec le fichier.
done-listing-changed = La modification est enregistrée.
done-listing-withdrawn = C’est retiré : la fiche a quitté la file d’examen.
done-takedown-asked = Notre équipe a reçu votre demande. Sa réponse apparaîtra ici.
done-note-closed = La correction est classée.
done-page-claimed = Notre équipe a reçu votre demande. Sa réponse apparaîtra ici.
done-pictures-changed = Les images sont modifiées.
done-currency-named = Le nom est valable dès maintenant.

## Erreurs

error-role-title = Votre rôle ne le permet pas
error-role-read = Il faut être membre du compte. Demandez à un propriétaire de changer votre rôle.
error-role-develop = Il faut être propriétaire ou développeur du compte. Demandez à un propriétaire de changer votre rôle.
error-role-edit = Il faut être propriétaire ou éditeur du compte. Demandez à un propriétaire de changer votre rôle.
error-role-manage = Il faut être propriétaire du compte. Demandez à un propriétaire de changer votre rôle.
error-no-page-title = Page introuvable
error-no-page = Cette page n’existe pas, ou elle appartient à un compte dont vous n’êtes pas membre.
error-unreadable-title = Formulaire illisible
error-unreadable = Le formulaire n’a pas pu être lu. Rouvrez la page et envoyez-le depuis celle-ci.
error-closed-title = Fermé
error-too-many = { $count ->
    [one] Trop de demandes. Réessayez dans { $number } seconde.
   *[other] Trop de demandes. Réessayez dans { $number } secondes.
}
error-sent-twice-title = Envoyé deux fois
error-sent-twice = Ce formulaire a déjà été envoyé, et son résultat n’est pas connu. Vérifiez s’il a eu un effet avant de le renvoyer.
error-service-title = Cela n’a pas fonctionné

## La page d’accueil d’un compte

today-title = Aujourd’hui, { $value }
today-missing = Indisponible pour le moment, car un service ne répond pas : { $value }. Rechargez la page dans un instant.
today-part-keys = clés et appels
today-part-webhooks = webhooks
today-part-listings = fiches
today-part-reports = rapports d’économie
today-part-team = équipe
today-nothing = Rien à faire.
today-for-you = Ce qui vous attend
today-failed = Ce qui a échoué
today-for-staff = Ce qui attend notre équipe
today-api-title = Utiliser l’API
today-api = Lisez les jeux, les créateurs, les événements et les classements depuis un programme. Une clé de test est gratuite et immédiate, et lit des données d’exemple.
today-first-key = Créer la première clé
today-first-call = Faire le premier appel
today-first-webhook = Ajouter un webhook
today-list-title = Répertorier votre jeu
today-list = Une fiche est gratuite. Notre équipe l’examine avant publication.
today-first-page = Soumettre ou revendiquer votre page
today-first-game = Soumettre un jeu
today-first-cover = Ajouter une couverture
today-done = fait
today-month = Ce mois-ci
today-calls = Appels du mois avec des clés de production :
today-of-limit = sur { $from } ({ $to })
today-resets = Le décompte repart de zéro le { $value }.
today-share = Part des appels du mois
today-calls-missing = Les appels du mois ne sont pas disponibles pour le moment.
today-plan = Offre
today-usage = utilisation
today-plans = offres
today-keys = Clés actives
today-role = Votre rôle
today-changed = Ce qui a changé
today-activity = Toute l’activité
today-settings = Changer le nom ou l’adresse
today-key-broken = La clé « { $value } » ne fonctionne pas
today-live-key = La clé de production « { $value } »
today-live-key-since = Demandée le { $value }. Les clés de test fonctionnent entre-temps.
today-live-key-approved = La clé de production « { $value } » est approuvée
today-live-key-reveal = Affichez-la une fois, et copiez-la à ce moment-là.
today-live-key-rejected = La clé de production « { $value } » n’est pas approuvée
today-listing-waits = Attend son examen. Vous pouvez modifier la fiche entre-temps.
today-listing-rejected = { $value } : fiche rejetée
today-claim = La demande pour la page { $value }
today-claim-made = Faite le { $value }.
today-claim-rejected = La demande pour la page { $value } est rejetée
today-correction = Un visiteur propose une correction de { $value }
today-correction-since = Elle attend depuis le { $value }. Lisez-la et classez-la.
today-invited = { $value } est invité et n’a pas encore rejoint l’équipe
today-invitation-ends = L’invitation prend fin le { $value }.
today-report-held = Un rapport de { $value } est mis en attente
today-report-since = Il attend notre équipe depuis le { $value }.
today-address-off = { $value } est désactivé
today-address-fails = Les livraisons à { $value } échouent
today-newest-delivery = La plus récente :

## Les comptes d’une personne, et les réglages d’un compte

accounts-title = Comptes
accounts-empty = Vous ne faites encore partie d’aucun compte. Créez-en un ici, ou demandez au propriétaire d’un compte de vous inviter.
accounts-new = Un nouveau compte
accounts-name = Nom du compte
accounts-create = Créer le compte
accounts-form-old = Rouvrez la page, et envoyez le formulaire depuis celle-ci.
accounts-most = Vous êtes déjà propriétaire de { $value } comptes, ce qui est le maximum.
accounts-full-title = Trop de comptes
accounts-full = Vous faites déjà partie de { $value } comptes, ce qui est le maximum. Quittez-en un, puis réessayez.
accounts-made-before = Ce formulaire a déjà créé le compte { $value }. Si vous voulez un autre compte avec ce nom, renvoyez-le.
settings-title = Nom et adresse
settings-heading = Nom et adresse du compte
settings-name = Nom
settings-email = Adresse de contact du compte
settings-email-hint = L’adresse d’un membre de l’équipe, sous laquelle nous connaissons le compte.
settings-email-invalid = Utilisez l’adresse d’un membre de l’équipe, qui l’a confirmée.

## L’équipe d’un compte, et son activité

team-title = Équipe
team-members = Membres
team-person = Personne
team-role = Rôle
team-since = Depuis
team-change = Modifier
team-you = vous
team-role-of = Rôle de { $value }
team-remove = Retirer
team-remove-effect = { $value } quitte l’équipe immédiatement.
team-remove-yes = Oui, retirer
team-remove-yes-person = Oui, retirer { $value }
team-rules = Un propriétaire peut tout faire. Un développeur s’occupe des clés et des webhooks, un éditeur des fiches. Un compte garde au moins un propriétaire.
team-leave = Quitter l’équipe
team-leave-effect = Vous ne voyez plus ce compte. Seul un propriétaire peut vous inviter de nouveau.
team-leave-yes = Oui, la quitter
team-invited = Invitations
team-until = jusqu’au { $value }
team-withdraw = Annuler
team-withdraw-person = Annuler l’invitation de { $value }
team-invite = Inviter quelqu’un
team-choose-developer = Développeur
team-choose-developer-may = clés et webhooks
team-choose-editor = Éditeur
team-choose-editor-may = fiches
team-choose-owner = Propriétaire
team-choose-owner-may = tout, y compris l’équipe
team-send = Envoyer l’invitation
team-is-member = Cette personne fait déjà partie de l’équipe.
team-most = Une équipe compte au plus { $value } personnes et invitations.
team-choose-role = Choisissez un rôle.
team-last-owner = Un compte garde au moins un propriétaire : rendez d’abord une autre personne propriétaire.
team-activity-title = Activité
team-activity-lead = Qui a fait quoi depuis un an, et d’où.
team-activity-empty = Rien pour l’instant : les clés, l’équipe et les réglages apparaîtront ici à chaque changement.
team-activity-who = Qui
team-activity-with = Avec
