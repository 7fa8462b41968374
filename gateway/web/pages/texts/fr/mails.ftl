## Les e-mails aux personnes

mail-link-foot = Le lien fonctionne pendant { $value }, une seule fois. Si vous ne l’avez pas demandé, ignorez-le : rien ne se passe tant que personne n’appuie sur le bouton de la page qu’il ouvre.
mail-signature = L’équipe de Mchezo
mail-switch-foot = Vous pouvez désactiver ces e-mails : { $value }
mail-no-reason = non précisé
mail-no-account = aucun compte
mail-unknown-keys = les clés
mail-unknown-webhooks = les webhooks
mail-unknown-both = les clés et les webhooks
mail-sign-up-subject = Créez votre compte sur Mchezo
mail-sign-up-body =
    Bonjour,

    Mchezo est un répertoire de jeux africains : les studios y présentent leurs jeux, et des sites et des lanceurs de jeux les reprennent. Quelqu’un, sans doute vous, veut y créer un compte avec cette adresse.

    Ouvrez cette page pour choisir un mot de passe :
mail-sign-up-exists-subject = Vous avez un compte sur Mchezo
mail-sign-up-exists-body = Quelqu’un veut créer un compte avec cette adresse, qui en a déjà un. Connectez-vous avec votre mot de passe ; si vous l’avez oublié, choisissez-en un nouveau ici :
mail-reset-subject = Un nouveau mot de passe sur Mchezo
mail-reset-body = Ouvrez cette page pour choisir un nouveau mot de passe :
mail-reset-nobody-subject = Aucun compte n’a cette adresse sur Mchezo
mail-reset-nobody-body = Quelqu’un a demandé un nouveau mot de passe, mais aucun compte n’a cette adresse. Vous en avez peut-être utilisé une autre. Pour créer un compte avec celle-ci, ouvrez cette page :
mail-new-address-subject = Confirmez votre nouvelle adresse
mail-new-address-body = Ouvrez cette page pour vous connecter désormais à Mchezo avec cette adresse :
mail-invite-by-staff-subject = Une invitation à rejoindre Mchezo
mail-invite-by-staff-body = Notre équipe vous invite à rejoindre un compte sur Mchezo, en tant que propriétaire. Ouvrez cette page pour accepter :
mail-invite-owner-subject = Une invitation à rejoindre Mchezo
mail-invite-owner-body = { $inviter } vous invite à rejoindre un compte sur Mchezo, en tant que propriétaire. Ouvrez cette page pour accepter :
mail-invite-developer-subject = Une invitation à rejoindre Mchezo
mail-invite-developer-body = { $inviter } vous invite à rejoindre un compte sur Mchezo, en tant que développeur. Ouvrez cette page pour accepter :
mail-invite-editor-subject = Une invitation à rejoindre Mchezo
mail-invite-editor-body = { $inviter } vous invite à rejoindre un compte sur Mchezo, en tant qu’éditeur. Ouvrez cette page pour accepter :
mail-factor-ended-subject = Votre double authentification a été désactivée
mail-factor-ended-body =
    Notre équipe a désactivé votre double authentification : le téléphone et les codes de secours seraient perdus. Toutes les sessions ont pris fin, et votre mot de passe seul suffit pour vous connecter. Connectez-vous et configurez de nouveau une application d’authentification : { $page }

    Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe et écrivez-nous : { $contact }
mail-factor-of-member-ended-subject = La double authentification d’un membre a été désactivée
mail-factor-of-member-ended-body =
    { $email } est membre d’un compte dont vous êtes propriétaire. Notre équipe a désactivé la double authentification de { $email } : le téléphone et les codes de secours seraient perdus. Le mot de passe seul suffit désormais pour se connecter.

    Demandez à { $email }, autrement que par e-mail, si c’est vrai. Sinon, retirez ce membre de l’équipe et écrivez-nous : { $contact }
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
    Quelqu’un qui est connecté en votre nom veut remplacer votre adresse par { $address }. Nous avons envoyé à cette adresse un lien qui le permet.

    Si ce n’était pas vous, changez tout de suite votre mot de passe : cela annule aussi le lien.
