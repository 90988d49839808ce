//! Reads the tools' command lines. clap parses; this file words the errors as everywhere in Baton: the flag or the word that is wrong, and the cure.

use clap::error::{ContextKind, ErrorKind};
use clap::{ArgMatches, Command, CommandFactory, Error, FromArgMatches};
use std::error::Error as _;

/// What a command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish<T> {
    /// This help text.
    Help(String),
    /// This task.
    Do(T),
}

/// Returns the program's arguments, without its name.
#[must_use]
pub fn arguments() -> Vec<String> {
    std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect()
}

/// Reads the command line of a type that clap derives, without the program's name.
///
/// # Errors
/// Returns what is wrong with it, and the cure.
pub fn read<T: CommandFactory + FromArgMatches>(arguments: &[String]) -> Result<Wish<T>, String> {
    read_with(T::command(), arguments, T::from_arg_matches)
}

/// Reads a command line, without the program's name; `task` makes of it what is asked for.
///
/// # Errors
/// Returns what is wrong with it, and the cure.
pub fn read_with<T>(mut command: Command, arguments: &[String], task: impl FnOnce(&ArgMatches) -> Result<T, Error>) -> Result<Wish<T>, String> {
    let usage = command.render_usage().to_string();
    if matches!(arguments, [only] if only == "help") {
        return Ok(Wish::Help(command.render_help().to_string()));
    }
    let name = [command.get_name().to_owned()];
    let read = command
        .try_get_matches_from(name.iter().chain(arguments))
        .and_then(|matches| task(&matches));
    match read {
        Ok(wanted) => Ok(Wish::Do(wanted)),
        Err(error) if error.kind() == ErrorKind::DisplayHelp => Ok(Wish::Help(error.render().to_string())),
        Err(error) => Err(explained(&error, &usage)),
    }
}

/// Returns the bare name of an argument. clap names a flag with its value, `--seeds <N>` or `--walk-in[=<BOOL>]`, and a word as `<EXPORT>`.
fn bare(argument: &str) -> &str {
    if argument.starts_with('-') {
        let end = argument.find([' ', '[', '=']);
        end.map_or(argument, |end| argument.split_at(end).0)
    } else {
        argument.trim_matches(['<', '>'])
    }
}

/// Returns what is wrong, and the cure.
fn explained(error: &Error, usage: &str) -> String {
    let said = |kind| {
        let value = error.get(kind).map(ToString::to_string);
        value.filter(|text| !text.is_empty())
    };
    let usage = said(ContextKind::Usage).unwrap_or_else(|| usage.to_owned());
    let usage = usage.trim().trim_start_matches("Usage:").trim();
    let whole = said(ContextKind::InvalidArg).unwrap_or_default();
    let argument = bare(&whole);
    let value = said(ContextKind::InvalidValue);
    let meant = |kind| said(kind).map(|meant| format!("did you mean {meant}?"));
    let (what, cure) = match (error.kind(), value) {
        (ErrorKind::UnknownArgument, _) if argument.starts_with('-') => (
            format!("unknown flag {argument}"),
            meant(ContextKind::SuggestedArg).unwrap_or_else(|| "--help lists them all".to_owned()),
        ),
        (ErrorKind::UnknownArgument, _) => (format!("`{argument}` is one word too many"), usage.to_owned()),
        (ErrorKind::InvalidSubcommand, _) => {
            let word = said(ContextKind::InvalidSubcommand).unwrap_or_default();
            (format!("unknown command `{word}`"), usage.to_owned())
        }
        (ErrorKind::MissingRequiredArgument, _) => (format!("no {argument}"), usage.to_owned()),
        (ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, _) => {
            ("nothing to do".to_owned(), format!("{usage}; see --help"))
        }
        (ErrorKind::TooManyValues, Some(value)) => (format!("{argument} is `{value}`"), format!("{argument} without a value")),
        (_, Some(value)) => {
            let cure = error.source().map(ToString::to_string);
            (format!("{argument} is `{value}`"), cure.unwrap_or_else(|| usage.to_owned()))
        }
        (ErrorKind::InvalidValue | ErrorKind::WrongNumberOfValues, None) => {
            (format!("{argument} without a value"), format!("write {whole}; --help says what it takes"))
        }
        _ => (error.to_string(), usage.to_owned()),
    };
    format!("{what}\n  cure: {cure}")
}
