//! What a ticket becomes by the room's word: a single reply, or something noticed. Of two statements
//! about one ticket the one of the higher version wins.

use super::event::LobbyEvent;
use super::{Book, Lobby, Phase, Ticket, Want};
use crate::room::command::{Command, Notice, Reply, Standing};
use crate::units::{Fence, Instant, Number, Version, VisitorId};
use crate::wire::Reason;

impl Lobby {
    /// The room has said how the visitor's ticket stands.
    pub(super) fn take_standing(
        &mut self,
        said: Said<'_>,
        visitor: VisitorId,
        want: Want,
        standing: &Standing,
    ) {
        let known = self.ticket(visitor);
        if want != Want::WalkIn && self.is_passed_by(&said, (visitor, want), known, standing) {
            return;
        }
        let made = self.ticket_of(&said, (visitor, want), known, standing);
        let Some((number, phase, ahead)) = made else {
            return;
        };
        // Not sooner: that an old fence is over says nothing of the ticket that the visitor has now.
        if !said.is_old() {
            self.confirmed.insert(visitor);
            if let Some(ahead) = ahead {
                self.note_ahead(number, ahead);
            }
        }
        self.record(
            said.now,
            LobbyEvent::Stands {
                visitor,
                number,
                phase,
                ahead,
                version: said.version,
            },
        );
        match phase {
            Phase::Waiting { away: false, .. } => {
                // The answer may have taken longer than the linger: the visitor is looked at again.
                self.presence.seen(said.now, visitor, self.config.linger_ms);
            }
            // Whoever claims too late has come.
            Phase::Waiting { away: true, .. } if want == Want::Claim => {
                self.want(visitor, Want::Back)
            }
            _ => self.keep_alive(said.now, visitor),
        }
    }

    /// Whether the visitor's ticket has become another since this was asked, or more is known of it by now.
    fn is_passed_by(
        &self,
        said: &Said<'_>,
        (visitor, want): (VisitorId, Want),
        known: Option<&Ticket>,
        standing: &Standing,
    ) -> bool {
        // What was asked of a place before it went to another device.
        let carried = |ticket: &Ticket| ticket.phase == Phase::Over(Reason::Carried);
        let newer = |ticket: &Ticket| ticket.version > said.version;
        // What was asked by an entry is answered by the number that it became.
        let of_entry = matches!(want, Want::Claim | Want::Back | Want::Carry(_))
            && known.is_some_and(Ticket::is_entry);
        let given_up = if of_entry {
            self.goes_as_an_entry(visitor, want, standing)
        } else {
            self.is_given_up(known, standing)
        };
        given_up || known.is_some_and(|ticket| carried(ticket) || newer(ticket))
    }

    /// Which ticket this makes the visitor's, how far it has come, and how many are in front if that was said. `None`: it
    /// says nothing of the ticket that is known.
    // A call would cost a claim or a renewal a twentieth of its time.
    #[inline(always)]
    fn ticket_of(
        &self,
        said: &Said<'_>,
        (visitor, want): (VisitorId, Want),
        known: Option<&Ticket>,
        standing: &Standing,
    ) -> Option<(Number, Phase, Option<u64>)> {
        let until = |in_ms| said.asked_at.plus_ms(in_ms);
        match (*standing, known) {
            (Standing::Waiting { ahead, missed }, Some(ticket)) => {
                // One that was called and waits again has missed its call, and the room holds it for
                // away. Of the call itself this life may not have heard; nor, before the room has
                // spoken of the ticket, of what the life before said.
                let unsure = missed || !self.confirmed.contains(&visitor);
                let held_away = match ticket.phase {
                    Phase::Waiting { away, .. } => away || (want == Want::Claim && unsure),
                    Phase::Called { .. } => true,
                    Phase::Admitted { .. } | Phase::Over(_) => false,
                };
                let away = held_away && !matches!(want, Want::Back | Want::Carry(_));
                let phase = Phase::Waiting { away, missed };
                Some((ticket.number, phase, Some(ahead.0)))
            }
            (Standing::Called { fence, claim_in_ms }, Some(ticket)) => {
                let claim_by = until(claim_in_ms);
                Some((ticket.number, Phase::Called { fence, claim_by }, None))
            }
            (
                Standing::Admitted {
                    number,
                    fence,
                    idle_in_ms,
                    hard_in_ms,
                    provisional,
                },
                _,
            ) => {
                let phase = Phase::Admitted {
                    fence,
                    idle_end: until(idle_in_ms),
                    hard_end: until(hard_in_ms),
                    provisional,
                };
                Some((number, phase, None))
            }
            (Standing::Over, Some(ticket)) if ends(want, ticket.phase) => {
                let ended = self.book.ended.filter(|end| ticket.is_over_with(*end));
                let unsaid =
                    || ended.map_or_else(|| reason_of_end(ticket.phase), |end| end.why.into());
                let why = said.why_over(ticket.number).unwrap_or_else(unsaid);
                Some((ticket.number, Phase::Over(why), None))
            }
            _ => None,
        }
    }

