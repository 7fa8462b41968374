## Phrases des services

## Partout

reason-required = Remplissez ce champ.
reason-name-required = Remplissez ce champ.
reason-title-required = Remplissez ce champ.
reason-city-required = Remplissez ce champ.
reason-name-length = Écrivez entre 1 et { $most } caractères.
reason-too-long = Raccourcissez-le : il a { $number } caractères, et le maximum est de { $most }.
reason-at-most-120 = Écrivez 120 caractères au plus.
reason-at-most-200 = Écrivez 200 caractères au plus.
reason-control = Retirez les caractères de contrôle.
reason-control-one = Retirez le caractère de contrôle { $value }.
reason-character = Retirez le caractère { $value }.
reason-one-line = Écrivez-le sur une seule ligne.
reason-damaged-text = Le texte a été abîmé en chemin : il a U+FFFD à la place d’un caractère perdu. Saisissez-le de nouveau.
reason-email = Indiquez une adresse e-mail.
reason-one-of = Choisissez une de ces valeurs : { $value }.
reason-past = C’est dans le futur : l’heure du service est { $value }. Votre horloge avance peut-être.
reason-time = Indiquez une heure.
reason-outcome-unknown = Nous ne savons pas si cela a été enregistré : vérifiez-le avant de renvoyer le formulaire.
reason-internal = Une erreur s’est produite de notre côté. Elle est notée sous le numéro de cette requête.

## Les clés

reason-key-game = Indiquez un jeu : une clé secrète ou publique appartient à un jeu.
reason-key-no-game = Une clé de compte n’appartient à aucun jeu. Choisissez une clé secrète ou publique.
reason-key-public = Une clé publique n’écrit jamais.
reason-key-game-gone = Aucun jeu public n’a ce slug.
reason-key-game-not-owned = La page de ce jeu n’appartient pas à ce compte. Faites-en d’abord un propriétaire de la page.
reason-key-dead = Cette clé ne fonctionne plus. Créez une nouvelle clé.
reason-key-rotated = Cette clé a déjà été renouvelée. Renouvelez celle qui la remplace.
reason-key-live-limit = Ce compte a déjà les { $number } clés réelles de l’offre { $value }, clés demandées comprises. Aucune offre n’en a plus. Révoquez-en une.
reason-key-live-limit-plan = Ce compte a déjà les { $number } clés réelles de l’offre { $value }, clés demandées comprises. Révoquez-en une, ou passez à l’offre { $to }.
reason-key-test-limit = Ce compte a déjà { $number } clés de test qui fonctionnent. Révoquez-en d’abord une.
reason-key-day-limit = Ce compte a créé ou demandé { $number } clés ces dernières 24 heures et ne peut pas en créer d’autres pour le moment. Réessayez plus tard.
reason-request-waits = Cette demande n’est pas encore acceptée. Attendez l’examen.
reason-request-rejected = Cette demande a été rejetée. Demandez une autre clé.
reason-request-revealed = Cette clé a déjà été affichée, et son secret n’est montré qu’une fois. Renouvelez la clé pour obtenir un nouveau secret.

## Les webhooks

