//! The code blocks of a guide. The first line of each says what the tests do with it:
//!
//! - `run`: it runs with test keys, and the block after it (`answer`) is what it prints; `run=live`: with live keys. With
//!   `save=NAME:data.0.id`, a field of the JSON that it prints is the variable NAME of the blocks after it.
//! - `receiver`: the crate `receiver` starts it and checks its answers.
//! - `no-run`: it cannot run, such as a part of a program, or lines with a package to install.

/// A code block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) language: String,
    pub(super) kind: Kind,
    /// A variable for the blocks after it, and the field of the answer that it holds.
    pub(super) save: Option<(String, String)>,
    pub(super) code: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Run(Keys),
    Answer,
    NotRun,
    Receiver,
    /// Nothing says what the tests do with it.
    Unmarked,
}

/// Which keys an example gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    Test,
    Live,
}

/// The blocks in their order.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            continue;
        };
        let code: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let mut info = info.split(' ');
        let (language, kind) = (info.next().unwrap_or(""), info.next().unwrap_or(""));
        let save = info.next().map(|save| {
            let saved = save.strip_prefix("save=").and_then(|it| it.split_once(':'));
            assert!(saved.is_some(), "not save=NAME:FIELD: {save}");
            let (name, field) = saved.unwrap();
            (name.to_owned(), field.to_owned())
        });
        let kind = match kind.split_once('=') {
            None if kind == "run" => Kind::Run(Keys::Test),
            Some(("run", "live")) => Kind::Run(Keys::Live),
            None if kind == "answer" => Kind::Answer,
            None if kind == "no-run" => Kind::NotRun,
            None if kind == "receiver" => Kind::Receiver,
            _ => Kind::Unmarked,
        };
        blocks.push(Block {
            language: language.to_owned(),
            kind,
            save,
            code: code.join("\n"),
        });
    }
    blocks
}
