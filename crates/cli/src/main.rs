//! The binary: the commands with the games there are.

use std::process::ExitCode;

fn main() -> ExitCode {
    nutcracker_commands::run(nutcracker_games::GAMES)
}
