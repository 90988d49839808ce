//! The command line of `audit`.

use super::{Fingerprint, Scope};

/// What the user asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The help text.
    Help,
    /// Is the export sound?
    Verify {
        /// The export; `-` is standard input.
        export: String,
        /// How much to look at.
        scope: Scope,
        /// A fingerprint that some row must have.
        published: Option<Fingerprint>,
        /// For programs.
        json: bool,
    },
    /// What became of a ticket?
    Story {
        /// The export; `-` is standard input.
        export: String,
        /// The ticket.
        number: u64,
        /// In which edition it was issued; `None`: the last that did.
        edition: Option<u32>,
        /// For programs.
        json: bool,
    },
}

/// The help text.
pub const HELP: &str = "\
audit: holds the journal of a sale to the laws of a waiting room, from its export alone

usage:
  audit verify EXPORT [--fingerprint HEX] [--chain-only] [--json]
  audit story EXPORT NUMBER [--edition N] [--json]

EXPORT is a file of JSON lines, or - for standard input.

  --fingerprint HEX  some row must have this hash: the history up to it is the one that was published
  --chain-only       check the hashes only, also of an export that does not begin with the first row
  --edition N        the ticket of that edition: each reset of the room begins another, with numbers from 1
                     (else the last that issued the number)
  --json             one JSON object on standard output

exit: 0 sound; 1 not sound, the first thing that is wrong is printed; 2 usage, or not readable
docs: docs/audit.md
";

/// Reads the arguments (without the program's name).
///
/// # Errors
/// What is wrong with them, and the cure.
pub fn parse(arguments: &[String]) -> Result<Wish, String> {
    let mut words = Vec::new();
    let (mut json, mut scope, mut published) = (false, Scope::Everything, None);
    let mut edition = None;
    let mut given = arguments.iter();
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--help" | "-h" => return Ok(Wish::Help),
            "--json" => json = true,
            "--chain-only" => scope = Scope::Chain,
            "--fingerprint" => {
                let hex = given.next().and_then(|text| Fingerprint::parse(text));
                published = Some(hex.ok_or_else(|| wrong("--fingerprint takes 64 hex digits"))?);
            }
            "--edition" => {
                let number = given.next().and_then(|text| text.parse::<u32>().ok());
                let number = number.filter(|number| *number > 0);
                edition = Some(number.ok_or_else(|| wrong("--edition takes a number from 1"))?);
            }
            flag if flag.starts_with("--") => return Err(wrong(&format!("there is no {flag}"))),
            word => words.push(word),
        }
    }
    match words.as_slice() {
        ["verify", _] if edition.is_some() => Err(wrong("verify takes no --edition")),
        ["verify", export] => Ok(Wish::Verify {
            export: (*export).to_owned(),
            scope,
            published,
            json,
        }),
        ["story", _, _] if scope == Scope::Chain || published.is_some() => {
            Err(wrong("story takes no flag but --edition and --json"))
        }
        ["story", export, number] => Ok(Wish::Story {
            export: (*export).to_owned(),
            number: number
                .parse()
                .map_err(|_| wrong(&format!("{number:?} is not a ticket's number")))?,
            edition,
            json,
        }),
        ["help"] => Ok(Wish::Help),
        [] => Err(wrong("no command")),
        ["verify" | "story", ..] => Err(wrong("too few or too many words")),
        [command, ..] => Err(wrong(&format!("there is no command {command:?}"))),
    }
}

fn wrong(what: &str) -> String {
    format!(
        "{what}\n  cure: audit verify EXPORT [--fingerprint HEX] [--chain-only] [--json], or audit \
         story EXPORT NUMBER [--edition N] [--json]; see --help"
    )
}