mail-email-changed-subject = Votre adresse a été changée
mail-email-changed-body =
    Votre adresse de connexion, { $old }, a été remplacée par { $new }.

    Si ce n’était pas vous, écrivez-nous tout de suite : { $contact }
mail-totp-on-subject = La double authentification est active
mail-totp-on-body =
    Une application d’authentification est désormais nécessaire pour vous connecter.

    Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.
mail-totp-off-subject = La double authentification est désactivée
mail-totp-off-body =
    Votre mot de passe suffit désormais pour vous connecter.

    Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.
mail-recovery-codes-subject = De nouveaux codes de secours ont été créés
mail-recovery-codes-body =
    De nouveaux codes de secours remplacent les précédents, qui ne fonctionnent plus.

    Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe.
mail-wrong-codes-subject = Quelqu’un essaie des codes pour se connecter en votre nom
mail-wrong-codes-body =
    Aujourd’hui, quelqu’un qui connaît votre mot de passe a saisi en votre nom vingt codes d’application d’authentification, tous incorrects.

    Si ce n’était pas vous, connectez-vous et choisissez tout de suite un nouveau mot de passe : { $page }
mail-new-browser-subject = Une connexion dans un nouveau navigateur
mail-new-browser-body =
    Une session a été ouverte sur votre profil dans un navigateur que nous ne connaissions pas : { $browser }, depuis l’adresse IP { $address }, le { $at }.

    Si c’était vous, il n’y a rien à faire. Sinon, choisissez tout de suite un nouveau mot de passe, ce qui met fin à toutes les autres sessions : { $page }
mail-deleted-subject = Votre profil est supprimé
mail-deleted-body = Votre profil sur Mchezo est supprimé, comme vous l’avez demandé.
mail-removed-subject = Vous ne faites plus partie d’une équipe
mail-removed-body =
    { $by } vous a retiré de l’équipe d’un compte sur Mchezo. Les clés, les webhooks et les fiches de ce compte restent en service, mais vous ne pouvez plus l’ouvrir.

    Si vous pensez que c’est une erreur, adressez-vous à { $by }. Vos autres comptes : { $page }
mail-seen-secrets-subject = Quelqu’un a vu des secrets de votre compte encore valables
mail-seen-secrets-body =
    { $email } ne s’occupe plus des clés et des webhooks du compte { $name }, et a vu les secrets suivants. Ils restent valables jusqu’à ce que quelqu’un les remplace : renouvelez chaque clé, et créez un nouveau secret de signature pour chaque webhook.

    { $secrets }

    La page de l’équipe les énumère aussi : { $team }
mail-seen-secrets-unknown-subject = Quelqu’un a peut-être vu des secrets de votre compte
mail-seen-secrets-unknown-body =
    { $email } ne s’occupe plus des clés et des webhooks du compte { $name }. Un service n’a pas répondu : nous n’avons pas pu vérifier { $unknown }, et ne savons pas quels secrets { $email } a vus.

    La page de l’équipe les énumère : { $team }
mail-seen-secrets-partly-subject = Quelqu’un a vu des secrets de votre compte encore valables
mail-seen-secrets-partly-body =
    { $email } ne s’occupe plus des clés et des webhooks du compte { $name }, et a vu les secrets suivants. Ils restent valables jusqu’à ce que quelqu’un les remplace : renouvelez chaque clé, et créez un nouveau secret de signature pour chaque webhook.

    { $secrets }

    Cette liste est peut-être incomplète : un service n’a pas répondu, et nous n’avons pas pu vérifier { $unknown }. La page de l’équipe donne la liste entière : { $team }
mail-month-share-subject = 80 % des appels du mois sont utilisés
mail-month-share-body =
    Le compte { $name } a fait { $used } des { $limit } appels mensuels que comprend l’offre { $plan }.

    Une fois ces appels épuisés, ceux qui utilisent une clé de production seront refusés avec 429 quota_exceeded jusqu’au { $resets }. Rien n’est facturé, et les clés de test continuent de fonctionner.

    Le détail par jour : { $usage }
    Les offres : { $plans }
