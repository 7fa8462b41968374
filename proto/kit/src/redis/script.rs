//! Lua scripts. Redis finds a script by its hash once it has run it.

use redis::{Arg, Cmd};

/// A Lua script.
#[derive(Debug, Clone)]
pub struct Script {
    code: &'static str,
    hash: String,
}

impl Script {
    /// A script with this code.
    pub fn new(code: &'static str) -> Self {
        Self { code, hash: redis::Script::new(code).get_hash().to_owned() }
    }

    /// Replaces the hash in a command that begins with [`evaluate`] by the code, which Redis then stores.
    pub(super) fn with_code(&self, command: &Cmd) -> Cmd {
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

/// Begins a command that runs `script`. Its first `keys` arguments are keys.
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
    fn a_command_with_code_has_the_same_keys_and_arguments() {
        let script = Script::new("return 1");
        let mut command = evaluate(&script, 1);
        command.arg("key").arg(7);
        let mut expected = redis::cmd("EVAL");
        expected.arg("return 1").arg(1).arg("key").arg(7);
        let full = script.with_code(&command);
        assert_eq!(full.get_packed_command(), expected.get_packed_command());
    }
}
