//! Turnstile, the platform's question whether a visitor is a machine: what Baton asks of `siteverify`, and what its
//! answer proves. This module sends nothing.

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::Host;
use facts::units::VisitorId;

/// The action of the page's widget. An answer with another action does not answer our question.
pub const TURNSTILE_ACTION: &str = "baton-join";
/// The most bytes of a widget's answer.
pub const TURNSTILE_ANSWER_BYTES_MAX: usize = 2_048;
/// How long after a question was solved its answer is accepted, in ms. The platform's own limit is the same.
const AGE_MS_MAX: u64 = 300_000;
/// How far the platform's clock may be ahead of ours, in ms.
const SKEW_MS_MAX: u64 = 60_000;

/// The answer of `siteverify`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct SiteVerdict {
    /// Whether the question was solved, and the answer never shown before.
    #[serde(default)]
    pub success: bool,
    /// When the question was solved, as ISO 8601 text.
    #[serde(default)]
    pub challenge_ts: String,
    /// The site on which it was solved.
    #[serde(default)]
    pub hostname: String,
    /// The action of the widget.
    #[serde(default)]
    pub action: String,
    /// Why the answer was refused.
    #[serde(default, rename = "error-codes")]
    pub error_codes: Vec<String>,
}

/// Why an answer is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproven {
    /// The question was not solved, or the answer was shown before, or it is too old for the platform.
    Refused,
    /// The question was solved on another site.
    OtherHost,
    /// The answer is to another question.
    OtherAction,
    /// The question was solved too long ago, in the future, or nobody knows when.
    WrongTime,
}

impl SiteVerdict {
    /// Decides whether this proves that the visitor at `host` is no machine. `solved_at_ms` is `challenge_ts` as Unix ms.
    ///
    /// # Errors
    /// The first reason why it does not.
    pub fn judge(&self, host: &Host, solved_at_ms: Option<u64>, now_ms: u64) -> Result<(), Unproven> {
        if !self.success {
            return Err(Unproven::Refused);
        }
        if !self.hostname.eq_ignore_ascii_case(without_port(host.as_str())) {
            return Err(Unproven::OtherHost);
        }
        if self.action != TURNSTILE_ACTION {
            return Err(Unproven::OtherAction);
        }
        let in_time = solved_at_ms.is_some_and(|at_ms| at_ms <= now_ms.saturating_add(SKEW_MS_MAX) && now_ms.saturating_sub(at_ms) <= AGE_MS_MAX);
        in_time.then_some(()).ok_or(Unproven::WrongTime)
    }

    /// Returns whether asking again later may help, because the fault is not the visitor's.
    #[must_use]
    pub fn is_ours_to_mend(&self) -> bool {
        let ours = ["internal-error", "missing-input-secret", "invalid-input-secret"];
        let mut codes = self.error_codes.iter();
        !self.success && codes.any(|code| ours.contains(&code.as_str()))
    }
}

/// Reads the answer as the page's script (JSON) or a form sends it. Returns `None` if it cannot be a widget's. O(length).
#[must_use]
pub fn turnstile_answer(content_type: &str, body: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Sent {
        token: String,
    }
    let answer = if content_type.starts_with("application/json") {
        serde_json::from_str::<Sent>(body).ok()?.token
    } else {
        let mut pairs = body.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(name, _)| *name == "cf-turnstile-response")?.1.to_owned()
    };
    // A widget's answer needs no escaping in either form.
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    let fits = (1..=TURNSTILE_ANSWER_BYTES_MAX).contains(&answer.len());
    (fits && answer.bytes().all(plain)).then_some(answer)
}

/// Returns the key under which `siteverify` gives a repeated question its first answer. It is the same for the same visitor with the same
/// answer, and for nobody else. A UUID, as the protocol requires.
#[must_use]
pub fn idempotency_key(visitor: VisitorId, answer: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(visitor.0);
    hash.update(answer.as_bytes());
    let bytes: [u8; 32] = hash.finalize().into();
    let hex: String = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    // UUID version 8: the maker decides about the bits.
    format!("{}-{}-8{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}
