//! Scripts, which Redis knows by their hashes once it has run them.

use redis::{Arg, Cmd};

/// A script.
#[derive(Debug, Clone)]
pub struct Script {
    code: &'static str,
    hash: String,
}

impl Script {
    /// The script of this code.
    pub fn new(code: &'static str) -> Self {
        Self {
            code,
            hash: redis::Script::new(code).get_hash().to_owned(),
        }
    }

    /// A command that [`evaluate`] has begun, with the code in place of the hash: Redis knows the script from then on.
    pub(super) fn in_full(&self, command: &Cmd) -> Cmd {
        let mut full = redis::cmd("EVAL");
        full.arg(self.code);
        for argument in command.args_iter().skip(2) {
            if let Arg::Simple(argument) = argument {
                full.arg(argument);
            }
        }
        full
    }
}

/// The beginning of a command that runs `script`: `keys` of its arguments are keys, which come first.
pub fn evaluate(script: &Script, keys: usize) -> Cmd {
    // Room for a handful of arguments of the usual length.
    let mut command = Cmd::with_capacity(12, 320);
    command.arg("EVALSHA").arg(&script.hash).arg(keys);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_in_full_has_the_same_keys_and_arguments() {
        let script = Script::new("return 1");
        let mut command = evaluate(&script, 1);
        command.arg("key").arg(7);
        let mut expected = redis::cmd("EVAL");
        expected.arg("return 1").arg(1).arg("key").arg(7);
        let full = script.in_full(&command);
        assert_eq!(full.get_packed_command(), expected.get_packed_command());
    }
}
