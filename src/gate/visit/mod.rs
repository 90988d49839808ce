//! A visit to a room's path, and a visitor's call to Baton itself: from what the request shows to what it comes to, as a value without I/O.
//! [`Visit::begin`] and [`Call::begin`] return the first [`Step`]; whoever drives it carries it out and hands in what came of it, which returns the next,
//! until [`Step::End`].
//!
//! A question comes with the one value that takes its answer. So no answer reaches a visit that did not ask for it, and none is taken twice.
//!
//! | file | what |
//! |---|---|
//! | `mod` | what a visit begins with, its steps, its end |
//! | `by_pass` | what it comes to by its pass |
//! | `without_pass` | what it comes to otherwise |
//! | `call` | what a call begins with; calls that ask nobody |
//! | `told` | what a call comes to by a lobby's answer |

mod by_pass;
mod call;
mod told;
mod without_pass;

pub use call::{Call, Errand};

use super::{Asked, Failed, Here, Identity, Intent, Outcome, PassShown, Question, Silence, Terms};
use facts::config::Mode;
use facts::entry::EntryRefusal;
use facts::units::{AccountId, Fence, VisitorId};
use facts::wire::Limited;
use token::{Farewell, Pass, Ticket};

/// What a visit begins with, besides who asks.
#[derive(Clone, Debug)]
pub struct Facts {
    /// What the request wants.
    pub intent: Intent,
    /// Whether the room is asked before the request goes in, however fresh its pass is.
    pub is_strict: bool,
    /// Whether nobody waits at this path: a pass that the request shows counts, and nothing else is looked at.
    pub is_exception: bool,
    /// The room's mode as last heard, else the file's.
    pub mode: Mode,
    /// Whether the room lately let nobody walk in.
    pub is_full: bool,
    /// The newer pass of the same lease that this isolate remembers.
    pub newer: Option<Pass>,
    /// Whether the lobby of the pass lately gave no answer.
    pub is_away: bool,
}

/// What is to be done next for a visit.
#[derive(Debug)]
pub enum Step {
    /// Ask the lobbies.
    Ask(Question, Asking),
    /// Ask the lobbies for a socket.
    Connect(Question, Connecting),
    /// Ask the platform's limiter whether the visitor may ask for a number.
    Limit(Counting),
    /// Take one of the few asks a second that strangers have.
    Probe(Probing),
    /// Find out whether one more request goes in although the room cannot be reached, and count it if so.
    FailOpen(Failed, OutOfReach),
    /// Answer.
    End(Box<Verdict>),
}

/// What a visit came to.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// What it came to.
    pub outcome: Outcome,
    /// Who asked: by the visitor's own name, unless the pass decided.
    pub identity: Identity,
    /// The visitor's name: the one that was shown, or a new one.
    pub visitor: Option<VisitorId>,
    /// What the lobby answered that decided, if one did.
    pub asked: Option<Asked>,
    /// What the client is to keep.
    pub keeps: Keeps,
    /// What the isolate is to know besides.
    pub notes: Notes,
}

/// What an isolate is to know of a visit besides its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The lease that is over, or given up: what is remembered of it counts no more.
    pub over: Option<Fence>,
    /// Why a code that was just shown gave no place.
    pub refused: Option<EntryRefusal>,
    /// Whether the request goes in only because the room observes: if it did more, nothing but a pass would let this request in.
    pub is_only_observed: bool,
}

/// What the client is to keep of a visit. A pass by which a visit goes in goes by [`Held`](super::Held).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// What it has.
    AsItIs,
    /// What it has, without passes and tickets that prove nothing.
    Proven,
    /// The same, and the name that it is given now.
    Named(VisitorId),
    /// What follows from the lobby's answer to the visitor of this name.
    Told(VisitorId),
    /// The same, without a pass: the visitor has none that counts.
    ToldWithoutPass(VisitorId),
    /// The same, with the pass of the lease that the lobby told of.
    ToldWithPass(VisitorId),
    /// The same, with the code that was shown, unless it gave no place.
    ToldWithCode(VisitorId),
    /// Neither a pass nor a ticket.
    Nothing,
}

