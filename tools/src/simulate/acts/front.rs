//! The front, as far as the simulator has it: visits to the gated path by the front's own `Visit`, and around it releasing, and a question's way to the
//! lobby that answers it.

use crate::simulate::faults::Kind as Fault;
use crate::simulate::front::{Asking, Cookie, Kind, PASS_TTL_MS, ROOM, Visiting, Waits, Why};
use crate::simulate::people::who;
use crate::simulate::queue::Event;
use crate::simulate::slab::Id;
use crate::simulate::world::World;
use baton::facts::config::Mode;
use baton::facts::holder::Shown;
use baton::facts::units::Fence;
use baton::facts::wire::{Ask, LeaseTold, Told, Wish};
use baton::gate::{
    ASK_PATIENCE_MS, Answer, Asked, EntryVerdict, Facts, Held, Here, Identity, Intent, Keeps, Outcome, Question, Silence, Step, Verdict, Visit,
    VisitKind, ask_patience_ms,
};
use baton::token::{Freshness, Pass, PassCookie, Ticket};

impl World {
    /// Navigates to the gated path, by a click.
    pub fn lands(&mut self, visitor: usize) {
        let person = &mut self.people[visitor];
        person.stored = Some(person.seen.clone());
        let forged = person.cookie.is_some() && self.faults.borrow_mut().strikes(Fault::Forgery);
        let read = self.reads_cookie(visitor, forged);
        if let (true, Some(read)) = (forged, &read) {
            self.flaw("a token that was tampered with is none", format!("{read:?}"));
        }
        if read.is_none() && !forged {
            self.people[visitor].drops_pass();
            self.people[visitor].cookie = None;
        }
        let loads = matches!(&read, Some(Cookie::Farewell(farewell)) if farewell.loads(self.time, PASS_TTL_MS));
        self.visits(visitor, read, if loads { Why::Anew } else { Why::Click });
    }

    /// Loads the gated path ahead of a click, as a prefetch does.
    pub(super) fn looks(&mut self, visitor: usize) {
        self.note(Fault::Look);
        let read = self.reads_cookie(visitor, false);
        self.visits(visitor, read, Why::Look);
    }

    pub(super) fn reads_cookie(&self, visitor: usize, forged: bool) -> Option<Cookie> {
        let cookie = self.people[visitor].cookie.as_ref()?;
        self.front.reads(cookie, self.time, forged)
    }

    /// Begins a visit to the gated path, in an isolate that remembers nothing.
    fn visits(&mut self, visitor: usize, cookie: Option<Cookie>, why: Why) {
        let ticket = self.people[visitor].ticket;
        let facts = Facts {
            intent: intent(why == Why::Look),
            is_strict: self.front.strict,
            is_exception: false,
            mode: Mode::Open,
            is_full: false,
            newer: None,
            is_away: false,
        };
        let step = Visit::begin(identity(visitor, ticket, cookie), facts, &here(self.time));
        self.goes_on(visitor, step, why);
    }

    /// Carries out a request until a lobby is asked, or the request is answered.
    pub(super) fn goes_on(&mut self, visitor: usize, mut step: Step, why: Why) {
        let time = self.time;
        loop {
            step = match step {
                Step::Ask(question, asking) => {
                    let waits = Waits::Asking(asking);
                    return self.asks_in_visit(visitor, &question, Visiting { waits, why });
                }
                Step::Connect(question, connecting) => {
                    let waits = Waits::Connecting(connecting);
                    return self.asks_in_visit(visitor, &question, Visiting { waits, why });
                }
                Step::Limit(counting) => counting.counted(Ok(()), &here(time)),
                Step::Probe(probing) => probing.probed(true, &here(time)),
                Step::FailOpen(_, out) => out.opened(false, &here(time)),
                Step::End(verdict) => {
                    return match why {
                        Why::Call | Why::Claim => self.call_ends(visitor, &verdict, why),
                        Why::Click | Why::Anew | Why::Look => self.visit_ends(visitor, &verdict, why),
                    };
                }
            };
        }
    }

