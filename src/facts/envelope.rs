//! The form of the messages between front, lobby and room: a version, then the message.
//!
//! A deploy reaches isolates and objects one by one, so for minutes a front or an object of one build talks to one of another. A receiver
//! that does not know the version does nothing and answers *try again*, and the sender does. The version is one byte: [`WIRE`] before
//! `postcard`, its digit before JSON. Nothing was released yet, so there is one version to read. The build that counts [`WIRE`] up must also read
//! the version before, and answer whoever speaks that one in it.
//!
//! Two kinds of messages have no version. A front's measurements ride along in headers and are lost if they cannot be read. Operators' orders and a
//! room's reports are JSON, read by the names of their fields, where another build's field is left out or unknown.

use crate::message::WIRE;
use core::fmt;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// [`WIRE`] as it stands before JSON.
const DIGIT: char = (b'0' + WIRE) as char;

/// Why a message cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// Another build wrote it: try again.
    Version,
    /// It has this version, but no meaning.
    Malformed,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Version => "a message is of another build",
            Self::Malformed => "a message could not be read",
        })
    }
}

impl core::error::Error for Unreadable {}

/// Writes a message as bytes, for objects among themselves.
///
/// # Errors
/// [`Unreadable::Malformed`] if the message cannot be written, which no message of Baton's ever caused.
pub fn bytes<T: Serialize>(message: &T) -> Result<Vec<u8>, Unreadable> {
    postcard::to_extend(message, vec![WIRE]).map_err(|_| Unreadable::Malformed)
}

/// Reads what [`bytes`] wrote, to its last byte.
///
/// # Errors
/// See [`Unreadable`].
pub fn of_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Unreadable> {
    match bytes.split_first() {
        Some((&WIRE, message)) => match postcard::take_from_bytes(message) {
            Ok((message, [])) => Ok(message),
            _ => Err(Unreadable::Malformed),
        },
        Some(_) => Err(Unreadable::Version),
        None => Err(Unreadable::Malformed),
    }
}

/// Writes a message as text, between front and lobby.
///
/// # Errors
/// See [`bytes`].
pub fn text<T: Serialize>(message: &T) -> Result<String, Unreadable> {
    let json = serde_json::to_string(message).map_err(|_| Unreadable::Malformed)?;
    Ok(format!("{DIGIT}{json}"))
}

/// Reads what [`text`] wrote.
///
/// # Errors
/// See [`Unreadable`].
pub fn of_text<T: DeserializeOwned>(text: &str) -> Result<T, Unreadable> {
    match text.strip_prefix(DIGIT) {
        Some(json) => serde_json::from_str(json).map_err(|_| Unreadable::Malformed),
        None if text.starts_with(|c: char| c.is_ascii_digit()) => Err(Unreadable::Version),
        None => Err(Unreadable::Malformed),
    }
}
