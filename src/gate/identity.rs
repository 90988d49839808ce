//! Reads who a request shows itself to be: the visitor, the ticket and the pass in its cookies or credentials, and what the shop says of it. It must never
//! believe what is not signed, nor take a ticket from anybody but the visitor who holds it.

use super::{Barred, CookieName, Cookies, EntryVerdict, Host, Issuer, better_entrant, judge_entry, lane_of};
use facts::holder::Shown;
use facts::lane_name::LaneName;
use facts::units::{AccountId, LobbyId, VisitorId};
use facts::voucher::Voucher;
use settings::{EntryPolicy, RoomSettings};
use token::{Entrant, EntryKeys, Farewell, Human, Keyring, Knock, Pass, PassCookie, Scope, Ticket, Token, Verified, Visitor};

/// The tokens of one room that a request shows, before anything is verified.
#[derive(Debug, Clone)]
pub struct TokensShown<'a> {
    /// How the room's tokens are written, and what they are bound to.
    pub cookies: Cookies<'a>,
    /// The host that was asked.
    pub host: &'a Host,
    /// The text with the cookies, or the credentials.
    pub text: Option<String>,
    /// The token by which a socket is opened, if it is opened by one.
    pub knock: Option<&'a str>,
}

impl TokensShown<'_> {
    fn scope<'s>(&'s self, room: &'s RoomSettings) -> Scope<'s> {
        Scope {
            room: &room.bound_as,
            host: self.cookies.binding(self.host),
        }
    }

    fn values(&self, name: CookieName<'_>) -> Vec<&str> {
        self.cookies.values(self.text.as_deref(), name)
    }
}

/// What a request's tokens for one room prove.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The visitor, named by the visitor's own token, else by the pass.
    pub visitor: Option<VisitorId>,
    /// Whether the visitor's own token names the visitor.
    pub visitor_cookie: bool,
    /// The visitor's ticket.
    pub ticket: Option<Ticket>,
    /// Whether a ticket was shown, but none that is valid and this visitor's.
    pub bad_ticket: bool,
    /// A lease, or the farewell that is left of one.
    pub pass: Option<PassCookie>,
    /// Whether a pass cookie was shown, valid or not.
    pub pass_cookie: bool,
    /// Whether Turnstile lately found the visitor to be no machine.
    pub human: bool,
    /// What Baton remembers of the visitor's entry token, if the room takes entry tokens.
    pub entrant: Option<Entrant>,
    /// What follows from `entrant`.
    pub entry: EntryVerdict,
    /// The lane that the entry token names; `None`: everybody's.
    pub lane: Option<LaneName>,
    /// Whether the visitor gets no number if the room has no such lane.
    pub needs_lane: bool,
    /// Whether a token is signed with a key that this isolate does not know yet. The front then concludes nothing and touches no cookie.
    pub is_ahead_of_us: bool,
}

/// Returns the lease that the pass cookie proves, and looks at nothing else.
#[must_use]
pub fn lease_shown(shown: &TokensShown<'_>, keyring: &Keyring, room: &RoomSettings, now_ms: u64) -> Option<Pass> {
    let values = shown.values(CookieName::Pass(&room.name));
    // With several, the visitor's own cookie decides, which only `Identity` reads.
    if values.len() > 1 {
        return None;
    }
    match read_pass(&values, keyring, shown.scope(room), now_ms, None) {
        Some(PassCookie::Pass(pass)) => Some(pass),
        _ => None,
    }
}

impl Identity {
    /// Reads the tokens. At most five times [`COOKIE_TRIES_MAX`](super::COOKIE_TRIES_MAX) HMACs.
    #[must_use]
    pub fn read(shown: &TokensShown<'_>, keyring: &Keyring, entry_keys: &EntryKeys, room: &RoomSettings, now_ms: u64) -> Self {
        let scope = shown.scope(room);
        let mut identity = match shown.knock {
            Some(knock) => Self::of_knock(keyring.verify(knock, scope, now_ms).ok()),
            None => Self::of_tokens(shown, keyring, scope, room, now_ms),
        };
        identity.entry = judge_entry(room.entry, identity.entrant.as_ref(), entry_keys, now_ms);
        identity.lane = lane_of(identity.entry, identity.entrant.as_ref());
        identity.needs_lane = room.entry == EntryPolicy::Required;
        identity
    }