    /// Asks a lobby for a visit or a call. What the shop says of the visitor changes from ask to ask.
    fn asks_in_visit(&mut self, visitor: usize, question: &Question, visit: Visiting) {
        let wish = question.wish();
        let takes = !matches!(wish, Wish::Check(_));
        if visit.why == Why::Look && takes {
            self.flaw("a look ahead of a click takes nothing", format!("{wish:?}"));
        }
        if visit.why == Why::Anew && matches!(wish, Wish::Arrive { join: true, .. }) {
            self.flaw("nobody who was thanked is put into the line", format!("{wish:?}"));
        }
        let account = self.account_for(visitor, &wish);
        let spend = self.voucher_for(visitor, &wish);
        let ask = Ask {
            account,
            spend: spend.filter(|_| account.is_none()),
            lane: self.lane_of(visitor),
            ..question.ask()
        };
        let kind = match visit.waits {
            Waits::Asking(_) => Kind::Plain,
            Waits::Connecting(_) => Kind::Socket,
        };
        let person = &mut self.people[visitor];
        // Visitors have homes of their own here, so that their places are spread.
        let is_at_home = ask.shown.is_none() && !matches!(wish, Wish::Carry { .. });
        let lobby = match is_at_home {
            false => question.lobby(),
            true => World::lobby_id(person.home),
        };
        person.under_way += 1;
        self.writes(|| format!("visitor {visitor} asks {lobby:?}: {ask:?}"));
        self.sends(visitor, Question::new(lobby, ask), kind, Some(visit));
    }

    /// Takes in what a visit came to. Nothing that a look is told is kept.
    fn visit_ends(&mut self, visitor: usize, verdict: &Verdict, why: Why) {
        let Verdict { outcome, keeps, .. } = verdict;
        match *outcome {
            Outcome::In(pass, Held::Shown) => self.goes_in(visitor, &pass),
            Outcome::In(pass, Held::RenewedBeside) => {
                self.goes_in(visitor, &pass);
                self.asks_for(visitor, Wish::Renew(pass.fence));
            }
            Outcome::In(pass, Held::Older | Held::New) => {
                self.people[visitor].cookie = Some(Cookie::Pass(pass));
            }
            _ => {}
        }
        if matches!(keeps, Keeps::ToldWithoutPass(_)) && why != Why::Look {
            self.people[visitor].drops_pass();
        }
    }

    /// Checks that whoever came or claimed, and is told of a lease, goes in by it: the permit is taken from all others.
    fn lease_lets_in(&mut self, verdict: &Verdict) {
        let lease = verdict.asked.as_ref().and_then(|asked| asked.told.lease);
        if let (Some(lease), false) = (lease, matches!(verdict.outcome, Outcome::In(..))) {
            self.flaw("an arrival told of a lease goes in", format!("{lease:?}: {:?}", verdict.outcome));
        }
    }

    /// Checks that whoever goes in after a question about a lease goes in by the lease of the answer; and that nobody goes in to a strict room of whom
    /// nobody told. `told` is the lease of the answer, if there was an answer.
    fn goes_in_as_told(&mut self, verdict: &Verdict, wish: Wish, told: Option<Option<LeaseTold>>) {
        let Outcome::In(pass, _) = verdict.outcome else { return };
        let lawful = match told {
            Some(lease) => lease.is_some_and(|lease| pass.is_of(&lease)),
            None => matches!(wish, Wish::Renew(_)),
        };
        if !lawful {
            self.flaw(
                "a question about a lease lets in by that lease",
                format!("{wish:?}, told {told:?}: {pass:?}"),
            );
        }
    }

    /// Checks that nobody goes in free in a world in which no lobby ever said that the room keeps nobody waiting.
    fn goes_free_as_told(&mut self, verdict: &Verdict) {
        if verdict.outcome == Outcome::Free && !self.told_free {
            self.flaw("only a room that says so lets people in free", format!("{:?}", verdict.asked));
        }
    }

    fn goes_in(&mut self, visitor: usize, pass: &Pass) {
        self.played.passes += 1;
        // A lease whose pass nobody could renew is honoured until the end that the pass names.
        let is_fresh = pass.freshness(self.time, PASS_TTL_MS) != Freshness::Ended;
        if is_fresh {
            self.holds(self.oracle.passes(visitor, pass, self.time, self.skewed));
        }
    }

