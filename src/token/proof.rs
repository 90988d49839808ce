//! What front and origin prove to each other with `ORIGIN_SECRET` (docs/protocol.md). `Baton-Proof` says that a request came through Baton. The front
//! signs it; the checking half is here for tests and for origins written in Rust. `Baton-Stock` says how many seats the shop has left. The shop signs
//! it, and the front checks it.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

pub use facts::overheard::StockReport;
use facts::units::Fence;

type HmacSha256 = Hmac<Sha256>;

/// How far the time of a proof may be from the clock of whoever checks it, in ms.
pub const PROOF_SKEW_MS_MAX: u64 = 60_000;

/// The request that a proof is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProofRequest<'a> {
    /// The method, as sent.
    pub method: &'a str,
    /// The host with port if any, as in `Host`. Its case does not matter.
    pub host: &'a str,
    /// Path with query exactly as sent.
    pub path_and_query: &'a str,
    /// The room in `Baton-Room`; empty if there is none.
    pub room: &'a str,
    /// The lease's fence; 0 if the request has no lease (a farewell, one of the staff, a path without a room).
    pub fence: Fence,
}

/// Why there is no proof, or why it was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofError {
    /// `ORIGIN_SECRET` is empty.
    NoSecret,
    /// A field has a line break, and could be read as another field. HTTP carries none.
    LineBreak,
    /// Not `v1;t=<ms>;n=<16 hex>;mac=<64 hex>`, or `v1;left=<seats>;t=<ms>;mac=<64 hex>`.
    Malformed,
    /// Not made with this secret for this request.
    BadMac,
    /// More than [`PROOF_SKEW_MS_MAX`] away from the clock.
    Skewed,
}

/// The key made from `ORIGIN_SECRET`.
#[derive(Clone)]
pub struct OriginKey(HmacSha256);

impl std::fmt::Debug for OriginKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OriginKey")
    }
}

impl OriginKey {
    /// Makes the key from `ORIGIN_SECRET`, byte for byte.
    ///
    /// # Errors
    /// Returns [`ProofError::NoSecret`] if the secret is empty.
    pub fn new(secret: &str) -> Result<Self, ProofError> {
        if secret.is_empty() {
            return Err(ProofError::NoSecret);
        }
        HmacSha256::new_from_slice(secret.as_bytes()).map(Self).map_err(|_| ProofError::NoSecret)
    }

    fn mac(&self, t_ms: u64, nonce: u64, request: &ProofRequest<'_>) -> Result<HmacSha256, ProofError> {
        let fields = [request.method, request.host, request.path_and_query, request.room];
        if fields.iter().any(|field| field.contains(['\n', '\r'])) {
            return Err(ProofError::LineBreak);
        }
        let mut mac = self.0.clone();
        mac.update(
            format!(
                "baton-proof-v1\n{t_ms}\n{nonce:016x}\n{}\n{}\n{}\n{}\n{}",
                request.method,
                request.host.to_ascii_lowercase(),
                request.path_and_query,
                request.room,
                request.fence.0
            )
            .as_bytes(),
        );
        Ok(mac)
    }

    /// Returns the header's value for a request sent at `now_ms` (Unix ms). `nonce` must differ for each request, so that an
    /// origin can take each proof once.
    ///
    /// # Errors
    /// Returns [`ProofError::LineBreak`] if a field has a line break.
    pub fn prove(&self, now_ms: u64, nonce: u64, request: &ProofRequest<'_>) -> Result<String, ProofError> {
        let mac = self.mac(now_ms, nonce, request)?.finalize().into_bytes();
        Ok(format!("v1;t={now_ms};n={nonce:016x};mac={}", to_hex(&mac)))
    }

    /// Checks the header as an origin does. Constant time in the MAC.
    ///
    /// # Errors
    /// Returns the first [`ProofError`] that applies.
    pub fn check(&self, header: &str, now_ms: u64, request: &ProofRequest<'_>) -> Result<(), ProofError> {
        let (t, nonce, hex) = header
            .strip_prefix("v1;t=")
            .and_then(|rest| rest.split_once(";n="))
            .and_then(|(t, rest)| rest.split_once(";mac=").map(|(n, mac)| (t, n, mac)))
            .ok_or(ProofError::Malformed)?;
        let t_ms: u64 = t.parse().map_err(|_| ProofError::Malformed)?;
        let number = u64::from_str_radix(nonce, 16).map_err(|_| ProofError::Malformed)?;
        if t_ms.to_string() != t || format!("{number:016x}") != nonce {
            return Err(ProofError::Malformed);
        }
        let mac = from_hex(hex).ok_or(ProofError::Malformed)?;
        self.mac(t_ms, number, request)?.verify_slice(&mac).map_err(|_| ProofError::BadMac)?;
        if t_ms.abs_diff(now_ms) > PROOF_SKEW_MS_MAX {
            Err(ProofError::Skewed)
        } else {
            Ok(())
        }
    }
}

impl OriginKey {
    fn stock_mac(&self, room: &str, report: StockReport) -> HmacSha256 {
        let mut mac = self.0.clone();
        let StockReport { left, at_ms } = report;
        // A room's name has no line break.
        mac.update(format!("baton-stock-v1\n{at_ms}\n{room}\n{left}").as_bytes());
        mac
    }

    /// Returns the value of `Baton-Stock` as a shop makes it for this room.
    #[must_use]
    pub fn report_stock(&self, room: &str, report: StockReport) -> String {
        let mac = self.stock_mac(room, report).finalize().into_bytes();
        let StockReport { left, at_ms } = report;
        format!("v1;left={left};t={at_ms};mac={}", to_hex(&mac))
    }

    /// Checks the header as the front does. Constant time in the MAC.
    ///
    /// # Errors
    /// Returns the first [`ProofError`] that applies: a report that somebody else wrote is worth nothing, and neither is an old one.
    pub fn check_stock(&self, header: &str, now_ms: u64, room: &str) -> Result<StockReport, ProofError> {
        let parts = header
            .trim()
            .strip_prefix("v1;left=")
            .and_then(|rest| rest.split_once(";t="))
            .and_then(|(left, rest)| Some((left, rest.split_once(";mac=")?)));
        let (left, (t, hex)) = parts.ok_or(ProofError::Malformed)?;
        let report = StockReport {
            left: left.parse().map_err(|_| ProofError::Malformed)?,
            at_ms: t.parse().map_err(|_| ProofError::Malformed)?,
        };
        let mac = from_hex(hex).ok_or(ProofError::Malformed)?;
        self.stock_mac(room, report).verify_slice(&mac).map_err(|_| ProofError::BadMac)?;
        if report.at_ms.abs_diff(now_ms) > PROOF_SKEW_MS_MAX {
            Err(ProofError::Skewed)
        } else {
            Ok(report)
        }
    }
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut hex, byte| {
        for nibble in [byte >> 4, byte & 15] {
            hex.extend(char::from_digit(u32::from(nibble), 16));
        }
        hex
    })
}

/// Reads 64 lower-case hex digits as 32 bytes.
fn from_hex(hex: &str) -> Option<[u8; 32]> {
    let digits = hex.as_bytes();
    if digits.len() != 64 || digits.iter().any(u8::is_ascii_uppercase) {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    // `from_str_radix` accepts a sign: "+f" is no hex.
    digits.iter().all(u8::is_ascii_hexdigit).then_some(bytes)
}
