//! What came back from the origin: an answer, what a glance shows of it and what it says to Baton; or no answer, and why.

use worker::web_sys::Response;

use super::js::{self, Seen};
use super::memory;
use crate::dice;
use crate::log::{self, Code, Remark};
use facts::answer_times::AnswerTimes;
use facts::proofs::ProofChecks;
use gate::{
    ADDRESS_HEADERS, CLEAR_SITE_DATA, Cacheability, OriginCommands, Pledge, Release, cacheability, is_baton_header, is_for_shared_caches,
    meant_release, private_cache_control, read_checked, read_origin_commands, said_once,
};
use settings::RoomSettings;

/// What came back.
pub enum Returned {
    /// The origin's answer, as it came.
    Answer(Answer),
    /// No answer.
    Nothing {
        /// Whether the client may be the cause: it sent something, and may have broken off.
        is_clients: bool,
    },
    /// The request was not sent: the platform made another path of it than the one that was judged.
    Refused,
}

impl Returned {
    /// Makes the result of a request that was sent at `sent_at_ms`; `sends_nothing` if it has no body. Logs why if there is no answer, of requests with a body
    /// once in a while: a client can break off as many as it likes.
    pub fn of(pledge: Option<&Pledge<'_>>, sent_at_ms: u64, sends_nothing: bool, came: Result<Response, String>) -> Self {
        let came = came.and_then(|response| {
            let glance = Glance::new(&Seen::of(&response), sent_at_ms)?;
            Ok(Answer { response, glance })
        });
        let why = match came {
            Ok(answer) => return Self::Answer(answer),
            Err(why) => why,
        };
        let mut remark = Remark::front(Code::OriginUnreachable);
        if let Some(pledge) = pledge {
            remark = remark.in_room(pledge.room);
        }
        if sends_nothing || memory::begin_saying_upload(sent_at_ms) {
            log::say(&remark.because(why));
        }
        Self::Nothing { is_clients: !sends_nothing }
    }

    /// How long the origin took, or that it failed; `None` if it was not asked, or nobody knows.
    pub fn times(&self) -> Option<AnswerTimes> {
        match self {
            Self::Answer(answer) => Some(answer.glance.times()),
            Self::Nothing { is_clients: false } => Some(AnswerTimes::one_failed()),
            Self::Nothing { is_clients: true } | Self::Refused => None,
        }
    }

    /// Whether the origin failed; `None` if it was not asked, or nobody knows.
    pub fn is_error(&self) -> Option<bool> {
        match self {
            Self::Answer(answer) => Some(answer.glance.is_error()),
            Self::Nothing { is_clients: false } => Some(true),
            Self::Nothing { is_clients: true } | Self::Refused => None,
        }
    }
}

/// The origin's answer as it came, and what a glance shows of it.
pub struct Answer {
    /// The platform's own answer.
    pub response: Response,
    /// What a glance shows of it.
    pub glance: Glance,
}

/// What a glance at an answer shows.
pub struct Glance {
    status: u16,
    /// From the request sent to the headers received, ms.
    took_ms: u64,
    /// Whether it has headers of Baton's.
    pub speaks_baton: bool,
    /// Whether it has a `Set-Cookie`.
    pub sets_cookies: bool,
    /// Whether it has a `Clear-Site-Data`.
    pub clears_data: bool,
    /// Which of [`ADDRESS_HEADERS`] it has.
    pub addresses: Vec<&'static str>,
    /// What its `Cache-Control` says.
    cache_control: Option<String>,
    /// Whether it has any header [for shared caches](is_for_shared_caches).
    speaks_to_shared_caches: bool,
    /// Whether a socket came with it, which no cache keeps.
    is_open_socket: bool,
}

impl Glance {
    /// Glances at the answer to a request that was sent at `sent_at_ms`.
    ///
    /// # Errors
    /// Why it counts as no answer, for the log.
    pub fn new(seen: &Seen, sent_at_ms: u64) -> Result<Self, String> {
        if let Some(why) = why_none(seen) {
            return Err(why);
        }
        let has = |wanted: &str| seen.names.iter().any(|name| name == wanted);
        Ok(Self {
            status: seen.status,
            took_ms: seen.at_ms.saturating_sub(sent_at_ms),
            speaks_baton: seen.names.iter().any(|name| is_baton_header(name)),
            sets_cookies: has("set-cookie"),
            clears_data: has(CLEAR_SITE_DATA),
            addresses: ADDRESS_HEADERS.into_iter().filter(|address| has(address)).collect(),
            cache_control: seen.cache_control.clone(),
            speaks_to_shared_caches: seen.names.iter().any(|name| is_for_shared_caches(name)),
            is_open_socket: seen.is_open_socket,
        })
    }

