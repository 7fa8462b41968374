//! A tip of a player to a game (§4.2).

use kit::api::bad_fields::BadFields;
use kit::api::text;
use kit::{Code, Fault};

use super::fields::{Fields, MAX_SAFE_INTEGER};

/// Maximum length of a player's name.
const MAX_PLAYER: usize = 128;
/// Maximum length of a note.
const MAX_NOTE: usize = 500;

const FIELDS: &[&str] = &["game", "player", "amount", "note"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tip {
    /// The player's name within the game.
    pub player: String,
    /// Whole units of the game's currency.
    pub amount: u64,
    /// Empty for none.
    pub note: String,
}

impl Tip {
    /// Parses a JSON object that was sent with a key of the game `key_game`.
    ///
    /// # Errors
    /// `bad_json` for anything else, `not_found` for another game, `invalid` for bad fields.
    pub fn parse(json: &str, key_game: &str) -> Result<Self, Fault> {
        let fields = Fields::parse(json).ok_or_else(|| {
            Fault::new(
                Code::BadJson,
                "The body is not a JSON object. Send the fields of a tip in one object.",
            )
        })?;
        let game = fields.string("game");
        if let Ok(Some(game)) = &game
            && ![key_game, ""].contains(&game.trim())
        {
            return Err(Fault::not_found(format!(
                "This key belongs to the game {key_game} and cannot tip another one. Leave `game` out."
            )));
        }
        let mut bad = BadFields::default();
        let player = bad.read("player", player(&fields));
        let amount = fields.whole("amount", 1, MAX_SAFE_INTEGER);
        let amount = bad.read("amount", amount.map_err(|problem| sentence(&problem)));
        let note = bad.read("note", line(&fields, "note", MAX_NOTE));
        for (field, problem) in fields.unexpected(FIELDS) {
            bad.add(field, sentence(&problem));
        }
        bad.read("game", game.map_err(|problem| sentence(&problem)));
        let (player, (amount, note)) = bad.finish(player.zip(amount.zip(note)))?;
        Ok(Self { player, amount, note: note.unwrap_or_default() })
    }
}

fn player(fields: &Fields<'_>) -> Result<String, String> {
    let missing = || format!("Give the player who tips: a text of 1 to {MAX_PLAYER} characters.");
    line(fields, "player", MAX_PLAYER)?.ok_or_else(missing)
}

/// One line of at most `most` characters, as every text of the service is stored; `None` when it is absent, null or empty.
fn line(fields: &Fields<'_>, name: &str, most: usize) -> Result<Option<String>, String> {
    let sent = fields.string(name).map_err(|problem| sentence(&problem))?;
    let line = sent.map(|text| text::line(&text, most)).transpose()?;
    Ok(line.filter(|line| !line.is_empty()))
}

/// For example `It is given twice.`
fn sentence(problem: &str) -> String {
    let mut letters = problem.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tip_is_read() {
        let tip = Tip::parse(r#"{"player":" ada ","amount":5.0,"game":"bao","note":"gg"}"#, "bao");
        let expected = Tip { player: "ada".to_owned(), amount: 5, note: "gg".to_owned() };
        assert_eq!(tip, Ok(expected));
    }

    #[test]
    fn the_name_of_a_player_is_normalized() {
        let player = |name: &str| {
            let json = serde_json::json!({ "player": name, "amount": 1 });
            Tip::parse(&json.to_string(), "bao").map(|tip| tip.player)
        };
        assert_eq!(player("Jose\u{301}"), Ok("José".to_owned()));
        let hidden = player("ada\u{202E}").unwrap_err();
        assert_eq!(hidden.fields["player"], "Remove the character U+202E.");
    }

    #[test]
    fn bad_fields_are_named_all_at_once() {
        let bad = |json| {
            let fault = Tip::parse(json, "bao").unwrap_err();
            assert_eq!(fault.code, Code::Invalid, "{fault}");
            fault.fields.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(bad("{}"), ["amount", "player"]);
        assert_eq!(bad(r#"{"player":"","amount":0,"note":7}"#), ["amount", "note", "player"]);
        assert_eq!(bad(r#"{"player":"a","amount":1.5}"#), ["amount"]);
        assert_eq!(bad(r#"{"player":"a","amount":9007199254740992}"#), ["amount"]);
        assert_eq!(bad(r#"{"player":"a","amount":1,"x":1,"y":1}"#), ["x", "y"]);
        assert_eq!(bad(r#"{"player":"a","amount":1,"game":1}"#), ["game"]);
    }

    #[test]
    fn a_tip_to_another_game_is_not_found() {
        let other = Tip::parse(r#"{"player":"a","amount":1,"game":"mancala"}"#, "bao");
        assert_eq!(other.unwrap_err().code, Code::NotFound);
        assert_eq!(Tip::parse("[]", "bao").unwrap_err().code, Code::BadJson);
    }
}
