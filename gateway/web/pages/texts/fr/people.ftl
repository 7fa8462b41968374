## Les personnes : inscription, connexion, et ce qu’une personne peut changer

people-nav = Vous
people-docs = Développeurs (en anglais)
people-accounts = Comptes
people-sign-out = Se déconnecter
docs-in-english = La documentation est en anglais.
docs-site = Le site en français
sign-up-lead = Nous envoyons à cette adresse un lien qui permet de choisir un mot de passe. Vous pourrez ensuite présenter vos jeux et utiliser l’API.
sign-up-rules = Les règles des comptes :
sign-up-send = Envoyer le lien
sign-up-have = Vous avez déjà un compte ?
mail-sent-title = Consultez votre messagerie
mail-sent-to = Nous avons envoyé un e-mail à
mail-sent-people-only = { $count ->
    [one] Beaucoup d’e-mails ont été demandés depuis votre réseau. Si cette adresse est celle d’un profil, cherchez notre e-mail de cette heure, qui contient un lien. Pour créer un compte avec une nouvelle adresse, réessayez dans { $number } minute.
   *[other] Beaucoup d’e-mails ont été demandés depuis votre réseau. Si cette adresse est celle d’un profil, cherchez notre e-mail de cette heure, qui contient un lien. Pour créer un compte avec une nouvelle adresse, réessayez dans { $number } minutes.
}
mail-sent-lifetime = Le lien qu’il contient fonctionne pendant { $value }, une seule fois.
mail-sent-none = Pas d’e-mail après quelques minutes ? Regardez dans les indésirables, et cherchez nos autres e-mails de cette heure, dont les liens fonctionnent encore. Vérifiez l’adresse :
mail-sent-again = renvoyer l’e-mail
lifetime-hour = une heure
lifetime-day = un jour
lifetime-week = une semaine
reset-title = Mot de passe oublié
reset-lead = Nous envoyons un lien qui permet d’en choisir un nouveau.
sign-in-to-add-game = Pour ajouter votre jeu, connectez-vous. Pas encore de compte ? Créez-en un d’abord : le lien est plus bas.
sign-in-to-claim = Pour revendiquer cette page, connectez-vous. Pas encore de compte ? Créez-en un d’abord : le lien est plus bas.
sign-in-wrong = L’adresse e-mail ou le mot de passe est incorrect, ou il y a eu trop d’essais. Vérifiez les deux, ou attendez 15 minutes. Vous pouvez aussi choisir un nouveau mot de passe par e-mail.
email-label = Adresse e-mail
email-invalid = Indiquez une adresse e-mail comme ada@studio.example.
password-label = Mot de passe
password-new = Nouveau mot de passe
password-hint = Au moins 10 caractères. Quelques mots sans rapport entre eux conviennent ; un gestionnaire de mots de passe est encore mieux.
password-short = Utilisez au moins { $from } caractères : celui-ci en a { $to }.
password-long = Utilisez au plus { $value } caractères.
password-guessable = Ce mot de passe est facile à deviner : les mots de passe courants, les noms, les dates et les suites sont essayés en premier. Ajoutez quelques mots sans rapport entre eux.
password-wrong = Ce n’est pas votre mot de passe.
account-name-label = Nom de votre studio ou de votre projet
account-name-hint = Votre équipe et la nôtre le voient.
account-name-empty = Remplissez ce champ.
account-name-long = Utilisez au plus 120 caractères.
account-name-control = Retirez les caractères de contrôle.
choose-password-title = Choisissez un mot de passe
choose-password-text = Encore une étape : vous pourrez ensuite présenter vos jeux et utiliser l’API.
choose-password-button = Créer le compte
set-password-title = Choisissez un nouveau mot de passe
set-password-text = Toutes vos sessions prendront fin.
set-password-button = Enregistrer le mot de passe
join-title = Rejoindre { $value }
join-text = { $value } Choisissez un mot de passe pour vous connecter.
join-button = Rejoindre
invite-role-owner = Vous devenez propriétaire du compte.
invite-role-developer = Vous recevez le rôle de développement dans le compte.
invite-role-editor = Vous devenez éditeur du compte.
the-account = le compte
for-address = Pour
other-signed-in = Une session de { $from } est ouverte ici. Le bouton la ferme et ouvre celle de { $to }.
change-address-title = Changer d’adresse
change-address-text = Vous vous connecterez désormais avec { $value }. Vos autres sessions prendront fin.
change-address-button = Changer l’adresse
other-person-title = Pour une autre personne
other-person-invite = Cette invitation est pour { $from }. La session ouverte ici est celle de { $to }.
other-person-email = Une autre personne a demandé à utiliser l’adresse { $from }. La session ouverte ici est celle de { $to }.
other-person-button = Se déconnecter et continuer
invitation-reason = Connectez-vous en tant que { $to } pour rejoindre { $from }.
invitation-reason-moved = Connectez-vous pour rejoindre { $from }. L’invitation a été envoyée à { $to }, qui était votre adresse.
code-title = Code de votre application d’authentification
code-label = Code, ou code de secours
code-start-again = Recommencer
code-invalid = Un code de l’application a six chiffres, un code de secours 16 lettres et chiffres.
code-wrong-wait = Ce code est incorrect ou a déjà servi. Attendez le suivant.
code-without-phone = Sans votre téléphone, saisissez l’un de vos codes de secours.
code-without-codes = Si vous les avez perdus aussi, écrivez-nous :
limit-attempts = { $count ->
    [one] Trop d’essais. Réessayez dans { $number } minute.
   *[other] Trop d’essais. Réessayez dans { $number } minutes.
}
limit-forms = { $count ->
    [one] Trop de formulaires. Réessayez dans { $number } minute.
   *[other] Trop de formulaires. Réessayez dans { $number } minutes.
}
limit-mails = { $count ->
    [one] Trop d’e-mails. Réessayez dans { $number } minute.
   *[other] Trop d’e-mails. Réessayez dans { $number } minutes.
}
limit-codes = { $count ->
    [one] Trop de codes. Réessayez dans { $number } minute.
   *[other] Trop de codes. Réessayez dans { $number } minutes.
}
fault-unavailable = Une partie du site ne répond pas pour le moment. Réessayez dans quelques secondes.
fault-closed = Le site est en lecture seule pour un moment : rien ne peut être modifié. Réessayez plus tard.
error-accounts = Vos comptes
error-link-gone-title = Ce lien ne fonctionne plus
error-link-gone = Il a déjà servi, il est trop ancien, ou il a été annulé ou remplacé par un plus récent. Si c’était une invitation, demandez-en une autre à la personne qui vous a invité.
error-link-used-title = Ce lien n’est plus utile
error-link-used-sign_up = Votre compte existe. Connectez-vous avec votre adresse e-mail et le mot de passe que vous avez choisi. Si vous l’avez oublié, choisissez-en un nouveau.
error-link-used-invite = L’invitation a été acceptée. Connectez-vous avec l’adresse e-mail à laquelle elle a été envoyée. Si vous avez oublié votre mot de passe, choisissez-en un nouveau.
error-link-used-reset = Il a enregistré votre nouveau mot de passe. Connectez-vous avec celui-ci, ou demandez un autre lien.
error-link-used-email = Votre adresse e-mail est changée. Connectez-vous avec la nouvelle.
error-sign-in-again-title = Reconnectez-vous
error-sign-in-again = Votre mot de passe, votre adresse ou votre double authentification a changé entre-temps, ou vos sessions ont pris fin : rien n’a été fait. Reconnectez-vous.
error-signed-out-title = Votre session est fermée
error-signed-out = Votre session a pris fin : rien n’a été fait. Connectez-vous, puis renvoyez le formulaire.
error-other-person-title = Une autre personne est connectée
error-other-person = Ce formulaire a été ouvert par une autre personne. La session ouverte ici est maintenant celle de { $value } : le formulaire n’a pas été traité et rien n’a changé. Rouvrez la page pour agir avec cette adresse, ou déconnectez-vous et reconnectez-vous avec l’autre.
error-address-taken-title = Cette adresse est prise
error-address-taken = Une autre personne a cette adresse. Connectez-vous avec cette adresse, ou choisissez-en une autre.
error-form-kept = Cette page a gardé ce que vous avez saisi.
error-form-kept-secrets = Cette page a gardé ce que vous avez saisi, sans les mots de passe ni les codes.
error-sign-in-tab = Connectez-vous avec la même adresse dans un autre onglet
error-then-back = { "," } puis revenez ici.
error-send-again = Renvoyer

## Parties de pages, et erreurs

errors-heading = { $count ->
    [one] Il y a une erreur
   *[other] Il y a { $number } erreurs
}
errors-title = { $count ->
    [one] Erreur :
   *[other] { $number } erreurs :
}
mail-folder = Cette installation est locale : les e-mails sont des fichiers dans

date-day-utc = { $value } (UTC)
agent-on = { $from } sur { $to }
agent-unknown = navigateur inconnu

error-unreadable-title = Formulaire illisible
error-unreadable = Le formulaire n’a pas pu être lu. Rouvrez la page et envoyez-le depuis celle-ci.
error-closed-title = Fermé
error-service-title = Cela n’a pas fonctionné
error-service = Le site n’a pas pu faire ce qui était demandé (code { $value }).

accounts-full-title = Trop de comptes
accounts-full = Vous faites déjà partie de { $value } comptes, ce qui est le maximum. Quittez-en un, puis réessayez.