reason-webhook-url = Indiquez une adresse https publique, par exemple https://hooks.example/mchezo.
reason-webhook-url-error = Indiquez une adresse https publique, par exemple https://hooks.example/mchezo. Celle-ci n’est pas valide ({ $value }).
reason-webhook-ip = Indiquez le nom public de l’hôte, par exemple hooks.example. Les adresses IP ne sont pas admises.
reason-webhook-host = Indiquez le nom public de l’hôte, par exemple hooks.example. « { $value } » n’est pas un nom d’hôte valide.
reason-webhook-host-bare = Indiquez le nom public de l’hôte, par exemple hooks.example.
reason-webhook-local = Indiquez le nom public de l’hôte, par exemple hooks.example. « { $value } » est un nom local.
reason-webhook-long = Indiquez une adresse de { $most } caractères au plus.
reason-webhook-odd = Indiquez une adresse sans espaces, sans barres obliques inverses et sans caractères de contrôle.
reason-webhook-password = Retirez le nom d’utilisateur et le mot de passe : la signature authentifie l’expéditeur.
reason-webhook-fragment = Retirez le # et tout ce qui le suit : cette partie n’est jamais envoyée.
reason-webhook-port = Retirez le port : seul le port 443, celui par défaut, est admis.
reason-webhook-https = Commencez l’adresse par https:// : les messages sont toujours chiffrés.
reason-webhook-also = Sont aussi admises ici : { $value }.
reason-webhook-redirects = L’adresse a répondu { $number } et redirige vers { $value } : les redirections ne sont pas suivies. Indiquez l’adresse vers laquelle elle mène.
reason-webhook-checks = Ce compte a saisi { $number } adresses en une heure, et une requête est envoyée à chacune. Réessayez plus tard.
reason-webhook-limit-one = L’offre de ce compte permet 1 adresse. Supprimez-en une, ou passez à l’offre { $value }, qui en permet { $number }.
reason-webhook-limit = L’offre de ce compte permet { $most } adresses. Supprimez-en une, ou passez à l’offre { $value }, qui en permet { $number }.
reason-webhook-limit-one-any = L’offre de ce compte permet 1 adresse. Supprimez-en une, ou passez à l’offre { $value }, qui n’en limite pas le nombre.
reason-webhook-limit-any = L’offre de ce compte permet { $most } adresses. Supprimez-en une, ou passez à l’offre { $value }, qui n’en limite pas le nombre.
reason-webhook-limit-one-most = L’offre de ce compte permet 1 adresse, et aucune n’en permet plus. Supprimez-en une.
reason-webhook-limit-most = L’offre de ce compte permet { $most } adresses, et aucune n’en permet plus. Supprimez-en une.
reason-events = Choisissez au moins un événement : { $value }.
reason-webhook-rate = Indiquez de 1 à { $most } envois par seconde.
reason-webhook-off-pause = Cette adresse est désactivée et ne peut donc pas être mise en pause ; réactivez-la d’abord.
reason-webhook-off = Cette adresse est désactivée : réactivez-la d’abord.
reason-webhook-no-secret = Cette adresse n’a pas de nouveau secret : renouvelez d’abord son secret.
reason-webhook-secret = Nous ne pouvons plus lire son secret de signature : créez un nouveau secret, et passez-y.
reason-webhook-tests = { $number } événements de test attendent pour cette adresse. Attendez qu’elle en ait reçu quelques-uns.
reason-webhook-plan = L’offre de ce compte n’a que des événements de test. Passez à l’offre { $value } pour renvoyer de vrais événements.
reason-webhook-plan-other = L’offre de ce compte n’a que des événements de test. Changez d’offre pour renvoyer de vrais événements.
reason-webhook-check-wait = Une vérification de ce compte vient de commencer, et chacune envoie de nombreux messages. Attendez dix secondes.

## Les fiches