    /// The room did what was wanted and has nothing to say. Returns whose ticket that ends.
    pub(super) fn take_done(
        &mut self,
        said: Said<'_>,
        visitor: VisitorId,
        want: Want,
    ) -> Option<VisitorId> {
        let visitor = match want {
            Want::Release(fence) => self.holder(fence, visitor),
            // Whoever asked: who has taken the number from them since has it no more.
            Want::Leave => self.holder_of_number(visitor),
            _ => visitor,
        };
        let ticket = self.ticket(visitor).copied()?;
        let reason = match (want, ticket.phase) {
            (Want::Away, Phase::Waiting { away: false, .. }) if said.is_old() => {
                // An earlier life sent the visitor away. Who is there now may have come back too late, and that the grace is
                // over the room says to nobody who does not ask.
                if self.holds(visitor) {
                    self.want(visitor, Want::Back);
                }
                return None;
            }
            (
                Want::Away,
                Phase::Waiting {
                    away: false,
                    missed,
                },
            ) => {
                let phase = Phase::Waiting { away: true, missed };
                self.take_departure(said.now, visitor, Ticket { phase, ..ticket });
                return None;
            }
            (Want::Leave, Phase::Admitted { .. }) => Reason::Released,
            (Want::Leave, Phase::Waiting { .. } | Phase::Called { .. }) => Reason::Left,
            (Want::Release(asked), Phase::Admitted { fence, .. }) if fence == asked => {
                Reason::Released
            }
            _ => return None,
        };
        let over = Book::over(visitor, &ticket, reason, said.version);
        self.record(said.now, over);
        Some(visitor)
    }

    /// The room knows that the visitor is away: the ticket stands so from now on, unless its holder came back meanwhile.
    fn take_departure(&mut self, now: Instant, visitor: VisitorId, ticket: Ticket) {
        if !self.leaving.remove(&visitor) {
            return;
        }
        self.record(
            now,
            LobbyEvent::Stands {
                visitor,
                number: ticket.number,
                phase: ticket.phase,
                ahead: None,
                version: ticket.version,
            },
        );
        // Back before this was answered, and perhaps by a word that overtook it.
        if self.presence.knows(visitor) {
            self.want(visitor, Want::Back);
        }
    }

    /// Whose lease a fence is that this visitor gives back: its own, or that of who carried its place on. A lobby that
    /// lost what it stored has shown both the same lease.
    fn holder(&self, fence: Fence, visitor: VisitorId) -> VisitorId {
        let other = self.holder_of_number(visitor);
        let phase = self.ticket(other).map(|ticket| ticket.phase);
        match phase {
            Some(Phase::Admitted { fence: held, .. }) if held == fence => other,
            _ => visitor,
        }
    }

    /// Who has the number that this visitor has or had.
    fn holder_of_number(&self, visitor: VisitorId) -> VisitorId {
        let own = self.ticket(visitor);
        let own = own.filter(|ticket| ticket.edition == self.book.edition);
        let other = own.and_then(|ticket| self.book.by_number.get(&ticket.number));
        other.copied().unwrap_or(visitor)
    }