    /// Whether nothing has to be done about the answer: it asks nothing of Baton, and the visitor gets it as it came.
    pub fn is_plain(&self) -> bool {
        let touches_cookies = self.sets_cookies || self.clears_data;
        !self.is_error() && !self.speaks_baton && !touches_cookies && self.addresses.is_empty()
    }

    /// Whether a shared cache may keep the answer, or may guess that it may.
    pub fn is_for_shared_caches(&self) -> bool {
        let said = self.cache_control.as_deref();
        !self.is_open_socket && (self.speaks_to_shared_caches || cacheability(said, None) != Cacheability::Private)
    }

    /// Returns the `Cache-Control` with which the visitor gets a plain answer that needed a pass; empty if it stays as it came. Returns `None` if more
    /// has to change.
    pub fn narrowed(&self) -> Option<String> {
        if self.speaks_to_shared_caches {
            return None;
        }
        let said = self.cache_control.as_deref();
        let kept = cacheability(said, None);
        let narrowed = private_cache_control(said, kept).filter(|_| !self.is_open_socket);
        Some(narrowed.unwrap_or_default())
    }

    /// Whether the origin failed: the answer is an error of its own.
    pub const fn is_error(&self) -> bool {
        self.status >= 500
    }

    /// How long the origin took, or that it failed.
    pub fn times(&self) -> AnswerTimes {
        if self.is_error() {
            AnswerTimes::one_failed()
        } else {
            AnswerTimes::one(self.took_ms)
        }
    }
}

impl Answer {
    /// What the shop says of its stock, not yet believed.
    pub fn stock(&self) -> Option<String> {
        self.said("baton-stock")
    }

    /// Whether the origin asks anything of Baton or says how many seats are left. How its check judged the proof is neither.
    pub fn says_anything(&self, room: &RoomSettings) -> bool {
        let commands = self.commands(room);
        commands.release == Release::Now || commands.extend_ms.is_some() || self.stock().is_some()
    }

    /// How the shop's check judged the proof, if the answer says so.
    pub fn checked(&self) -> Option<ProofChecks> {
        read_checked(&self.said("baton-checked")?)
    }

    /// What the origin asks of Baton on a path of this room.
    pub fn commands(&self, room: &RoomSettings) -> OriginCommands {
        read_origin_commands(
            room.name_in_file(),
            self.said("baton-release").as_deref(),
            self.said("baton-extend").as_deref(),
        )
    }

    /// What the origin means by `Baton-Release`, if it says anything there.
    pub fn release(&self) -> Option<String> {
        let said = self.said("baton-release")?;
        meant_release(&said).map(str::to_owned)
    }

    /// Whether the origin asks for more time.
    pub fn is_extension(&self) -> bool {
        let said = self.said("baton-extend");
        read_origin_commands("", None, said.as_deref()).extend_ms.is_some()
    }

    /// Whether a cache kept the answer, and the origin made it for an earlier request.
    pub fn is_cached(&self) -> bool {
        js::header(&self.response.headers(), "age").is_some()
    }

    /// Returns what the origin says to Baton in this header. Ignores values that contradict each other, and logs that.
    fn said(&self, name: &str) -> Option<String> {
        let headers = self.glance.speaks_baton.then(|| self.response.headers());
        let value = js::header(&headers?, name)?;
        let said = said_once(&value).map(str::to_owned);
        if said.is_none() && memory::begin_saying_contradicts(dice::now_ms()) {
            log::say(&Remark::front(Code::ShopContradicts).because(name));
        }
        said
    }
}

/// Returns why an answer counts as none, or `None` if it counts. What Cloudflare answers in the name of an origin that is down, too
/// slow, or has a bad certificate (520 to 527, 530) counts as none. So does what cannot be handed on: a status that the platform does
/// not accept, or a `101` that opened nothing.
fn why_none(seen: &Seen) -> Option<String> {
    match seen.status {
        status @ (520..=527 | 530) => Some(format!("the platform answered {status} for it")),
        200..=599 => None,
        101 if seen.is_open_socket => None,
        status => Some(format!("it answered {status}, which ends no request")),
    }
}