mail-month-used-subject = Les appels du mois sont épuisés
mail-month-used-body =
    Le compte { $name } a fait { $used } des { $limit } appels mensuels que comprend l’offre { $plan }.

    Les appels qui utilisent une clé de production sont refusés avec 429 quota_exceeded jusqu’au { $resets }. Rien n’est facturé, et les clés de test continuent de fonctionner.

    Le détail par jour : { $usage }
    Les offres : { $plans }
mail-key-approved-subject = Votre clé de production est approuvée
mail-key-approved-body =
    Notre équipe a approuvé la clé de production « { $name } ». Elle n’existe pas encore : un propriétaire ou un développeur du compte l’affiche, une seule fois, et la conserve en lieu sûr.

    Affichez-la ici : { $page }
mail-key-rejected-subject = Votre clé de production n’est pas approuvée
mail-key-rejected-body =
    Notre équipe n’a pas approuvé la clé de production « { $name } ». Motif : { $reason }

    Corrigez la demande en conséquence et refaites-la ; les clés de test continuent de fonctionner : { $page }
mail-listing-published-subject = Votre fiche est publique
mail-listing-published-body =
    Notre équipe a approuvé { $title }. Tout le monde voit maintenant cette fiche : { $url }

    Vous pouvez la modifier, elle et ses images, à tout moment et sans nouvel examen : { $page }
mail-listing-approved-subject = Votre fiche est approuvée
mail-listing-approved-body =
    Notre équipe a approuvé { $title }. Personne d’autre ne voit cette fiche, car la page de son créateur n’est pas publique. La fiche deviendra publique en même temps que cette page.

    Voyez l’état de la page : { $page }
mail-listing-rejected-subject = Votre fiche n’est pas approuvée
mail-listing-rejected-body =
    Notre équipe n’a pas approuvé { $title }. Motif : { $reason }

    Corrigez la fiche en conséquence : enregistrer la modification la soumet de nouveau. { $page }
mail-listing-removed-subject = Votre fiche est retirée
mail-listing-removed-body =
    Notre équipe a retiré { $title }. Plus personne ne trouve cette fiche sur le site ni dans l’API, et, s’il s’agit d’un jeu, ses propres clés ne fonctionnent plus. Motif : { $reason }

    Seule notre équipe peut la rétablir. Si vous pensez qu’il s’agit d’une erreur, écrivez-nous : { $contact }

    La fiche dans le tableau de bord : { $page }
mail-listing-removed-by-owner-subject = Un autre propriétaire a retiré votre fiche
mail-listing-removed-by-owner-body =
    Le compte { $account }, auquel la page appartient aussi, a retiré { $title }. Plus personne ne trouve cette fiche sur le site ni dans l’API, et, s’il s’agit d’un jeu, ses propres clés ne fonctionnent plus.

    Seule notre équipe peut la rétablir. Si vous n’étiez pas d’accord, écrivez-nous : { $contact }

    La fiche dans le tableau de bord : { $page }
mail-listing-restored-subject = Votre fiche est rétablie
mail-listing-restored-body =
    Notre équipe a rétabli { $title }. La fiche est affichée comme avant, sauf si la page de son créateur n’est pas publique.

    Voyez-la dans le tableau de bord : { $page }
mail-claim-granted-subject = Une page appartient maintenant à votre compte
mail-claim-granted-body =
    Notre équipe a accepté votre revendication : la page { $handle } et ses jeux appartiennent à votre compte.

    Consultez ce qui s’y trouve et modifiez-le : { $page }
mail-claim-rejected-subject = Votre revendication d’une page est rejetée
mail-claim-rejected-body =
    Notre équipe a rejeté votre revendication de la page { $handle }. Motif : { $reason }

    Revendiquez-la de nouveau avec d’autres preuves : { $page }
