//! `nutcracker token`: tokens of a fleet.

use std::path::PathBuf;

use clap::Subcommand;
use nutcracker_fleet::tokens::{self, Role, TokenError};

use crate::failure::Failure;
use crate::table::render;
use crate::{note, print};

/// Issue, list and revoke the tokens of a fleet
///
/// A token allows what its role says: `propose` positions, `work`, or `administer`; each role
/// allows what those before it do. The file keeps hashes, so a token is shown once. A server reads
/// the file again when it changes.
#[derive(Debug, clap::Args)]
#[command(
    disable_help_subcommand = true,
    after_help = "Example:
  nutcracker token new anna --role work --tokens fleet.tokens > anna.token"
)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Issue a token; it is printed, and shown only this once
    #[command(after_help = "Example:
  nutcracker token new anna --role work --tokens fleet.tokens > anna.token")]
    New {
        /// Its name: the account of all workers that use it
        name: String,
        /// propose, work or administer
        #[arg(long, default_value = "work")]
        role: Role,
        #[command(flatten)]
        file: File,
    },
    /// List all tokens, without their secrets
    #[command(after_help = "Example:
  nutcracker token list --tokens fleet.tokens")]
    List {
        #[command(flatten)]
        file: File,
    },
    /// Revoke a token
    #[command(after_help = "Example:
  nutcracker token revoke anna --tokens fleet.tokens")]
    Revoke {
        /// Its name
        name: String,
        #[command(flatten)]
        file: File,
    },
}

#[derive(Debug, clap::Args)]
struct File {
    /// The file of tokens
    #[arg(long, value_name = "FILE")]
    tokens: PathBuf,
}

impl From<TokenError> for Failure {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Exists(_) | TokenError::Unknown(_) | TokenError::Name(_) => {
                Failure::Usage(error.to_string())
            }
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl Args {
    /// Does it.
    pub fn run(self) -> Result<(), Failure> {
        match self.action {
            Action::New { name, role, file } => {
                let token = tokens::issue(&file.tokens, &name, role)?;
                print(&format!("{token}\n"))?;
                note("Keep it: it cannot be shown again.");
                Ok(())
            }
            Action::List { file } => {
                let entries = tokens::list(&file.tokens)?;
                let rows = entries.into_iter().map(|one| vec![one.name, one.role.to_string()]);
                print(&render(&["name", "role"], &[0, 1], rows.collect()))
            }
            Action::Revoke { name, file } => Ok(tokens::revoke(&file.tokens, &name)?),
        }
    }
}
