//! The listings of an account in French: every page, and the errors that web shows beside form fields.

use contracts::gateway::v1::Plan;
use contracts::listings::v1 as proto;
use sqlx::PgPool;
use web::domain::role::Role;

use crate::browser::{Browser, Page};
use crate::full_account::person_id;
use crate::stub_pictures::file;
use crate::support::{ADA, Site, studio};

const FORM: &str = "multipart/form-data; boundary=edge";

/// The writes of the day that are left, in the words of the pages. The account has sent seven.
const LEFT: &str = "Vous pouvez encore soumettre ou modifier 1\u{202f}043 fiches aujourd’hui.";

/// An account with a public game `okoto`, and its owner, who reads French.
async fn french_studio(pool: PgPool) -> (Site, String, Browser) {
    let (site, account, mut owner) = studio(pool).await;
    let settings = [("language", "fr")];
    owner.post("/you/settings", &settings).await.location();
    let plan = Plan {
        writes_per_day: Some(1_050),
        ..Plan::default()
    };
    *site.gateway.plan.lock().unwrap() = Some(plan);
    (site, account, owner)
}

/// The fields of the form of the game, as a browser sends them.
fn fields<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut fields = vec![
        ("creator", "studio"),
        ("title", "Okoto"),
        ("genres", "puzzle"),
        ("release_year", "2026"),
    ];
    fields.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
    fields.extend_from_slice(more);
    fields
}

/// Sends a file, as a browser does from a page of the site.
async fn upload(browser: &mut Browser, path: &str, file: &[u8]) -> Page {
    let head = "--edge\r\ncontent-disposition: form-data; name=\"picture\"; filename=\"a.jpg\"\r\ncontent-type: image/jpeg\r\n\r\n";
    let body = [head.as_bytes(), file, b"\r\n--edge--\r\n"].concat();
    browser.post_body(path, FORM, body).await
}