reason-empty = Ce champ ne doit pas être vide.
reason-url-odd = Une adresse n’a ni espaces ni caractères de contrôle.
reason-url-https = Indiquez une adresse https complète, par exemple https://example.com/game.
reason-url-password = Une adresse publique ne contient ni nom d’utilisateur ni mot de passe.
reason-url-port-0 = Le port 0 n’est pas valide.
reason-url-host = « { $value } » n’est pas un nom d’hôte valide.
reason-url-no-host = Cette adresse n’a pas de nom d’hôte.
reason-url-port = Ce n’est pas une adresse : le port n’est pas valide.
reason-url-ipv4 = Ce n’est pas une adresse : l’adresse IPv4 n’est pas valide.
reason-url-ipv6 = Ce n’est pas une adresse : l’adresse IPv6 n’est pas valide.
reason-url-character = Ce n’est pas une adresse : son nom d’hôte a un caractère non valide.
reason-url-name = Ce n’est pas une adresse : son nom d’hôte n’est pas valide.
reason-url-empty-host = Ce n’est pas une adresse : elle n’a pas de nom d’hôte.
reason-slug = Écrivez-le en minuscules de a à z, avec des chiffres et des traits d’union simples, { $most } caractères au plus.
reason-handle-taken = Cet identifiant est déjà pris : choisissez-en un autre.
reason-name-taken = Une autre fiche vient de le prendre : choisissez-en un autre.
reason-twice = « { $value } » y est deux fois : indiquez-le une seule fois.
reason-most = Choisissez-en { $most } au plus, et non { $number }.
reason-choice = Choisissez une de ces valeurs : { $value }.
reason-day = Indiquez un jour, par exemple 2026-03-01.
reason-date = Écrivez une date, par exemple 2026-03-01.
reason-first-year = La première année est 0001.
reason-ends-before = L’événement ne peut pas finir avant de commencer.
reason-ends-on = L’événement finit le { $value }, avant cela : modifiez aussi le dernier jour.
reason-year = Indiquez l’année de la première sortie, ou l’année prévue.
reason-year-range = Indiquez un nombre entier de { $from } à { $to }.
reason-year-text = Indiquez un nombre entier.
reason-city-letters = Écrivez le nom de la ville en lettres.
reason-city-event = Indiquez une ville : un événement en a une, même en ligne.
reason-country = Choisissez un pays.
reason-creator = Choisissez la page de votre studio, ou la vôtre.
reason-creator-not-yours = « { $value } » n’est pas une de vos pages. Choisissez une page que vous avez soumise ou revendiquée.
reason-creator-taken-down = La page « { $value } » a été retirée : tant que notre équipe ne l’a pas rétablie, rien ne peut y être soumis, et ses jeux publics y restent. Écrivez à notre équipe, ou choisissez une autre de vos pages.
reason-credit-handle = Aucune page n’a cet identifiant : n’en indiquez pas pour une personne ou un studio sans page.
reason-screenshot-twice = Cette capture d’écran y est deux fois : indiquez-la une seule fois.
reason-genre-near = Ce genre n’existe pas ; le plus proche est « { $value } ».
reason-link-twice = Le lien « { $value } » est indiqué deux fois, avec des adresses différentes : indiquez-en une seule.
reason-page-pending = Sa page « { $value } » attend un examen : le jeu sera montré dès que la page sera publique.
reason-page-rejected = Sa page « { $value } » a été rejetée : le jeu n’est pas montré tant que la page n’est pas publique. Modifiez la page, et elle sera examinée de nouveau.
reason-page-removed = Sa page « { $value } » a été retirée : tant que notre équipe ne l’a pas rétablie, le jeu n’est pas montré et aucun jeu ne peut y être soumis.
reason-pending-limit = { $number } de vos fiches attendent un examen, ce qui est le maximum. Soumettez celle-ci quand notre équipe en aura examiné une.
reason-pending-limit-other = { $number } fiches du compte qui a soumis celle-ci attendent un examen, ce qui est le maximum. Soumettez-la quand notre équipe en aura examiné une.
reason-pages-limit = { $number } de vos pages n’ont jamais été publiques, ce qui est le maximum. Modifiez plutôt l’une d’elles.
reason-claims-limit = { $number } de vos demandes attendent une décision, ce qui est le maximum. Revendiquez cette page quand notre équipe en aura examiné une.
reason-takedowns-limit = { $number } de vos demandes de retrait attendent une décision, ce qui est le maximum. Écrivez à notre équipe à leur sujet dans une de celles-ci.
reason-day-limit = Ce compte a utilisé les { $number } écritures par jour de son offre. Réessayez après 00:00 UTC, ou choisissez une offre plus grande.
reason-claim-no-page = Aucune page publique n’a cet identifiant.
reason-claim-own = Cette page est déjà la vôtre.
reason-claim-evidence = Expliquez comment notre équipe peut vérifier que la page est à vous.
reason-takedown-reason = Dites à notre équipe pourquoi la fiche doit être retirée.
reason-takedown-pending = Seule une fiche publique peut être retirée, et celle-ci attend un examen. Si elle attend un examen, vous pouvez annuler la soumission.
reason-takedown-rejected = Seule une fiche publique peut être retirée, et celle-ci a été rejetée. Si elle attend un examen, vous pouvez annuler la soumission.
reason-takedown-removed = Seule une fiche publique peut être retirée, et celle-ci a été retirée. Si elle attend un examen, vous pouvez annuler la soumission.
reason-withdraw-public = Seule une soumission qui attend un examen peut être annulée, et celle-ci est publique. Demandez son retrait à notre équipe.
reason-withdraw-removed = Seule une soumission qui attend un examen peut être annulée, et celle-ci a été retirée. Demandez son retrait à notre équipe.

## Les images

