//! The secrets: read together, checked by their lengths, and never printed.

use serde_json::{Map, Value};
use worker::Env;

use super::bindings::secret;
use crate::log::{self, Code, Remark};
use facts::ordered::filled;
use settings::{Problem, RoomSettings, Settings, Severity};
use token::{EntryKeys, KeyError, Keyring};

/// Returns what rooms of the house need and this deployment has not set.
pub fn lacking(env: &Env, file: &Settings, rooms: Vec<RoomSettings>) -> Vec<Problem> {
    let settings = Settings { rooms, ..file.clone() };
    Secrets::read(env).lacking(&settings).collect()
}

/// The secrets. They must never be printed.
pub(super) struct Secrets {
    current: Option<String>,
    previous: Option<String>,
    next: Option<String>,
    pub(super) origin: Option<String>,
    pub(super) admin: Option<String>,
    pub(super) turnstile: Option<String>,
    entry: Option<String>,
    pub(super) oidc: Option<String>,
    pub(super) bypass: Option<String>,
}

impl Secrets {
    pub(super) fn read(env: &Env) -> Self {
        let text = |name| secret(env, name);
        Self {
            current: text("BATON_SECRET"),
            previous: text("BATON_SECRET_PREVIOUS"),
            next: text("BATON_SECRET_NEXT"),
            origin: text("ORIGIN_SECRET"),
            admin: text("BATON_ADMIN_TOKEN"),
            turnstile: text("TURNSTILE_SECRET"),
            entry: text("ENTRY_KEYS"),
            oidc: text("OIDC_CLIENT_SECRET"),
            bypass: text("BYPASS_SECRET"),
        }
    }

    /// Returns what these rooms need and is not set.
    pub(super) fn lacking(&self, settings: &Settings) -> impl Iterator<Item = Problem> {
        let bytes = |secret: &Option<String>| secret.as_ref().map_or(0, String::len);
        let turnstile = settings::check_turnstile(settings, bytes(&self.turnstile));
        let stock_line = settings::check_stock_line(settings, bytes(&self.origin));
        turnstile.into_iter().chain(stock_line)
    }

    fn lengths(&self) -> Map<String, Value> {
        let length = |secret: &Option<String>| Value::from(secret.as_ref().map_or(0, String::len));
        let secrets = [
            ("BATON_SECRET", &self.current),
            ("BATON_SECRET_PREVIOUS", &self.previous),
            ("BATON_SECRET_NEXT", &self.next),
            ("ORIGIN_SECRET", &self.origin),
            ("BATON_ADMIN_TOKEN", &self.admin),
            ("TURNSTILE_SECRET", &self.turnstile),
            ("ENTRY_KEYS", &self.entry),
            ("OIDC_CLIENT_SECRET", &self.oidc),
            ("BYPASS_SECRET", &self.bypass),
        ];
        filled(secrets.map(|(name, secret)| (name.to_owned(), length(secret))))
    }

    /// Returns what is wrong with the secrets themselves, whatever the rooms need. Doubts go into the log.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let (problems, warnings): (Vec<_>, Vec<_>) = settings::check_secrets(&self.lengths())
            .into_iter()
            .partition(|problem| problem.severity == Severity::Error);
        for warning in &warnings {
            log::say(&Remark::front(Code::ConfigDoubtful).because(warning));
        }
        problems
    }

    /// Reads the shop's keys, which sign entry tokens.
    pub(super) fn entry_keys(&self) -> Result<EntryKeys, Vec<Problem>> {
        settings::check_entry_keys(self.entry.as_deref().unwrap_or_default())
    }

    /// Reads the keys of Baton's own tokens.
    pub(super) fn keyring(&self) -> Result<Keyring, KeyError> {
        Keyring::from_secrets(self.current.as_deref(), self.previous.as_deref()).and_then(|keyring| keyring.with_next(self.next.as_deref()))
    }
}