    /// Of two statements about one ticket the one of the higher version wins. Says whose status
    /// changed.
    pub(super) fn take_notice(
        &mut self,
        (now, sent_at): (Instant, Instant),
        number: Number,
        version: Version,
        notice: Notice,
    ) -> Option<VisitorId> {
        let visitor = *self.book.by_number.get(&number)?;
        let ticket = self
            .ticket(visitor)
            .copied()
            .filter(|ticket| ticket.number == number)?;
        if version < ticket.version || !ticket.phase.living() {
            return None;
        }
        let phase = match notice {
            Notice::Called { fence, claim_in_ms } => {
                let claim_by = sent_at.plus_ms(claim_in_ms);
                match ticket.phase {
                    Phase::Called { fence: known, .. } if known == fence => return None,
                    _ => Phase::Called { fence, claim_by },
                }
            }
            // Away even with an open socket: a page that is awake would have come. It is back with
            // its next word.
            Notice::Missed => match ticket.phase {
                // Missed and back in one turn: the answer of that turn knows both.
                Phase::Waiting { missed: true, .. } if version == ticket.version => return None,
                _ => Phase::Waiting {
                    away: true,
                    missed: true,
                },
            },
            Notice::MissedAgain => Phase::Over(Reason::Missed),
            Notice::Expired => Phase::Over(Reason::Expired),
            Notice::Dismissed | Notice::Released => Phase::Over(Reason::Released),
            Notice::Left => Phase::Over(Reason::Left),
        };
        if phase == ticket.phase {
            return None;
        }
        self.confirmed.insert(visitor);
        self.record(
            now,
            LobbyEvent::Stands {
                visitor,
                number,
                phase,
                ahead: None,
                version,
            },
        );
        Some(visitor)
    }
}

/// Whether "over" as an answer to this speaks of the ticket's present phase.
fn ends(want: Want, phase: Phase) -> bool {
    match (want, phase) {
        (Want::Renew(asked) | Want::Extend(asked, _), Phase::Admitted { fence, .. }) => {
            asked == fence
        }
        (Want::Renew(_) | Want::Extend(..), _) => false,
        (_, phase) => phase.living(),
    }
}

/// An answer of the room, as its single replies are taken.
#[derive(Clone, Copy)]
pub(super) struct Said<'m> {
    pub(super) now: Instant,
    /// What is told in remaining time counts from here.
    pub(super) asked_at: Instant,
    pub(super) version: Version,
    /// What the same message notices.
    pub(super) notices: &'m [(Number, Version, Notice)],
    /// The batch that is answered, and the answers.
    pub(super) commands: &'m [Command],
    pub(super) replies: &'m [Reply],
}

impl Said<'_> {
    /// The answer to a batch of an earlier life: visitors may have been shown newer since.
    pub(super) const fn is_old(&self) -> bool {
        self.asked_at.0 == 0
    }

    /// The number that an entry became, if this answer tells it: a command after the question may still have asked
    /// by the entry. O(batch), for an entry.
    pub(super) fn became(&self, entry: Number) -> Option<Number> {
        if !entry.is_entry() {
            return None;
        }
        let mut answers = self.commands.iter().zip(self.replies);
        let told = |(command, reply): (&Command, &Reply)| match (command, reply) {
            (Command::Numbers(entries), Reply::Numbers(numbers)) => {
                let at = entries.iter().position(|asked| *asked == entry)?;
                numbers.get(at).map(|(number, ..)| *number)
            }
            (
                Command::Claim(asked) | Command::Back(asked),
                Reply::Stands(Standing::Admitted { number, .. }),
            ) if *asked == entry => Some(*number),
            _ => None,
        };
        answers.find_map(told)
    }

    /// Why the ticket is over, when the usher ended it and this life has not heard of it yet.
    fn why_over(&self, number: Number) -> Option<Reason> {
        let mut notices = self.notices.iter();
        let (_, _, notice) = notices.find(|(of, ..)| *of == number)?;
        match notice {
            Notice::MissedAgain => Some(Reason::Missed),
            Notice::Expired => Some(Reason::Expired),
            Notice::Dismissed | Notice::Released => Some(Reason::Released),
            Notice::Left => Some(Reason::Left),
            Notice::Called { .. } | Notice::Missed => None,
        }
    }
}

/// Why a ticket is over of which the room notices nothing: it can be only this.
const fn reason_of_end(phase: Phase) -> Reason {
    match phase {
        Phase::Waiting { .. } => Reason::Away,
        Phase::Called { .. } => Reason::Missed,
        Phase::Admitted { .. } => Reason::Expired,
        Phase::Over(reason) => reason,
    }
}