    /// Gives a lease back, because the origin is done with its holder, and turns the pass into a farewell.
    pub fn end_visit(&mut self, visitor: usize, fence: Fence) {
        self.asks_for(visitor, Wish::Release(fence));
        let time = self.time;
        let person = &mut self.people[visitor];
        if let Some(Cookie::Pass(pass)) = &person.cookie {
            let farewell = pass.farewell(time.saturating_add(PASS_TTL_MS));
            person.old_fence = Some(pass.fence);
            person.cookie = Some(Cookie::Farewell(farewell));
        }
    }

    pub fn goes_to(&mut self, visitor: usize, lobby: usize, ask: Ask, kind: Kind) -> Id {
        let question = Question::new(World::lobby_id(lobby), ask);
        self.sends(visitor, question, kind, None)
    }

    fn new_ask(&mut self, visitor: usize, question: Question, kind: Kind, visit: Option<Visiting>) -> Id {
        self.asks.insert(Asking {
            visitor,
            lobby: usize::from(question.lobby().0),
            ask: question.ask(),
            kind,
            asked_at: self.time,
            arrived_at: 0,
            at: None,
            done: false,
            socket: None,
            again: false,
            question,
            visit,
        })
    }

    /// Sends a question to the lobby that it is for now.
    fn sends(&mut self, visitor: usize, question: Question, kind: Kind, visit: Option<Visiting>) -> Id {
        let patience_ms = ask_patience_ms(question.wish());
        let id = self.new_ask(visitor, question.clone(), kind, visit);
        if self.faults.borrow_mut().strikes(Fault::Lost) {
            if let Some(asking) = self.asks.get_mut(id) {
                asking.done = true;
            }
            self.after(patience_ms, Event::Heard { ask: id, told: None });
        } else {
            // A front that got no answer asks again: the lobby hears the ask twice, the visitor hears one answer.
            if self.faults.borrow_mut().strikes(Fault::Twice) {
                let again = self.new_ask(visitor, question, Kind::Unheard, None);
                let ms = self.travel_ms();
                self.after(ms, Event::AskArrives(again));
            }
            let ms = self.travel_ms();
            self.after(ms, Event::AskArrives(id));
        }
        id
    }

    /// Sends an answer from a lobby to the visitor. It may be lost on the way.
    pub fn answer_travels(&mut self, ask: Id, told: Option<Box<Told>>) {
        let lost = self.faults.borrow_mut().strikes(Fault::Lost);
        let (ms, told) = if lost {
            let wish = self.asks.get(ask).map(|asking| asking.ask.wish);
            (wish.map_or(ASK_PATIENCE_MS, ask_patience_ms), None)
        } else {
            (self.travel_ms(), told)
        };
        self.after(ms, Event::Heard { ask, told });
    }

    /// Takes in a lobby's answer: the front goes on to another lobby if it must, and tells the visitor.
    pub fn heard(&mut self, id: Id, told: Option<Told>) {
        let Some(mut asking) = self.asks.remove(id) else {
            return;
        };
        let visitor = asking.visitor;
        self.people[visitor].under_way -= 1;
        if told.is_none()
            && let Some(socket) = asking.socket
        {
            // The answer to the upgrade was lost, and the socket with it.
            let gone = Event::SocketGone { socket, by_visitor: true };
            self.after(100, gone);
        }
        let told = told.ok_or(Silence::Unreachable);
        let answer = told.and_then(|told| asking.question.hear(told, asking.asked_at));
        let is_there = usize::from(asking.question.lobby().0) < self.lobbies.len();
        let answer = match answer {
            Ok(None) if is_there => {
                self.people[visitor].under_way += 1;
                self.played.hops += 1;
                let Asking { question, kind, visit, .. } = asking;
                self.writes(|| format!("visitor {visitor} is sent on: {question:?}"));
                self.sends(visitor, question, kind, visit);
                return;
            }
            Ok(None) => Err(Silence::Full),
            Ok(Some(asked)) => Ok(asked),
            Err(silence) => Err(silence),
        };
        if let Ok(asked) = &answer {
            self.hear_told(&asking, asked);
        }
        let here = here(self.time);
        let wish = asking.ask.wish;
        let lease = answer.as_ref().map(|asked| asked.told.lease).ok();
        let (step, why) = match asking.visit {
            Some(Visiting { waits, why }) => match waits {
                Waits::Asking(asking) => (asking.heard(answer, &here), why),
                Waits::Connecting(connecting) => {
                    let is_open = asking.socket.is_some();
                    (connecting.heard(answer.map(|asked| (asked, is_open)), &here), why)
                }
            },
            None => {
                if let Ok(asked) = answer {
                    self.takes_lease(visitor, wish, &asked);
                }
                return;
            }
        };
        match (&step, wish) {
            (Step::End(verdict), Wish::Arrive { .. } | Wish::Claim) => self.lease_lets_in(verdict),
            (Step::End(verdict), Wish::Check(_) | Wish::Renew(_)) => self.goes_in_as_told(verdict, wish, lease),
            _ => {}
        }
        if let Step::End(verdict) = &step {
            self.goes_free_as_told(verdict);
        }
        self.goes_on(visitor, step, why);
    }

