//! The private part of facts, which only the operator may read: who holds a ticket, and who at the desk did something.
//!
//! A row stores its private half apart from the public half. The row's hash covers each half by a hash of its own, so an export shows the public
//! half and only the hash of the private one, and still verifies. The hash of the private half is blinded with the edition's [`Salt`]: without the
//! salt nobody can test names or keys against it, and once the salt is deleted nobody can at all.

use super::Hash;
use facts::event::Event;
use facts::holder::Salt;
use facts::house::HouseEvent;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

/// A fact that may have a private part.
pub trait Hides: Clone + Serialize + DeserializeOwned {
    /// Moves the private part of this fact to the end of `private` and leaves an empty default in its place.
    ///
    /// # Errors
    /// Returns an error if the part cannot be encoded, which is a bug.
    fn hide(&mut self, private: &mut Vec<u8>) -> postcard::Result<()>;

    /// Takes this fact's private part back from the head of `private` and returns the rest of `private`.
    ///
    /// # Errors
    /// Returns an error if the part is not there.
    fn reveal<'a>(&mut self, private: &'a [u8]) -> postcard::Result<&'a [u8]>;
}

fn put(part: &mut (impl Serialize + Default), private: &mut Vec<u8>) -> postcard::Result<()> {
    *private = postcard::to_extend(&core::mem::take(part), core::mem::take(private))?;
    Ok(())
}

fn take<'a, T: DeserializeOwned>(part: &mut T, private: &'a [u8]) -> postcard::Result<&'a [u8]> {
    let (taken, rest) = postcard::take_from_bytes(private)?;
    *part = taken;
    Ok(rest)
}

impl Hides for Event {
    fn hide(&mut self, private: &mut Vec<u8>) -> postcard::Result<()> {
        match self {
            Self::Joined { holders, .. } | Self::Entered { holders, .. } => put(holders, private),
            Self::WalkedIn { holder, .. } | Self::Carried { to: holder, .. } => put(holder, private),
            Self::Adjusted { by, .. } | Self::Dismissed { by, .. } | Self::Reset { by, .. } => put(by, private),
            Self::Owned { accounts, .. } => put(accounts, private),
            Self::SheetMade { codes, by, .. } => {
                put(codes, private)?;
                put(by, private)
            }
            Self::SheetWithdrawn { by, .. } => put(by, private),
            Self::Spent(spent) => put(&mut spent.slip, private),
            _ => Ok(()),
        }
    }

    fn reveal<'a>(&mut self, private: &'a [u8]) -> postcard::Result<&'a [u8]> {
        match self {
            Self::Joined { holders, .. } | Self::Entered { holders, .. } => take(holders, private),
            Self::WalkedIn { holder, .. } | Self::Carried { to: holder, .. } => take(holder, private),
            Self::Adjusted { by, .. } | Self::Dismissed { by, .. } | Self::Reset { by, .. } => take(by, private),
            Self::Owned { accounts, .. } => take(accounts, private),
            Self::SheetMade { codes, by, .. } => take(by, take(codes, private)?),
            Self::SheetWithdrawn { by, .. } => take(by, private),
            Self::Spent(spent) => take(&mut spent.slip, private),
            _ => Ok(private),
        }
    }
}

impl Hides for HouseEvent {
    fn hide(&mut self, private: &mut Vec<u8>) -> postcard::Result<()> {
        match self {
            Self::Changed { by: name } | Self::OperatorRemoved { name } => put(name, private),
            Self::OperatorSet { name, table } => {
                put(name, private)?;
                put(table, private)
            }
            _ => Ok(()),
        }
    }

    fn reveal<'a>(&mut self, private: &'a [u8]) -> postcard::Result<&'a [u8]> {
        match self {
            Self::Changed { by: name } | Self::OperatorRemoved { name } => take(name, private),
            Self::OperatorSet { name, table } => take(table, take(name, private)?),
            _ => Ok(private),
        }
    }
}

/// Returns the public halves of these facts, and their private parts one after the other. O(facts).
pub(super) fn split<E: Hides>(events: &[E]) -> postcard::Result<(Vec<E>, Vec<u8>)> {
    let mut private = Vec::new();
    let mut public = events.to_vec();
    for event in &mut public {
        event.hide(&mut private)?;
    }
    Ok((public, private))
}

/// Puts the private parts back into their facts. Fails if `private` holds too little or too much. O(facts).
pub(super) fn join<E: Hides>(events: &mut [E], private: &[u8]) -> postcard::Result<()> {
    let mut rest = private;
    for event in events {
        rest = event.reveal(rest)?;
    }
    if rest.is_empty() {
        Ok(())
    } else {
        Err(postcard::Error::DeserializeBadEncoding)
    }
}

/// Returns the blinded hash of a row's private half, which the row's hash covers; zeros if the half is empty. O(bytes).
pub(super) fn blinded(salt: &Salt, version: u64, private: &[u8]) -> Hash {
    if private.is_empty() {
        return Hash::default();
    }
    let mut hash = Sha256::new();
    hash.update(blinding(salt, version));
    hash.update(private);
    Hash(hash.finalize().into())
}

/// Derives another blinding for each row, so that equal private halves do not show. The first byte of the input
/// separates it from the other uses of the salt (`lobby/keys.rs`).
fn blinding(salt: &Salt, version: u64) -> [u8; 32] {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&salt.0) else {
        return [0; 32];
    };
    mac.update(b"b");
    mac.update(&version.to_le_bytes());
    mac.finalize().into_bytes().into()
}