/// Who asks, and what is noted on the way to the verdict.
#[derive(Clone, Debug)]
struct Asker {
    identity: Identity,
    /// The name that a stranger is given.
    name: Option<VisitorId>,
    notes: Notes,
}

impl Asker {
    fn new(identity: Identity) -> Self {
        Self {
            identity,
            name: None,
            notes: Notes::default(),
        }
    }

    /// Returns the visitor's name, and makes one for a stranger.
    fn named(&mut self, here: &Here<'_>) -> VisitorId {
        let shown = self.identity.visitor;
        shown.unwrap_or_else(|| *self.name.get_or_insert_with(|| here.new_name()))
    }

    /// Ends in a verdict. `asked` is the lobby's answer that decided, if one did.
    fn ends(self, outcome: Outcome, keeps: Keeps, asked: Option<Asked>) -> Step {
        Step::End(Box::new(Verdict {
            outcome,
            visitor: self.identity.visitor.or(self.name),
            identity: self.identity,
            asked,
            keeps,
            notes: self.notes,
        }))
    }
}

/// A visit under way.
#[derive(Clone, Debug)]
pub struct Visit {
    asker: Asker,
    facts: Facts,
    /// The farewell that loads the page if the visit, which begins anew, comes to no lease.
    farewell: Option<Farewell>,
}

impl Visit {
    /// Begins a visit of whoever the request shows.
    #[must_use]
    pub fn begin(identity: Identity, facts: Facts, here: &Here<'_>) -> Step {
        let visit = Box::new(Self {
            asker: Asker::new(identity),
            facts,
            farewell: None,
        });
        if visit.asker.identity.is_ahead_of_us {
            return visit.ends(Outcome::Unheard, Keeps::AsItIs);
        }
        match visit.facts.intent.is_foreign {
            true => visit.goes_without_pass(here),
            false => visit.goes_by_pass(here),
        }
    }

    fn asks(self: Box<Self>, question: Question, then: Then) -> Step {
        Step::Ask(question, Asking(Paused::Visit(self, then)))
    }

    fn ends(self: Box<Self>, outcome: Outcome, keeps: Keeps) -> Step {
        self.asker.ends(outcome, keeps, None)
    }
}

/// A visit or a call that waits for a lobby's answer.
#[derive(Clone, Debug)]
pub struct Asking(Paused);

#[derive(Clone, Debug)]
enum Paused {
    Visit(Box<Visit>, Then),
    Call(Box<Call>, VisitorId),
}

/// What the answer is about.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// Whether the lease of this pass lives, by the room's own word.
    Checked(Pass, PassShown),
    /// The renewal of this pass.
    Renewed(Pass, PassShown),
    /// A way in, or a number, for the visitor of this name.
    Arrived(VisitorId, Terms),
    /// The place of the visitor of this name.
    Looked(VisitorId),
}

impl Asking {
    /// Goes on with the answer, or without one.
    #[must_use]
    pub fn heard(self, answer: Result<Asked, Silence>, here: &Here<'_>) -> Step {
        let (mut visit, then) = match self.0 {
            Paused::Visit(visit, then) => (visit, then),
            Paused::Call(call, visitor) => return call.heard(visitor, answer, here),
        };
        if let Ok(asked) = &answer {
            visit.facts.mode = asked.told.status.mode;
            visit.facts.is_full = asked.told.no_walk_in;
        }
        match then {
            Then::Checked(pass, shown) => visit.checked(pass, shown, answer, here),
            Then::Renewed(pass, shown) => visit.renewed(pass, shown, answer, here),
            Then::Arrived(visitor, terms) => visit.arrived(visitor, terms, answer, here),
            Then::Looked(visitor) => visit.looked(visitor, answer, here),
        }
    }
}

