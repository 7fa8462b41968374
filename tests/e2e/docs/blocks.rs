//! The code blocks of a guide. The info string of a block says how the tests use it:
//!
//! - `run`: runs with test keys, and prints what the next block (`answer`) contains; `run=live`: with live keys.
//! - `save=NAME:data.0.id`, after `run`: stores a field of the printed JSON in the variable NAME for the next blocks.
//! - `receiver`: the crate `receiver` starts it and checks its answers.
//! - `no-run`: cannot run, such as a part of a program, or lines with a package to install.

#[derive(Debug)]
pub(super) struct Block {
    pub(super) language: String,
    pub(super) kind: Kind,
    /// The name of a variable for the next blocks, and the field of the answer that it holds.
    pub(super) save: Option<(String, String)>,
    pub(super) code: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Run(Keys),
    Answer,
    NotRun,
    Receiver,
    /// Nothing says how the tests use the block.
    Unmarked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    Test,
    Live,
}

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
        blocks.push(Block { language: language.to_owned(), kind, save, code: code.join("\n") });
    }
    blocks
}