    /// Tells a visitor what a lobby answered, whoever asked.
    fn hear_told(&mut self, asking: &Asking, asked: &Asked) {
        let (visitor, told) = (asking.visitor, &asked.told);
        self.told_free |= told.status.mode.passes();
        if let Some(account) = told.account {
            self.tell_of_account(visitor, account);
        }
        self.people[visitor].take_answer(&told.status, asking.lobby);
        if let (Some(_), Wish::Check(fence)) = (told.lease, asking.ask.wish) {
            self.note(Fault::Check);
            self.holds(self.oracle.checked(visitor, fence, asking.asked_at));
        }
        let Some(socket) = asking.socket else { return };
        if let Some(before) = self.people[visitor].holds(socket, self.time) {
            let gone = Event::SocketGone {
                socket: before,
                by_visitor: true,
            };
            self.after(20, gone);
        }
        if self.sockets.get(socket).is_none() {
            self.people[visitor].socket = None;
        }
    }

    /// Takes the pass of a renewal beside an answer, or drops the pass of a lease that is over.
    fn takes_lease(&mut self, visitor: usize, wish: Wish, asked: &Asked) {
        let person = &mut self.people[visitor];
        match (asked.told.lease, wish) {
            // The pass is a farewell already.
            (_, Wish::Release(_)) => {}
            (Some(lease), _) => {
                let pass = asked.pass(&lease, who(visitor), PASS_TTL_MS);
                person.cookie = Some(Cookie::Pass(pass));
            }
            (None, Wish::Renew(fence)) => {
                if matches!(&person.cookie, Some(Cookie::Pass(pass)) if pass.fence == fence) {
                    person.drops_pass();
                }
            }
            _ => {}
        }
    }
}

/// Who asks with this ticket of this lobby and this pass.
pub(super) fn identity(visitor: usize, ticket: Option<(Shown, usize)>, cookie: Option<Cookie>) -> Identity {
    let ticket = ticket.map(|(place, lobby)| Ticket {
        number: place.number,
        edition: place.edition,
        lobby: World::lobby_id(lobby),
        visitor: who(visitor),
        row: place.row,
        issued_at_ms: 0,
    });
    Identity {
        visitor: Some(who(visitor)),
        visitor_cookie: true,
        ticket,
        bad_ticket: false,
        pass_cookie: cookie.is_some(),
        pass: cookie.map(|cookie| match cookie {
            Cookie::Pass(pass) => PassCookie::Pass(pass),
            Cookie::Farewell(farewell) => PassCookie::Farewell(farewell),
        }),
        human: false,
        entrant: None,
        entry: EntryVerdict::Nobody,
        lane: None,
        needs_lane: false,
        is_ahead_of_us: false,
    }
}

pub(super) fn here(now_ms: u64) -> Here<'static> {
    Here {
        room: &ROOM,
        address: &|| None,
        dice: &|| [0; 16],
        now_ms,
    }
}

/// What a click on a link to the gated path wants, or a look ahead of one.
const fn intent(is_look: bool) -> Intent {
    Intent {
        visit: match is_look {
            true => VisitKind::Resource,
            false => VisitKind::Navigation,
        },
        answer: match is_look {
            true => Answer::Json,
            false => Answer::Page,
        },
        walks_in: !is_look,
        joins: !is_look,
        is_click: !is_look,
        router: None,
        is_speculative: is_look,
        is_part: false,
        is_foreign: false,
        is_framed: false,
    }
}