mail-owner-added-subject = Une page de votre compte a un nouveau propriétaire
mail-owner-added-body =
    Notre équipe a fait du compte { $account } un propriétaire de la page { $handle }. Comme tout autre propriétaire, il peut modifier la page et ses jeux, et les retirer.

    Si vous ne vous y attendiez pas, écrivez-nous tout de suite : { $contact }

    Vos fiches : { $page }
mail-owner-removed-subject = Une page a un propriétaire de moins
mail-owner-removed-body =
    Notre équipe a retiré le compte { $account } des propriétaires de la page { $handle }. Il ne peut plus modifier la page ni ses jeux.

    Si vous ne vous y attendiez pas, écrivez-nous : { $contact }

    Vos fiches : { $page }
mail-game-moved-subject = Un jeu appartient maintenant à une autre page
mail-game-moved-body =
    Notre équipe a déplacé le jeu { $title } de la page { $former } vers la page { $handle }. Seuls les propriétaires de cette page peuvent le modifier.

    Si vous ne vous y attendiez pas, écrivez-nous : { $contact }

    Vos fiches : { $page }
mail-event-moved-subject = Un événement appartient maintenant à un autre compte
mail-event-moved-body =
    Notre équipe a déplacé l’événement { $title }. Il appartenait à : { $former }. Il appartient maintenant à : { $account }. Seul ce compte peut le modifier.

    Si vous ne vous y attendiez pas, écrivez-nous : { $contact }

    Vos fiches : { $page }
mail-report-held-subject = Un rapport de votre jeu est mis en attente
mail-report-held-body =
    Le rapport { $report } du jeu { $game } est en attente : notre équipe doit d’abord l’examiner. Motif : { $reason }

    D’ici là, les taux et les chiffres utilisent encore le rapport précédent. Vérifiez les nombres que votre jeu envoie ; s’ils sont justes, vous n’avez rien à faire : { $page }
mail-report-counted-subject = Un rapport de votre jeu, mis en attente, est pris en compte
mail-report-counted-body =
    Notre équipe a approuvé le rapport { $report } du jeu { $game } : il est maintenant pris en compte.

    Vous n’avez rien à faire. Vos rapports : { $page }
mail-report-rejected-subject = Un rapport de votre jeu, mis en attente, est rejeté
mail-report-rejected-body =
    Notre équipe a rejeté le rapport { $report } du jeu { $game } : il ne sera jamais pris en compte. Motif : { $reason }

    Corrigez ce que votre jeu envoie. Son prochain rapport sera comparé au dernier rapport pris en compte : { $page }
mail-report-retracted-subject = Un rapport de votre jeu n’est plus pris en compte
mail-report-retracted-body =
    Notre équipe a retiré le rapport { $report } du jeu { $game } : les taux et les chiffres sont calculés sans lui. Motif : { $reason }

    Corrigez ce que votre jeu envoie. Son prochain rapport sera comparé au dernier rapport pris en compte : { $page }
mail-webhooks-failed-subject = Des webhooks n’ont pas pu être livrés
mail-webhooks-failed-body =
    Livraisons vers { $url } qui ont échoué depuis le dernier e-mail de ce type : { $failed }. Il ne reste aucune tentative, et la dernière n’a pas reçu de réponse 2xx.

    Quand votre récepteur fonctionnera de nouveau, choisissez « Retry failed deliveries » (renvoyer les livraisons en échec) sur la page de l’adresse, qui montre chaque requête et sa réponse : { $page }

    Nous envoyons au plus un e-mail de ce type par jour et par adresse. Une adresse qui échoue pendant plusieurs jours est désactivée.
mail-webhook-off-subject = Une adresse de vos webhooks est désactivée
mail-webhook-off-body =
    L’adresse { $url } ne reçoit plus de webhooks. { $reason }

    Quand votre récepteur fonctionnera de nouveau, réactivez l’adresse sur sa page et renvoyez les webhooks en échec. Cette page montre chaque requête et sa réponse : { $page }

reason-webhook-off-failures = Les livraisons ont échoué pendant plusieurs jours. Réparez le récepteur, puis réactivez l’adresse.
reason-webhook-off-gone = Elle a répondu 410 Gone.
