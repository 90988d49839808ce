//! Who a request shows itself to be: the visitor, the ticket and the pass in its cookies or credentials. Believes nothing that is
//! not signed, and takes a ticket only from the visitor whose it is.

use super::incoming::Incoming;
use crate::facts::holder::Shown;
use crate::facts::lane_name::LaneName;
use crate::facts::units::{LobbyId, VisitorId};
use crate::gate::{CookieName, EntryVerdict, Host};
use crate::settings::{EntryPolicy, RoomSettings};
use crate::token::{
    Entrant, Farewell, Human, Keyring, Knock, Pass, PassCookie, Scope, Ticket, Token, Verified,
    Visitor,
};

/// What the cookies for one room prove.
#[derive(Clone)]
pub struct Identity {
    /// Who; by the visitor's cookie, else by the pass.
    pub visitor: Option<VisitorId>,
    /// Whether the visitor's own token said so.
    pub visitor_cookie: bool,
    /// The visitor's ticket.
    pub ticket: Option<Ticket>,
    /// A ticket cookie was shown that is not this visitor's, or nobody's.
    pub bad_ticket: bool,
    /// A lease, or what is left of one.
    pub pass: Option<PassCookie>,
    /// A pass cookie was shown, good or bad.
    pub pass_cookie: bool,
    /// Turnstile found the visitor to be no machine, not long ago.
    pub human: bool,
    /// What the shop said of the visitor to this room, if it was asked to.
    pub entrant: Option<Entrant>,
    /// What follows from that.
    pub entry: EntryVerdict,
    /// The lane that it names; none: everybody's.
    pub lane: Option<LaneName>,
    /// Whether there is no number without that lane.
    pub needs_lane: bool,
    /// A cookie is signed with a key that this isolate does not know yet: nothing may be concluded, and no cookie
    /// touched.
    pub is_ahead_of_us: bool,
}

/// The lease that the pass cookie proves, with nothing else looked at.
pub fn lease_shown(
    incoming: &Incoming,
    keyring: &Keyring,
    host: &Host,
    room: &RoomSettings,
    now_ms: u64,
) -> Option<Pass> {
    let (cookies, header) = incoming.tokens(host, room);
    let scope = Scope {
        room: &room.bound_as,
        host: cookies.binding(host),
    };
    let values = cookies.values(header.as_deref(), CookieName::Pass(&room.name));
    // The visitor's own cookie decides between several: that is `Identity`'s.
    if values.len() > 1 {
        return None;
    }
    match read_pass(&values, keyring, scope, now_ms, None) {
        Some(PassCookie::Pass(pass)) => Some(pass),
        _ => None,
    }
}

impl Identity {
    /// Reads the cookies. At most five times [`crate::gate::COOKIE_TRIES_MAX`] HMACs.
    pub fn read(
        incoming: &Incoming,
        keyring: &Keyring,
        host: &Host,
        room: &RoomSettings,
        now_ms: u64,
    ) -> Self {
        let (cookies, header) = incoming.tokens(host, room);
        let scope = Scope {
            room: &room.bound_as,
            host: cookies.binding(host),
        };
        if let Some(knock) = incoming.described().socket_token() {
            return Self::of_knock(keyring.verify(&knock, scope, now_ms).ok());
        }
        let values = |name| cookies.values(header.as_deref(), name);
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
        let unproven = [
            (named.is_none(), &visitors),
            (ticket.is_none(), &tickets),
            (true, &passes),
        ];
        let unproven = unproven.into_iter().filter(|(is_so, _)| *is_so);
        let mut unproven = unproven.flat_map(|(_, values)| values.iter());
        // A pass that holds says all that is needed, whatever stands beside it.
        let is_ahead_of_us =
            pass.is_none() && unproven.any(|value| keyring.is_ahead_of_us(value, now_ms));
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

    /// Who opens a socket with a token for it. With a bad one nobody.
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

    /// Whether the visitor has joined with the voucher that it shows.
    pub fn has_tried(&self) -> bool {
        self.entrant.is_some_and(|shown| shown.tried)
    }

    /// The lease, if the pass cookie holds one.
    pub fn lease(&self) -> Option<Pass> {
        match self.pass {
            Some(PassCookie::Pass(pass)) => Some(pass),
            _ => None,
        }
    }

    /// The farewell, if the pass cookie holds one.
    pub fn farewell(&self) -> Option<Farewell> {
        match self.pass {
            Some(PassCookie::Farewell(farewell)) => Some(farewell),
            _ => None,
        }
    }

    /// Whether only a pass says who this is. A pass opens the shop; it makes nobody the visitor whose it is.
    pub fn is_by_pass_alone(&self) -> bool {
        self.visitor.is_some() && !self.visitor_cookie
    }

    /// The same, but for what a pass alone says of who it is.
    pub fn by_name(&self) -> Self {
        let mut own = self.clone();
        if own.is_by_pass_alone() {
            own.visitor = None;
            own.ticket = None;
        }
        own
    }

    /// The place that the visitor shows, on the ticket or on the lease.
    pub fn shown(&self) -> Option<Shown> {
        let of_lease = || self.own_lease().map(|pass| pass.shown());
        self.ticket.map(|ticket| ticket.shown()).or_else(of_lease)
    }

    /// The lobby that knows the visitor, if a token names one.
    pub fn lobby(&self) -> Option<LobbyId> {
        let of_lease = || self.own_lease().map(|pass| pass.lobby);
        self.ticket.map(|ticket| ticket.lobby).or_else(of_lease)
    }

    fn own_lease(&self) -> Option<Pass> {
        self.lease()
            .filter(|pass| Some(pass.visitor) == self.visitor)
    }
}

/// Who holds a lease. A farewell proves nothing any more.
fn holder(pass: &PassCookie) -> Option<VisitorId> {
    match pass {
        PassCookie::Pass(pass) => Some(pass.visitor),
        PassCookie::Farewell(_) => None,
    }
}

/// The best of several pass cookies: the newest lease, else the longest farewell. Those of `named` if that is known; else
/// all must be one visitor's, for of two that contradict each other none is believed. Each of them alone would open as much.
fn read_pass(
    values: &[&str],
    keyring: &Keyring,
    scope: Scope<'_>,
    now_ms: u64,
    named: Option<VisitorId>,
) -> Option<PassCookie> {
    let verify = |value: &&str| keyring.verify_pass_cookie(value, scope, now_ms).ok();
    let all: Vec<PassCookie> = values
        .iter()
        .filter_map(verify)
        .map(|verified| verified.token)
        .collect();
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

/// What all of them say; none if two say different things.
fn the_one<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// Those that are signed and in time.
fn valid<T: Token>(
    values: &[&str],
    keyring: &Keyring,
    scope: Scope<'_>,
    now_ms: u64,
) -> impl Iterator<Item = T> {
    let verified = values
        .iter()
        .filter_map(move |value| keyring.verify::<T>(value, scope, now_ms).ok());
    verified.map(|Verified { token, .. }| token)
}

/// The lobby where a visitor without a ticket begins: the same at each visit, all equally likely.
pub fn home_lobby(visitor: VisitorId, lobbies: u16) -> LobbyId {
    let [a, b, c, d, e, f, g, h, ..] = visitor.0;
    // The bytes are a keyed hash of the address, but for the last bit: that says which kind of address it is.
    let hash = u64::from_be_bytes([a, b, c, d, e, f, g, h]) >> 1;
    let lobby = hash % u64::from(lobbies.max(1));
    LobbyId(u16::try_from(lobby).unwrap_or_default())
}