    fn of_tokens(shown: &TokensShown<'_>, keyring: &Keyring, scope: Scope<'_>, room: &RoomSettings, now_ms: u64) -> Self {
        let values = |name| shown.values(name);
        let takes_entries = room.entry != EntryPolicy::Off;
        let room = room.name.as_str();
        let visitors = values(CookieName::Visitor);
        let valid_visitors = valid::<Visitor>(&visitors, keyring, scope, now_ms);
        let named = the_one(valid_visitors.map(|visitor| visitor.id));
        let passes = values(CookieName::Pass(room));
        let pass = read_pass(&passes, keyring, scope, now_ms, named);
        let visitor = named.or_else(|| pass.as_ref().and_then(holder));
        let proofs = values(CookieName::Human);
        let tickets = values(CookieName::Ticket(room));
        let ticket = valid::<Ticket>(&tickets, keyring, scope, now_ms)
            .filter(|ticket| Some(ticket.visitor) == visitor)
            .max_by_key(|ticket| (ticket.edition, ticket.issued_at_ms));
        let entries = takes_entries.then(|| values(CookieName::Entry(room)));
        let entries = entries.unwrap_or_default();
        let entrant = the_one(valid::<Entrant>(&entries, keyring, scope, now_ms));
        let unproven = [(named.is_none(), &visitors), (ticket.is_none(), &tickets), (true, &passes)];
        let unproven = unproven.into_iter().filter(|(is_so, _)| *is_so);
        let mut unproven = unproven.flat_map(|(_, values)| values.iter());
        // A valid pass says all that is needed, whatever stands beside it.
        let is_ahead_of_us = pass.is_none() && unproven.any(|value| keyring.is_ahead_of_us(value, now_ms));
        Self {
            is_ahead_of_us,
            visitor,
            visitor_cookie: named.is_some(),
            bad_ticket: ticket.is_none() && !tickets.is_empty(),
            ticket,
            pass,
            pass_cookie: !passes.is_empty(),
            human: proofs.iter().any(|value| {
                let proof = keyring.verify::<Human>(value, scope, now_ms);
                proof.is_ok_and(|proof| Some(proof.token.visitor) == visitor)
            }),
            entrant,
            entry: EntryVerdict::Nobody,
            lane: None,
            needs_lane: false,
        }
    }

    /// Reads who opens a socket with a token for it. A bad token names nobody.
    fn of_knock(knock: Option<Verified<Knock>>) -> Self {
        let knock = knock.map(|verified| verified.token);
        Self {
            visitor: knock.map(|knock| knock.visitor),
            visitor_cookie: knock.is_some(),
            ticket: knock.and_then(|knock| knock.ticket),
            bad_ticket: false,
            pass: None,
            pass_cookie: false,
            human: false,
            entrant: None,
            entry: EntryVerdict::Nobody,
            lane: None,
            needs_lane: false,
            is_ahead_of_us: false,
        }
    }

    /// Takes in the entry token that a client shows in a call, which is to count even in a room that needs none. `new_name` names a visitor who has no name
    /// yet and for whom the shop vouches: an account is counted by itself, and an invitation gives one place. Returns what the client is to keep.
    ///
    /// # Errors
    /// Those of `new_name`.
    pub fn shows<E>(
        &mut self,
        entrant: Entrant,
        keys: &EntryKeys,
        issuer: &Issuer<'_>,
        new_name: impl FnOnce() -> Result<VisitorId, E>,
    ) -> Result<Vec<String>, E> {
        let known = self.entrant.replace(entrant);
        self.entry = judge_entry(EntryPolicy::Required, Some(&entrant), keys, issuer.now_ms);
        self.lane = lane_of(self.entry, Some(&entrant));
        self.needs_lane = true;
        let mut kept = Vec::new();
        if self.visitor.is_none() && (self.has_account() || self.voucher().is_some()) {
            let visitor = new_name()?;
            self.visitor = Some(visitor);
            self.visitor_cookie = true;
            kept.push(issuer.visitor(visitor));
        }
        let better = better_entrant(entrant, known, keys, issuer.now_ms);
        kept.extend(better.map(|entrant| issuer.entry(&entrant)));
        Ok(kept)
    }

    /// Whether the visitor has joined with the voucher that it shows.
    #[must_use]
    pub fn has_tried(&self) -> bool {
        self.entrant.is_some_and(|shown| shown.tried)
    }

    /// The lease, if the pass cookie holds one.
    #[must_use]
    pub fn lease(&self) -> Option<Pass> {
        match self.pass {
            Some(PassCookie::Pass(pass)) => Some(pass),
            _ => None,
        }
    }

    /// The farewell, if the pass cookie holds one.
    #[must_use]
    pub fn farewell(&self) -> Option<Farewell> {
        match self.pass {
            Some(PassCookie::Farewell(farewell)) => Some(farewell),
            _ => None,
        }
    }

    /// Whether the visitor still has to answer Turnstile's question before there is a number.
    #[must_use]
    pub const fn is_unproven(&self, room: &RoomSettings) -> bool {
        let is_vouched_for = room.entry_spares_turnstile && self.has_account();
        room.turnstile && !self.human && !is_vouched_for
    }