reason-picture-empty = Le fichier est vide.
reason-picture-animation = C’est une animation : envoyez une image fixe.
reason-picture-scans = Ce JPEG a trop de passes : enregistrez l’image de nouveau dans un logiciel d’images.
reason-picture-format = Envoyez un JPEG, un PNG ou un WebP : le contenu de ce fichier est autre chose, quel que soit son nom.
reason-picture-pixels = Réduisez-la : { $width } sur { $height } pixels sont trop, et le maximum est de { $most }.
reason-picture-no-pixels = L’image n’a pas de pixels.
reason-picture-memory = Réduisez-la, ou enregistrez-la avec 8 bits par canal : ses pixels prennent trop de mémoire.
reason-picture-small = Envoyez une image plus grande : celle-ci a { $width } sur { $height } pixels, et le minimum est de { $from } sur { $to }.
reason-picture-reading = Réduisez-la : la lecture de ce fichier prend trop de mémoire.
reason-picture-variant = Cette variante du format n’est pas admise : enregistrez l’image comme un JPEG, un PNG ou un WebP ordinaire.
reason-picture-damaged = Le fichier est abîmé ou incomplet : envoyez-le ou enregistrez l’image de nouveau.
reason-picture-side = Réduisez-la : un côté a { $most } pixels au plus.
reason-picture-unreadable = Le fichier ne peut pas être lu : enregistrez l’image de nouveau dans un logiciel d’images.
reason-picture-purged = Notre équipe a supprimé cette image : utilisez-en une autre.
reason-picture-gone = Cette image n’est plus là : elle n’a pas été utilisée en un jour, ou notre équipe l’a supprimée. Envoyez-la de nouveau.
reason-picture-most = Ce jeu a { $most } captures d’écran, ce qui est le maximum : supprimez-en d’abord une.
reason-picture-changed = Les captures d’écran ont changé depuis que vous avez ouvert la page : rouvrez-la.

## Pourquoi une tentative a échoué, une livraison a été annulée, une adresse a été désactivée, ou une règle de la vérification n’est pas remplie

reason-delivery-answered = a répondu { $number }
reason-delivery-redirected = a répondu { $number }, qui redirige vers { $value } : les redirections ne sont pas suivies
reason-delivery-late = n’a pas répondu en { $number } s
reason-delivery-refused = a refusé la connexion
reason-delivery-not-accepted = n’a pas accepté de connexion à temps
reason-delivery-closed = a fermé la connexion avant de répondre
reason-delivery-closed-early = a fermé la connexion avant l’envoi de la requête
reason-delivery-not-http = sa réponse n’est pas du HTTP
reason-delivery-head-too-large = l’en-tête de sa réponse est trop grand
reason-delivery-not-public = { $value } ne mène pas à une adresse publique
reason-delivery-unresolved = le nom { $value } n’a pas pu être résolu
reason-delivery-certificate-expired = certificat TLS non valide : il a expiré
reason-delivery-certificate-early = certificat TLS non valide : il n’est pas encore valide
reason-delivery-certificate-name = certificat TLS non valide : il est pour un autre nom
reason-delivery-certificate-issuer = certificat TLS non valide : il est auto-signé, ou il manque un certificat entre lui et son autorité
reason-delivery-certificate-signature = certificat TLS non valide : son autorité ne l’a pas signé
reason-delivery-certificate-revoked = certificat TLS non valide : il a été révoqué
reason-delivery-secret-lost = a un secret de signature que nous ne pouvons plus lire : créez un nouveau secret, et passez-y
reason-delivery-unpublished = La fiche n’est plus publiée.
reason-delivery-only-tests = L’offre du compte ne comprend que les événements de test.
reason-webhook-off-failures = Les livraisons ont échoué pendant des jours. Réparez le récepteur, puis réactivez l’adresse.
reason-webhook-off-gone = Elle a répondu 410 Gone.
reason-check-no-answer = Le récepteur n’a pas répondu à un simple ping. Voyez d’abord la règle 5.
reason-check-too-slow = Le récepteur répond trop lentement pour que ceci soit vérifié à temps. Voyez d’abord la règle 5.
reason-check-secret = Il a répondu 401 à un message correctement signé. Donnez-lui le secret de cette adresse, en entier et avec son préfixe ; s’il est perdu, créez-en un nouveau.
