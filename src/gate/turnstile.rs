//! Turnstile, the platform's question whether somebody is a machine: what is asked of `siteverify`, and what its answer is
//! worth. Asks nothing itself.

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::Host;
use crate::facts::units::VisitorId;

/// What the page's widget is rendered with; an answer to another question is none to ours.
pub const TURNSTILE_ACTION: &str = "baton-join";
/// The longest answer that a widget gives, in bytes.
pub const TURNSTILE_ANSWER_BYTES_MAX: usize = 2_048;
/// An answer is taken so long after the question was solved, as the platform does itself, ms.
const AGE_MS_MAX: u64 = 300_000;
/// The platform's clock may be ahead of ours by so much, ms.
const SKEW_MS_MAX: u64 = 60_000;

/// What `siteverify` says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct SiteVerdict {
    /// Whether it was solved, and never shown before.
    #[serde(default)]
    pub success: bool,
    /// When, as ISO 8601 text.
    #[serde(default)]
    pub challenge_ts: String,
    /// On which site.
    #[serde(default)]
    pub hostname: String,
    /// Which question.
    #[serde(default)]
    pub action: String,
    /// Why not.
    #[serde(default, rename = "error-codes")]
    pub error_codes: Vec<String>,
}

/// Why an answer is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproven {
    /// Not solved, shown before, or too old for the platform.
    Refused,
    /// Solved on another site.
    OtherHost,
    /// The answer to another question.
    OtherAction,
    /// Solved too long ago, in the future, or nobody knows when.
    WrongTime,
}

impl SiteVerdict {
    /// Whether it proves that who asks us at `host` is no machine. `solved_at_ms` is what `challenge_ts` means, Unix ms.
    ///
    /// # Errors
    /// The first reason why not.
    pub fn judge(
        &self,
        host: &Host,
        solved_at_ms: Option<u64>,
        now_ms: u64,
    ) -> Result<(), Unproven> {
        if !self.success {
            return Err(Unproven::Refused);
        }
        if !self
            .hostname
            .eq_ignore_ascii_case(without_port(host.as_str()))
        {
            return Err(Unproven::OtherHost);
        }
        if self.action != TURNSTILE_ACTION {
            return Err(Unproven::OtherAction);
        }
        let in_time = solved_at_ms.is_some_and(|at_ms| {
            at_ms <= now_ms.saturating_add(SKEW_MS_MAX)
                && now_ms.saturating_sub(at_ms) <= AGE_MS_MAX
        });
        in_time.then_some(()).ok_or(Unproven::WrongTime)
    }

    /// Whether asking again later may help: it is not the visitor's fault.
    #[must_use]
    pub fn is_ours_to_mend(&self) -> bool {
        let ours = [
            "internal-error",
            "missing-input-secret",
            "invalid-input-secret",
        ];
        let mut codes = self.error_codes.iter();
        !self.success && codes.any(|code| ours.contains(&code.as_str()))
    }
}

/// The answer as the page's script (JSON) or a form sends it. O(length).
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
        pairs
            .find(|(name, _)| *name == "cf-turnstile-response")?
            .1
            .to_owned()
    };
    // What widgets give needs no escape in either form.
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    let fits = (1..=TURNSTILE_ANSWER_BYTES_MAX).contains(&answer.len());
    (fits && answer.bytes().all(plain)).then_some(answer)
}

/// The key under which `siteverify` gives a repeated question its first answer: the same visitor with the same answer, and
/// nobody else. A UUID, as the protocol asks for.
#[must_use]
pub fn idempotency_key(visitor: VisitorId, answer: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(visitor.0);
    hash.update(answer.as_bytes());
    let bytes: [u8; 32] = hash.finalize().into();
    let hex: String = bytes
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    // Version 8: made by whoever made it.
    format!(
        "{}-{}-8{}-8{}-{}",
        part(0, 8),
        part(8, 12),
        part(13, 16),
        part(17, 20),
        part(20, 32)
    )
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}
