//! `staff completion`: the script with which a shell completes commands and options.

use clap::Command;
use clap_complete::Shell;

use crate::output;

/// Prints the script of a shell.
pub(crate) fn print_script(shell: Shell, mut staff: Command) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut staff, "staff", &mut script);
    output::bytes(&script);
}
