//! Share cards of the public site, and games in frames of other sites.

use axum::body::Body;
use http::Request;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, SET_COOKIE};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use roxmltree::Document;
use serde_json::json;
use sqlx::PgPool;
use tower::ServiceExt as _;

use crate::browser::{Browser, Page};
use crate::share::file;
use crate::support::Site;

#[testing::database_test(web::MIGRATOR)]
async fn a_card_is_drawn_once_and_stored_for_ever(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for path in ["/games/okoto", "/creators/savanna", "/events/jam"] {
        let page = browser.get(path).await.text;
        let (_, rest) = page
            .split_once("<meta property=\"og:image\" content=\"")
            .unwrap();
        let url = rest.split('"').next().unwrap();
        let card = url.strip_prefix("https://mchezo.example").unwrap();
        let language = if path.starts_with("/events/") {
            "language=en&"
        } else {
            ""
        };
        let card = card.replace("&#38;", "&");
        let card = card.as_str();
        assert!(
            card.starts_with(&format!("{path}/card.jpg?{language}v=")),
            "{card}"
        );
        let drawn = bytes(&site, card).await;
        assert_eq!(drawn.headers()[CONTENT_TYPE], "image/jpeg");
        let cached = drawn.headers()[CACHE_CONTROL].to_str().unwrap();
        assert!(cached.contains("immutable"), "{cached}");
        assert_eq!(
            drawn.headers()["cross-origin-resource-policy"],
            "cross-origin"
        );
        let tag = drawn.headers()[ETAG].clone();
        let decoded = image::load_from_memory(drawn.body()).unwrap();
        assert_eq!((decoded.width(), decoded.height()), (1_200, 630));
        // Without its version, or with another, an address stands for the newest card.
        for other in [format!("{path}/card.jpg"), format!("{path}/card.jpg?v=0a")] {
            let again = bytes(&site, &other).await;
            assert_eq!(again.headers()[CACHE_CONTROL], "public, no-cache");
            assert_eq!((&again.headers()[ETAG], again.body()), (&tag, drawn.body()));
        }
        let request = Request::get(card).header("if-none-match", &tag);
        let again = browser.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(again.status, 304);
    }
    assert_eq!(browser.get("/games/none/card.jpg").await.status, 404);
    // Another text is another card.
    let before = bytes(&site, "/games/okoto/card.jpg").await;
    "Another line".clone_into(&mut site.catalogue.tagline.lock().unwrap());
    let after = bytes(&site, "/games/okoto/card.jpg").await;
    assert_ne!(before.headers()[ETAG], after.headers()[ETAG]);
    assert_ne!(before.body(), after.body());
}

#[testing::database_test(web::MIGRATOR)]
async fn a_card_has_what_can_be_read_in_the_language_of_its_page(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let image = async |browser: &mut Browser, path: &str| {
        let page = browser.get(path).await.text;
        let (_, rest) = page.split_once("<meta property=\"og:image\" content=\"")?;
        Some(rest.split('"').next()?.replace("&#38;", "&"))
    };
    // The days of an event are written by language.
    let mut cards = Vec::new();
    for (path, language) in [("/events/jam", "en"), ("/fr/events/jam", "fr")] {
        let url = image(&mut browser, path).await.unwrap();
        let path = url.strip_prefix("https://mchezo.example").unwrap();
        let parameter = format!("?language={language}&v=");
        assert!(path.contains(&parameter), "{path}");
        cards.push(bytes(&site, path).await.into_body());
    }
    assert_ne!(cards[0], cards[1]);
    // A character that the font lacks leaves the others.
    let text = |words: &str| {
        let words = (words.to_owned(), "https://a.example");
        *site.catalogue.words.lock().unwrap() = Some(words);
    };
    text("Kora");
    let plain = bytes(&site, "/games/okoto/card.jpg").await;
    text("Kora 🎮");
    let emoji = bytes(&site, "/games/okoto/card.jpg").await;
    assert_eq!(plain.headers()[ETAG], emoji.headers()[ETAG]);
    // Each script is drawn.
    let mut cards = vec![plain.into_body()];
    for title in ["لعبة", "ሰላም", "ߒߞߏ", "ⵜⴰⵎⴰⵣⵉⵖⵜ"] {
        text(title);
        let card = bytes(&site, "/games/okoto/card.jpg").await.into_body();
        assert!(!cards.contains(&card), "{title}");
        cards.push(card);
    }
    // Without a text that can be read, a card still has its picture or its drawing.
    text("日本");
    for path in ["/creators/savanna", "/games/okoto"] {
        assert!(image(&mut browser, path).await.is_some(), "{path}");
    }
}