#[track_caller]
fn assert_all(page: &Page, parts: &[&str]) {
    for part in parts {
        page.assert(200, part);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn the_list_and_a_listing_are_in_french(pool: PgPool) {
    let (site, account, mut owner) = french_studio(pool).await;
    let base = format!("/accounts/{account}/listings");
    let list = owner.get(&base).await;
    assert_all(
        &list,
        &[
            "<html lang=\"fr\">",
            "<h1>Fiches</h1>",
            "<h2>Jeux et événements</h2>",
            "<td>jeu</td>",
            "<span class=\"state good\">publique</span>",
            "Revendiquer une autre page",
        ],
    );
    site.listings.change(&account, "okoto", |game| {
        game.platforms = vec!["vr".to_owned()];
        game.stage = "released".to_owned();
        let play = "https://play.example".to_owned();
        game.links.insert("play".to_owned(), play);
    });
    let page = owner.get(&format!("{base}/game/okoto")).await;
    assert_all(
        &page,
        &[
            "<dt>Genres</dt><dd class=\"lines\" dir=\"auto\">Réflexion</dd>",
            "<dt>Plateformes</dt><dd class=\"lines\" dir=\"auto\">Réalité virtuelle</dd>",
            "<dt>État d’avancement</dt><dd class=\"lines\" dir=\"auto\">Sorti</dd>",
            "Jouer dans le navigateur\u{a0}: https://play.example",
            "Elle n’a pas encore de couverture.",
            "Retirer la fiche",
        ],
    );
    site.listings.change(&account, "okoto", |game| {
        game.set_state(proto::State::Rejected);
    });
    let page = owner.get(&format!("{base}/game/okoto")).await;
    page.assert(200, "Pourquoi elle a été rejetée\u{a0}:");
    page.assert(200, "<span class=\"state bad\">rejetée</span>");
}

#[testing::database_test(web::MIGRATOR)]
async fn forms_of_listings_are_in_french(pool: PgPool) {
    let (_site, account, mut owner) = french_studio(pool).await;
    let base = format!("/accounts/{account}/listings");
    let game = owner.get(&format!("{base}/new/game")).await;
    assert_all(
        &game,
        &[
            "<h1>Soumettre un jeu</h1>",
            LEFT,
            "<legend>Genres (trois au plus) <span class=\"optional\">(facultatif)</span></legend>",
            "<span>Réflexion</span>",
            "Choisissez un état d’avancement",
            "(facultatif)",
        ],
    );
    let page = owner.get(&format!("{base}/new/page")).await;
    assert_all(
        &page,
        &[
            "<h1>Soumettre une page</h1>",
            "Une phrase, 160 caractères au plus.",
            ">Nigéria</option>",
            "<legend>Rôles <span class=\"optional\">(facultatif)</span></legend>",
            "name=\"roles\" value=\"developer\"> <span>Développeur·se</span>",
            ">Personne</option>",
        ],
    );
    let event = owner.get(&format!("{base}/new/event")).await;
    assert_all(&event, &["<h1>Soumettre un événement</h1>", LEFT]);
    let edit = owner.get(&format!("{base}/game/okoto/edit")).await;
    assert_all(&edit, &["<h1>Modifier <bdi>Okoto</bdi></h1>", LEFT]);
}

#[testing::database_test(web::MIGRATOR)]
async fn what_this_site_refuses_is_said_in_french(pool: PgPool) {
    let (_site, account, mut owner) = french_studio(pool).await;
    let base = format!("/accounts/{account}/listings");
    let new = format!("{base}/new/game");
    let without_id = owner.post(&new, &fields(&[])).await;
    without_id.assert(422, "Rouvrez la page et envoyez le formulaire");
    let id = owner.get(&new).await.hidden()["form"].clone();
    let form = ("form", id.as_str());
    owner.post(&new, &fields(&[form])).await.location();
    let another = fields(&[form, ("title", "Autre")]);
    let sent_before = owner.post(&new, &another).await;
    sent_before.assert(422, "Ce formulaire a déjà soumis une fiche\u{a0}:");

    let edit = format!("{base}/game/okoto/edit");
    let late = fields(&[("revision", "0"), ("title", "Okoto 3")]);
    let late = owner.post(&edit, &late).await;
    late.assert(422, "Quelqu’un d’autre a modifié cette fiche");
}

/// listings-svc says it in English.
#[testing::database_test(web::MIGRATOR)]
async fn the_reason_why_a_game_is_hidden_is_marked_as_english(pool: PgPool) {
    let (site, account, mut owner) = french_studio(pool).await;
    let note = "Its page was taken down.";
    *site.listings.note.lock().unwrap() = Some(note.to_owned());
    let base = format!("/accounts/{account}/listings");
    let list = owner.get(&base).await;
    list.assert(200, &format!("<span lang=\"en\">{note}</span>"));
    let page = owner.get(&format!("{base}/game/okoto")).await;
    page.assert(200, &format!("<p class=\"problem\" lang=\"en\">{note}</p>"));
    // Staff write the reason of a rejection, in any language.
    site.listings.change(&account, "okoto", |game| {
        game.set_state(proto::State::Rejected);
    });
    let page = owner.get(&format!("{base}/game/okoto")).await;
    page.assert(200, "</strong> <bdi>Too &#60;b&#62;short</bdi> <span");
}

#[testing::database_test(web::MIGRATOR)]
async fn pictures_are_in_french(pool: PgPool) {
    let (site, account, mut owner) = french_studio(pool).await;
    site.listings.change(&account, "okoto", |game| {
        game.screenshots = vec![proto::Screenshot {
            url: format!("https://mchezo.example/pictures/{}", file()),
            ..proto::Screenshot::default()
        }];
    });
    let base = format!("/accounts/{account}/listings/game/okoto/pictures");
    let page = owner.get(&base).await;
    assert_all(
        &page,
        &[
            "<h1>Images – <bdi>Okoto</bdi></h1>",
            "Pas encore de couverture. Choisissez un fichier ci-dessous.",
            "Envoyer la couverture",
            "ne voient pas l’image 1</label>",
            "aria-label=\"Supprimer l’image 1\"",
            "au plus 1\u{202f}600\u{a0}pixels",
            LEFT,
        ],
    );
    let cover = format!("{base}/cover");
    let none = upload(&mut owner, &cover, b"").await;
    none.assert(422, "Choisissez un fichier.");
    let large = vec![7; 10 * 1024 * 1024 + 1];
    let large = upload(&mut owner, &cover, &large).await;
    large.assert(413, "Réduisez-le\u{a0}: un fichier a au plus 10\u{a0}Mo.");
    let cut_off = "--edge\r\ncontent-disposition: form-data; name=\"picture\"\r\n\r\nJPEG";
    let cut_off = owner.post_body(&cover, FORM, cut_off).await;
    cut_off.assert(422, "Le fichier n’est pas arrivé en entier.");
    // The sentences of listings-svc stay as they are.
    let refused = upload(&mut owner, &cover, b"GIF89a").await;
    refused.assert(422, "Send a JPEG.");
}

#[testing::database_test(web::MIGRATOR)]
async fn claims_are_in_french(pool: PgPool) {
    let (site, account, mut owner) = french_studio(pool).await;
    let path = format!("/accounts/{account}/claims");
    let page = owner.get(&path).await;
    page.assert(200, "<h1>Pages revendiquées</h1>");
    page.assert(200, "Pas encore de demande.");
    // What the service says is translated, and not marked as English.
    let fields = [("handle", "nobody"), ("evidence", "Je suis lui.")];
    let refused = owner.post(&path, &fields).await;
    let error = "id=\"handle-error\">Aucune page publique n’a cet identifiant.";
    refused.assert(422, error);
    let mut claim = proto::Claim {
        handle: "maliyo".to_owned(),
        ..proto::Claim::default()
    };
    claim.set_state(proto::ClaimState::Granted);
    site.listings.claims.lock().unwrap().push(claim);
    let page = owner.get(&path).await;
    page.assert(200, "<span class=\"state good\">acceptée</span>");
    page.assert(200, "Comment notre équipe peut vérifier");
    // With a second account, the links of the public site ask for which one.
    let ada = person_id(&site.pool, ADA).await.parse().unwrap();
    site.account(ada, Role::Owner).await;
    for (path, question) in [
        ("/claim/maliyo", "À quel compte appartient-elle\u{a0}?"),
        ("/add-game", "À quel compte appartient-il\u{a0}?"),
    ] {
        owner.get(path).await.assert(200, question);
    }
}
