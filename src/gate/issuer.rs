//! Issues what a client is to keep: the visitor's tokens for one room, signed, and written as cookies or as pairs of credentials. Clears what proves
//! nothing any more.

use super::{Asked, CookieName, Cookies, Host, Identity, Keeps, Outcome, TICKET_AGE_S, VISITOR_AGE_S, Verdict, entrant_unspent};
use facts::units::VisitorId;
use facts::wire::State;
use settings::RoomSettings;
use token::{Entrant, Keyring, Pass, Scope, Ticket, Token, Visitor};

/// How long Baton remembers an entry token that is refused or has ended, ms, so that the page can say why.
const REFUSED_MS: u64 = 600_000;

/// Issues the tokens of one room to one client.
#[derive(Debug, Clone, Copy)]
pub struct Issuer<'a> {
    /// The keys that sign.
    pub keyring: &'a Keyring,
    /// How the room's tokens are written.
    pub cookies: Cookies<'a>,
    /// The host that was asked.
    pub host: &'a Host,
    /// The room.
    pub room: &'a RoomSettings,
    /// The time, Unix ms.
    pub now_ms: u64,
}

impl Issuer<'_> {
    fn signed<T: Token>(&self, token: &T) -> String {
        let scope = Scope {
            room: &self.room.bound_as,
            host: self.cookies.binding(self.host),
        };
        self.keyring.sign(token, scope)
    }

    fn until(&self, name: CookieName<'_>, value: &str, ends_at_ms: u64) -> String {
        let age_s = Cookies::age_s(self.now_ms, ends_at_ms);
        self.cookies.set(name, value, age_s)
    }

    /// Issues a pass. It lives until the lease's hard end, so that a pass that is no longer fresh can still be renewed.
    #[must_use]
    pub fn pass(&self, pass: &Pass) -> String {
        let name = CookieName::Pass(&self.room.name);
        self.until(name, &self.signed(pass), pass.hard_ends_at_ms)
    }

    /// Issues the farewell that a pass becomes when the origin is done with its holder.
    #[must_use]
    pub fn farewell(&self, pass: &Pass) -> String {
        let ends_at_ms = self.now_ms.saturating_add(self.room.pass_ttl_ms);
        let farewell = pass.farewell(ends_at_ms);
        let name = CookieName::Pass(&self.room.name);
        self.until(name, &self.signed(&farewell), ends_at_ms)
    }

    /// Issues a visitor's own name, good in every room of the host, or of the room's domain.
    #[must_use]
    pub fn visitor(&self, id: VisitorId) -> String {
        let token = Visitor {
            id,
            issued_at_ms: self.now_ms,
        };
        let value = self.signed(&token);
        self.cookies.set(CookieName::Visitor, &value, VISITOR_AGE_S)
    }

    /// Issues what Baton remembers of an entry token. It outlives that token by [`REFUSED_MS`], so that a visitor who comes late is told so.
    #[must_use]
    pub fn entry(&self, entrant: &Entrant) -> String {
        let ends_at_ms = entrant.ends_at_ms.max(self.now_ms);
        let name = CookieName::Entry(&self.room.name);
        let ends_at_ms = ends_at_ms.saturating_add(REFUSED_MS);
        self.until(name, &self.signed(entrant), ends_at_ms)
    }

    /// Issues the ticket that a lobby told of. Returns `None` if no ticket lives, or the client showed this one.
    fn ticket(&self, asked: &Asked, visitor: VisitorId, shown: Option<&Ticket>) -> Option<String> {
        let status = &asked.told.status;
        let place = status.shown().filter(|_| status.state.is_place())?;
        // The rows are not compared: a ticket keeps the row in which it was given, and each status names a newer one.
        let is_same = |ticket: &Ticket| (ticket.number, ticket.edition, ticket.lobby) == (place.number, place.edition, asked.lobby);
        if shown.is_some_and(is_same) {
            return None;
        }
        let ticket = Ticket {
            number: place.number,
            edition: place.edition,
            lobby: asked.lobby,
            visitor,
            row: place.row,
            issued_at_ms: asked.asked_at_ms,
        };
        let name = CookieName::Ticket(&self.room.name);
        Some(self.cookies.set(name, &self.signed(&ticket), TICKET_AGE_S))
    }

    /// Remembers that a voucher's bearer has joined with it, so that the page offers no better lane for it again. Returns `None` if that is
    /// known already, or if there are no lanes.
    fn tried(&self, identity: &Identity, asked: &Asked) -> Option<String> {
        let shown = identity.entrant.filter(|shown| !shown.tried)?;
        let told = &asked.told;
        // Whoever has had the share of guesses has not tried this code.
        let is_due = (asked.joins || told.issued) && told.unspent.is_none() && told.limited.is_none();
        (is_due && told.status.lane.is_some() && identity.voucher().is_some()).then(|| {
            let tried = Entrant { tried: true, ..shown };
            self.entry(&tried)
        })
    }

    /// Returns what follows from a lobby's answer: sets the visitor's own name if it was not shown, the ticket if it differs from the one
    /// shown, and the voucher as one that was joined with. Clears a ticket that is over.
    #[must_use]
    pub fn after(&self, identity: &Identity, visitor: VisitorId, asked: &Asked) -> Vec<String> {
        let mut cookies = Vec::new();
        // A copied pass must not bring along its holder's name and place.
        if identity.is_by_pass_alone() {
            return cookies;
        }
        if !identity.visitor_cookie {
            cookies.push(self.visitor(visitor));
        }
        cookies.extend(self.ticket(asked, visitor, identity.ticket.as_ref()));
        cookies.extend(self.tried(identity, asked));
        if asked.told.status.state == State::Over && identity.ticket.is_some() {
            cookies.push(self.clear_ticket());
        }
        cookies
    }

    /// Returns why the voucher of an ask gave no place, so that the room is not asked again; `None` if it gave one, or none was shown.
    #[must_use]
    pub fn unspent(&self, identity: &Identity, asked: &Asked) -> Option<String> {
        let (why, shown) = asked.told.unspent.zip(identity.entrant)?;
        Some(self.entry(&entrant_unspent(&shown, why)))
    }

    /// Returns all that follows from a lobby's answer which the visitor is told.
    #[must_use]
    pub fn follows(&self, identity: &Identity, visitor: VisitorId, asked: &Asked) -> Vec<String> {
        let mut cookies = self.after(identity, visitor, asked);
        cookies.extend(self.unspent(identity, asked));
        cookies
    }

    /// Returns what the client is to keep of a visit.
    #[must_use]
    pub fn kept(&self, verdict: &Verdict) -> Vec<String> {
        let Verdict { identity, asked, .. } = verdict;
        let follows = |visitor| {
            let asked = asked.iter();
            asked.flat_map(move |asked| self.follows(identity, visitor, asked))
        };
        match verdict.keeps {
            Keeps::AsItIs => Vec::new(),
            Keeps::Proven => self.dead(identity),
            Keeps::Named(visitor) => self.stranger(identity, visitor),
            Keeps::Told(visitor) => follows(visitor).collect(),
            Keeps::ToldWithoutPass(visitor) => {
                let pass = identity.pass_cookie.then(|| self.clear_pass());
                follows(visitor).chain(pass).collect()
            }
            Keeps::ToldWithPass(visitor) => {
                let pass = match verdict.outcome {
                    Outcome::In(pass, _) => Some(self.pass(&pass)),
                    _ => None,
                };
                follows(visitor).chain(pass).collect()
            }
            Keeps::ToldWithCode(visitor) => {
                let gave = asked.as_ref().is_some_and(|asked| asked.told.unspent.is_none());
                let code = identity.entrant.filter(|_| gave).map(|shown| self.entry(&shown));
                follows(visitor).chain(code).collect()
            }
            // Another tab may have got them meanwhile.
            Keeps::Nothing if identity.visitor.is_some() => vec![self.clear_pass(), self.clear_ticket()],
            Keeps::Nothing => {
                let pass = identity.pass_cookie.then(|| self.clear_pass());
                let ticket = identity.bad_ticket.then(|| self.clear_ticket());
                pass.into_iter().chain(ticket).collect()
            }
        }
    }

    /// Returns cookies that name a stranger and clear what proves nothing.
    #[must_use]
    pub fn stranger(&self, identity: &Identity, visitor: VisitorId) -> Vec<String> {
        let mut cookies = self.dead(identity);
        cookies.push(self.visitor(visitor));
        cookies
    }

    /// Returns cookies that clear shown passes and tickets that prove nothing.
    #[must_use]
    pub fn dead(&self, identity: &Identity) -> Vec<String> {
        let mut dead = Vec::new();
        if identity.pass_cookie && identity.pass.is_none() {
            dead.push(self.clear_pass());
        }
        if identity.bad_ticket {
            dead.push(self.clear_ticket());
        }
        dead
    }

    /// Clears the pass.
    #[must_use]
    pub fn clear_pass(&self) -> String {
        self.cookies.clear(CookieName::Pass(&self.room.name))
    }

    /// Clears the ticket.
    #[must_use]
    pub fn clear_ticket(&self) -> String {
        self.cookies.clear(CookieName::Ticket(&self.room.name))
    }
}