/// A call that waits for a socket.
#[derive(Clone, Debug)]
pub struct Connecting {
    call: Box<Call>,
    visitor: VisitorId,
}

impl Connecting {
    /// Goes on with the answer, and whether a socket came with it; or without an answer.
    #[must_use]
    pub fn heard(self, answer: Result<(Asked, bool), Silence>, here: &Here<'_>) -> Step {
        self.call.connected(self.visitor, answer, here)
    }
}

/// A visit or a call that waits to hear whether its visitor may ask for a number.
#[derive(Clone, Debug)]
pub struct Counting(Counted);

#[derive(Clone, Debug)]
enum Counted {
    Visit(Box<Visit>, Terms),
    Call(Box<Call>, VisitorId),
}

impl Counting {
    /// The account by which the visitor is counted; `None`: by address.
    #[must_use]
    pub const fn account(&self) -> Option<AccountId> {
        match &self.0 {
            Counted::Visit(visit, _) => visit.asker.identity.account(),
            Counted::Call(call, _) => call.asker.identity.account(),
        }
    }

    /// Goes on with what the limiter said.
    #[must_use]
    pub fn counted(self, may: Result<(), Limited>, here: &Here<'_>) -> Step {
        match (self.0, may) {
            (Counted::Visit(visit, terms), Ok(())) => visit.asks_to_arrive(terms, here),
            (Counted::Visit(visit, _), Err(limited)) => visit.kept_out(Outcome::Limited(limited), here),
            (Counted::Call(call, visitor), Ok(())) => call.asks(visitor, here),
            (Counted::Call(call, _), Err(limited)) => call.asker.ends(Outcome::Limited(limited), Keeps::Proven, None),
        }
    }
}

/// A stranger's visit, of which only so many a second ask a lobby.
#[derive(Clone, Debug)]
pub struct Probing {
    visit: Box<Visit>,
    terms: Terms,
}

impl Probing {
    /// Goes on, `may` says whether the visit may ask a lobby.
    #[must_use]
    pub fn probed(self, may: bool, here: &Here<'_>) -> Step {
        let Self { visit, terms } = self;
        match may {
            true => visit.counts_first(terms, here),
            false => visit.kept_out(Outcome::Arriving, here),
        }
    }
}

/// A visit or a call that waits unless the room fails open.
#[derive(Clone, Debug)]
pub struct OutOfReach(Silenced);

#[derive(Clone, Debug)]
enum Silenced {
    /// A visit, what it comes to if it is let in, and what it does if not.
    Visit(Box<Visit>, Outcome, Otherwise),
    Call(Box<Call>),
}

/// What a visit does that is not let in although the room cannot be reached.
#[derive(Clone, Copy, Debug)]
enum Otherwise {
    /// It waits: nobody knows what became of its place.
    Waits(Keeps),
    /// It goes on: nobody was asked yet. It looks at the place of this ticket, if it has one.
    Looks(Option<Ticket>),
}

impl OutOfReach {
    /// Goes on, `is_let_in` says whether the room fails open for this visit.
    #[must_use]
    pub fn opened(self, is_let_in: bool, here: &Here<'_>) -> Step {
        match self.0 {
            Silenced::Visit(visit, outcome, _) if is_let_in => visit.ends_anew(outcome, Keeps::AsItIs, None, here),
            Silenced::Visit(visit, _, Otherwise::Waits(keeps)) => visit.ends_anew(Outcome::Unheard, keeps, None, here),
            Silenced::Visit(visit, _, Otherwise::Looks(ticket)) => visit.looks(ticket, here),
            Silenced::Call(call) if is_let_in => call.asker.ends(Outcome::Free, Keeps::AsItIs, None),
            Silenced::Call(call) => call.asker.ends(Outcome::Unheard, Keeps::AsItIs, None),
        }
    }
}