    /// Whether only a pass names the visitor. A pass opens the shop, but must not make its bearer the visitor who holds it.
    #[must_use]
    pub fn is_by_pass_alone(&self) -> bool {
        self.visitor.is_some() && !self.visitor_cookie
    }

    /// Returns this identity, without visitor and ticket if only a pass names the visitor.
    #[must_use]
    pub fn by_name(&self) -> Self {
        let mut own = self.clone();
        if own.is_by_pass_alone() {
            own.visitor = None;
            own.ticket = None;
        }
        own
    }

    /// The place that the visitor shows, by the ticket or by the lease.
    #[must_use]
    pub fn shown(&self) -> Option<Shown> {
        let of_lease = || self.own_lease().map(|pass| pass.shown());
        self.ticket.map(|ticket| ticket.shown()).or_else(of_lease)
    }

    /// The lobby that knows the visitor, if a token names one.
    #[must_use]
    pub fn lobby(&self) -> Option<LobbyId> {
        let of_lease = || self.own_lease().map(|pass| pass.lobby);
        self.ticket.map(|ticket| ticket.lobby).or_else(of_lease)
    }

    fn own_lease(&self) -> Option<Pass> {
        self.lease().filter(|pass| Some(pass.visitor) == self.visitor)
    }

    /// Returns why this visitor gets no number, or `None` if the entry verdict does not forbid it.
    #[must_use]
    pub const fn barred(&self) -> Option<Barred> {
        match self.entry {
            EntryVerdict::Barred(barred) => Some(barred),
            EntryVerdict::Account(_) | EntryVerdict::Voucher(_) | EntryVerdict::Nobody => None,
        }
    }

    /// The account that the shop's token names.
    #[must_use]
    pub const fn account(&self) -> Option<AccountId> {
        match self.entry {
            EntryVerdict::Account(account) => Some(account),
            EntryVerdict::Barred(_) | EntryVerdict::Voucher(_) | EntryVerdict::Nobody => None,
        }
    }

    /// Whether the shop's token names an account.
    #[must_use]
    pub const fn has_account(&self) -> bool {
        self.account().is_some()
    }

    /// The visitor's voucher.
    #[must_use]
    pub const fn voucher(&self) -> Option<Voucher> {
        match self.entry {
            EntryVerdict::Voucher(voucher) => Some(voucher),
            EntryVerdict::Account(_) | EntryVerdict::Barred(_) | EntryVerdict::Nobody => None,
        }
    }
}

/// The holder of a lease. A farewell proves no holder any more.
fn holder(pass: &PassCookie) -> Option<VisitorId> {
    match pass {
        PassCookie::Pass(pass) => Some(pass.visitor),
        PassCookie::Farewell(_) => None,
    }
}

/// Chooses the best of several pass cookies: the newest lease, else the longest farewell. Counts only those of `named` if there are any; otherwise
/// all must be one visitor's, because two that contradict each other prove neither. Any one of them alone would open as much.
fn read_pass(values: &[&str], keyring: &Keyring, scope: Scope<'_>, now_ms: u64, named: Option<VisitorId>) -> Option<PassCookie> {
    let verify = |value: &&str| keyring.verify_pass_cookie(value, scope, now_ms).ok();
    let all: Vec<PassCookie> = values.iter().filter_map(verify).map(|verified| verified.token).collect();
    let whose = match all.as_slice() {
        [] => return None,
        [one] => return Some(*one),
        several => named
            .filter(|named| several.iter().any(|pass| of_whom(pass) == *named))
            .or_else(|| the_one(several.iter().map(of_whom)))?,
    };
    let own = all.into_iter().filter(|pass| of_whom(pass) == whose);
    own.max_by_key(|pass| match pass {
        PassCookie::Pass(pass) => (1, pass.fence.0, pass.fresh_until_at_ms),
        PassCookie::Farewell(farewell) => (0, 0, farewell.ends_at_ms),
    })
}

fn of_whom(pass: &PassCookie) -> VisitorId {
    match pass {
        PassCookie::Pass(pass) => pass.visitor,
        PassCookie::Farewell(farewell) => farewell.visitor,
    }
}

/// Returns what all of them say, or `None` if there is nothing or two differ.
fn the_one<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// Returns the tokens that are signed and in time.
fn valid<T: Token>(values: &[&str], keyring: &Keyring, scope: Scope<'_>, now_ms: u64) -> impl Iterator<Item = T> {
    let verified = values.iter().filter_map(move |value| keyring.verify::<T>(value, scope, now_ms).ok());
    verified.map(|Verified { token, .. }| token)
}
