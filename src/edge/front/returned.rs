//! What came back from the origin: an answer, what can be seen of it at a glance and what it says to Baton; or none, and why.

use worker::web_sys::Response;

use super::js::{self, Seen};
use crate::edge::log::{self, Code, Remark};
use crate::facts::answer_times::AnswerTimes;
use crate::facts::proofs::ProofChecks;
use crate::gate::{
    ADDRESS_HEADERS, OriginCommands, Pledge, is_baton_header, read_checked, read_origin_commands,
};

/// What came back.
pub enum Returned {
    /// The origin's answer, as it came.
    Answer(Answer),
    /// There is none.
    Nothing,
    /// It was not sent: the platform made another path of it than was judged.
    Refused,
}

impl Returned {
    /// What an answer to what was sent then is; or why there is none, which the log is told.
    pub fn of(
        pledge: Option<&Pledge<'_>>,
        sent_at_ms: u64,
        came: Result<Response, String>,
    ) -> Self {
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
        log::say(&remark.because(why));
        Self::Nothing
    }

    /// How long the origin took, or that it failed; none: it was not asked.
    pub fn times(&self) -> Option<AnswerTimes> {
        match self {
            Self::Answer(answer) => Some(answer.glance.times()),
            Self::Nothing => Some(AnswerTimes::one_failed()),
            Self::Refused => None,
        }
    }

    /// Whether the origin has failed; none: it was not asked.
    pub fn is_error(&self) -> Option<bool> {
        match self {
            Self::Answer(answer) => Some(answer.glance.is_error()),
            Self::Nothing => Some(true),
            Self::Refused => None,
        }
    }
}

/// The origin's answer as it came, and what can be seen of it at a glance.
pub struct Answer {
    /// The platform's own.
    pub response: Response,
    /// What can be seen of it.
    pub glance: Glance,
}

/// What can be seen of an answer at a glance.
pub struct Glance {
    status: u16,
    /// From the request sent to the headers received, in ms.
    took_ms: u64,
    /// Whether it has headers of Baton's.
    pub speaks_baton: bool,
    /// Whether it has a `Set-Cookie`.
    pub sets_cookies: bool,
    /// Which of [`ADDRESS_HEADERS`] it has.
    pub addresses: Vec<&'static str>,
}

impl Glance {
    /// What was seen of the answer to a request that was sent then; or why it is none.
    ///
    /// # Errors
    /// What the log is told.
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
            addresses: ADDRESS_HEADERS
                .into_iter()
                .filter(|address| has(address))
                .collect(),
        })
    }

    /// Whether there is nothing to be done about it: it asks nothing of Baton, and the visitor gets it as it came.
    pub fn is_plain(&self) -> bool {
        !self.is_error() && !self.speaks_baton && !self.sets_cookies && self.addresses.is_empty()
    }

    /// Whether the origin has failed: an error of its own.
    pub const fn is_error(&self) -> bool {
        self.status >= 500
    }

    /// How long it took, or that it failed.
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
        let headers = self.glance.speaks_baton.then(|| self.response.headers());
        js::header(&headers?, "baton-stock")
    }

    /// How the shop's check judged the proof, if it did.
    pub fn checked(&self) -> Option<ProofChecks> {
        let headers = self.glance.speaks_baton.then(|| self.response.headers());
        read_checked(&js::header(&headers?, "baton-checked")?)
    }

    /// What the origin asks of us.
    pub fn commands(&self) -> OriginCommands {
        let headers = self.glance.speaks_baton.then(|| self.response.headers());
        let value = |name| js::header(headers.as_ref()?, name);
        read_origin_commands(
            value("baton-release").as_deref(),
            value("baton-extend").as_deref(),
        )
    }
}

/// Why an answer is none; `None`: it is one. What Cloudflare answers in the name of an origin that is down, too slow, or has a bad
/// certificate (520 to 527, 530) is none; nor is one that cannot be handed on: with a status that the platform takes for none, or a `101`
/// that opened nothing.
fn why_none(seen: &Seen) -> Option<String> {
    match seen.status {
        status @ (520..=527 | 530) => Some(format!("the platform answered {status} for it")),
        200..=599 => None,
        101 if seen.is_open_socket => None,
        status => Some(format!("it answered {status}, which ends no request")),
    }
}