/// A response that is no text.
async fn bytes(site: &Site, path: &str) -> http::Response<bytes::Bytes> {
    use http_body_util::BodyExt as _;
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = site.router.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    http::Response::from_parts(parts, body)
}

#[testing::database_test(web::MIGRATOR)]
async fn a_game_can_be_embedded(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/fr/games/okoto").await;
    page.assert(
        200,
        "<link rel=\"alternate\" type=\"application/json+oembed\"",
    );
    let url = "https%3A%2F%2Fmchezo.example%2Ffr%2Fgames%2Fokoto";
    let path = format!("/oembed?url={url}");
    page.assert(200, &format!("href=\"https://mchezo.example{path}\""));
    let json = file(&mut browser, &path, "application/json").await;
    assert_eq!(json.headers["access-control-allow-origin"], "*");
    let json: serde_json::Value = serde_json::from_str(&json.text).unwrap();
    for (name, value) in [
        ("version", json!("1.0")),
        ("type", json!("rich")),
        ("title", json!("Okoto <b>")),
        ("width", json!(480)),
        ("height", json!(420)),
        ("provider_name", json!("Mchezo")),
        ("thumbnail_width", json!(1_200)),
    ] {
        assert_eq!(json[name], value, "{name}");
    }
    // A picture is never larger than the other site has room for.
    for (room, width) in [
        ("&maxwidth=800", json!(600)),
        ("&maxheight=400", json!(600)),
        ("&maxwidth=599", json!(null)),
        ("&maxheight=300", json!(null)),
        ("&format=JSON", json!(1_200)),
    ] {
        let answer = browser.get(&format!("{path}{room}")).await.text;
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["thumbnail_width"], width, "{room}");
    }
    let html = json["html"].as_str().unwrap();
    let frame = Document::parse(html).unwrap();
    let frame = frame.root_element();
    let sandbox = frame.attribute("sandbox").unwrap();
    assert!(!sandbox.contains("scripts"), "{sandbox}");
    assert_eq!(frame.attribute("title"), Some("Okoto <b>"));
    // A phone is narrower than the frame.
    assert_eq!(frame.attribute("style"), Some("border:0;max-width:100%"));
    assert_eq!(
        frame.attribute("src"),
        Some("https://mchezo.example/fr/embed/games/okoto")
    );
    let small = format!("/oembed?url={url}&maxwidth=300&maxheight=9999");
    let small = browser.get(&small).await.text;
    let small: serde_json::Value = serde_json::from_str(&small).unwrap();
    assert_eq!(
        (&small["width"], &small["height"]),
        (&json!(300), &json!(420))
    );
    assert!(small["html"].as_str().unwrap().starts_with("<iframe "));
    for (query, status) in [
        (format!("url={url}&format=xml"), 501),
        (format!("url={url}&format=XML"), 501),
        (format!("url={url}&format=yaml"), 501),
        (format!("url={url}&maxwidth=0"), 400),
        (format!("url={url}&maxwidth=wide"), 400),
        (format!("url={url}&maxwidth=5000000000"), 200),
        (
            "url=https%3A%2F%2Felsewhere.example%2Fgames%2Fokoto".to_owned(),
            404,
        ),
        (
            "url=https%3A%2F%2Fmchezo.example%2Fgames%2Fnone".to_owned(),
            404,
        ),
        (String::new(), 404),
    ] {
        let refused = browser.get(&format!("/oembed?{query}")).await;
        assert_eq!(refused.status, status, "{query}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn an_address_is_embedded_as_a_browser_would_open_it(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for (url, frame) in [
        ("HTTPS://Mchezo.Example/games/okoto", "/embed/games/okoto"),
        (
            "https://mchezo.example:443/games/okoto",
            "/embed/games/okoto",
        ),
        (
            "https://mchezo.example/fr/games/okoto/#top",
            "/fr/embed/games/okoto",
        ),
        ("https://mchezo.example/games/ok%6Fto", "/embed/games/okoto"),
        ("http://mchezo.example/games/okoto", "/embed/games/okoto"),
    ] {
        let encoded = utf8_percent_encode(url, NON_ALPHANUMERIC);
        let page = browser.get(&format!("/oembed?url={encoded}")).await;
        assert_eq!(page.status, 200, "{url}: {}", page.text);
        let json: serde_json::Value = serde_json::from_str(&page.text).unwrap();
        let html = json["html"].as_str().unwrap();
        let source = format!("src=\"https://mchezo.example{frame}\"");
        assert!(html.contains(&source), "{url}: {html}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn errors_of_an_embed_are_documents_for_programs(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let url = "https%3A%2F%2Fmchezo.example%2Fgames%2Fokoto";
    let assert_json = |page: &Page, status: u16, part: &str| {
        assert_eq!(page.status, status, "{}", page.text);
        assert_eq!(page.headers[CONTENT_TYPE], "application/json");
        assert_eq!(page.headers["access-control-allow-origin"], "*");
        let json: serde_json::Value = serde_json::from_str(&page.text).unwrap();
        let error = json["error"].as_str().unwrap();
        assert!(error.contains(part), "{error}");
        let id = page.headers["x-request-id"].to_str().unwrap();
        assert_eq!(json["request_id"], id);
    };
    for (query, status, part) in [
        ("format=yaml".to_owned(), 501, "Use `json`"),
        (format!("url={url}&format=xml"), 501, "Use `json`"),
        (format!("url={url}&maxheight=high"), 400, "`maxheight`"),
        (
            "url=https%3A%2F%2Felsewhere.example".to_owned(),
            404,
            "`url`",
        ),
        (
            "url=https%3A%2F%2Fmchezo.example%2Fgames%2Fnone".to_owned(),
            404,
            "`url`",
        ),
        ("url=%ff&format=%ff".to_owned(), 501, "Use `json`"),
    ] {
        let page = browser.get(&format!("/oembed?{query}")).await;
        assert_json(&page, status, part);
    }
    let request = Request::delete(format!("/oembed?url={url}"));
    let page = browser.send(request.body(Body::empty()).unwrap()).await;
    assert_json(&page, 405, "another kind of request");
    *site.catalogue.is_away.lock().unwrap() = true;
    let page = browser.get(&format!("/oembed?url={url}")).await;
    assert_json(&page, 503, "");
}

#[testing::database_test(web::MIGRATOR)]
async fn other_sites_may_frame_the_embed_and_nothing_else(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/fr/embed/games/okoto").await;
    page.assert(200, "Okoto &#60;b&#62;");
    // The frame is narrow, so that a browser takes the small cover.
    page.assert(200, "?width=600 600w, ");
    page.assert(200, "sizes=\"100vw\"");
    page.assert(
        200,
        "href=\"https://mchezo.example/fr/games/okoto\" target=\"_blank\"",
    );
    assert!(page.text.len() < 20_000);
    assert!(!page.text.contains("<script") && !page.text.contains("<form"));
    assert!(!page.headers.contains_key(SET_COOKIE));
    assert_eq!(page.headers["x-robots-tag"], "noindex");
    // Without a cover, it has the drawing of the game.
    *site.catalogue.lacks_cover.lock().unwrap() = true;
    let drawn = browser.get("/embed/games/okoto").await;
    drawn.assert(
        200,
        "<img src=\"/pictures/drawn/1/games/NG/okoto.svg\" width=",
    );
    let policy = |page: &Page| {
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        policy.to_owned()
    };
    assert!(policy(&page).contains("frame-ancestors *"));
    assert!(!policy(&page).contains("script-src"));
    for path in ["/games/okoto", "/sign-in", "/games/none", "/embed"] {
        let page = browser.get(path).await;
        assert!(policy(&page).contains("frame-ancestors 'none'"), "{path}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn an_error_in_a_frame_is_a_small_page_for_frames(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let embed = browser.get("/embed/games/okoto").await.headers;
    let assert_framed = |page: &Page, status: u16, part: &str| {
        page.assert(status, part);
        for name in [
            "content-security-policy",
            "cross-origin-resource-policy",
            "x-robots-tag",
        ] {
            assert_eq!(page.headers[name], embed[name], "{name}");
        }
        let id = page.headers["x-request-id"].to_str().unwrap();
        assert!(page.text.contains(id), "{}", page.text);
        assert!(page.text.len() < 2_000, "{}", page.text);
        for element in ["<script", "<form", "<nav"] {
            assert!(!page.text.contains(element), "{}", page.text);
        }
        assert_eq!(page.headers[CACHE_CONTROL], "no-store");
    };
    let page = browser.get("/embed/games/none").await;
    assert_framed(&page, 404, "This game is not listed any more");
    let page = browser.get("/fr/embed/games/none").await;
    assert_framed(&page, 404, "Ce jeu n’est plus répertorié");
    let page = browser.get("/embed/creators/savanna").await;
    assert_framed(&page, 404, "Page not found");
    let request = Request::delete("/embed/games/okoto");
    let page = browser.send(request.body(Body::empty()).unwrap()).await;
    assert_framed(&page, 405, "Wrong kind of request");
    *site.catalogue.is_away.lock().unwrap() = true;
    let page = browser.get("/embed/games/okoto").await;
    assert_framed(&page, 503, "The catalogue does not answer");
    // The limit of pages comes before the catalogue.
    let limited = loop {
        let page = browser.get("/embed/games/okoto").await;
        if page.status != 503 {
            break page;
        }
    };
    assert_framed(&limited, 429, "Too many pages were asked for");
    assert_eq!(limited.headers["retry-after"], "60");
}
