//! What the lobby does, in words.

use super::{Play, account, seconds, visitor};
use baton::facts::command::Command;
use baton::facts::config::Mode;
use baton::facts::enter::{Account, Enters, Person, Who};
use baton::facts::entry::EntryRefusal;
use baton::facts::holder::{Comes, Held, Key};
use baton::facts::message::{FromRoom, ToRoom};
use baton::facts::notice::Notice;
use baton::facts::overheard::Overheard;
use baton::facts::units::{Number, VisitorId};
use baton::facts::voucher::{CodeHash, Voucher};
use baton::facts::wire::{AccountTold, CarryTold, State, Status, Told};
use baton::lobby::{Asker, Effect, Way, keys};
use baton::room::frame::Frame;

impl Play {
    pub(super) fn effects(&mut self) -> Vec<String> {
        let mut seen = Vec::new();
        while let Some(effect) = self.lobby.poll_effect() {
            if matches!(effect, Effect::CloseSilent) {
                self.looks += 1;
                continue;
            }
            seen.push(match effect {
                Effect::Call(call, said, way) => {
                    let by = match way {
                        Way::Direct => "",
                        Way::Porter => "by porter: ",
                    };
                    let text = format!("{by}{}", self.call(&said));
                    self.calls.push_back((call, *said));
                    text
                }
                Effect::Answer(asker, told) => self.answer(asker, told.as_deref()),
                Effect::Tell { visitor: who, status, last } => {
                    let name = self.name_of(who);
                    self.shows(&name, &status);
                    let person = self.person(&name);
                    person.attached = status.shown();
                    let closed = if last {
                        person.sockets = 0;
                        " and is closed"
                    } else {
                        ""
                    };
                    format!("{name} hears {}{closed}", shown(&status))
                }
                Effect::Frame(_, bytes) => format!("frame{}", spread_of(&bytes)),
                Effect::CloseSilent => unreachable!("it is counted above"),
            });
        }
        seen
    }

    pub(super) fn shows(&mut self, name: &str, status: &Status) {
        if let Some(shown) = status.shown() {
            self.person(name).shown = Some(shown);
        }
    }

    fn name_of(&self, who: VisitorId) -> String {
        let names = self.people.keys();
        let mut found = names.filter(|name| visitor(name) == who);
        found.next().expect("a visitor of the story").clone()
    }

    fn name_of_key(&self, key: Key) -> String {
        // Somebody whom the salt of before has named is somebody else.
        let of = |name: &&String| keys::holder(self.salt, visitor(name)).key == key;
        let found = self.people.keys().find(of).cloned();
        found.unwrap_or_else(|| "somebody".to_owned())
    }

    fn answer(&mut self, asker: Asker, told: Option<&Told>) -> String {
        let name = self.asking.remove(&asker).expect("somebody asked");
        self.told = told.cloned();
        let Some(told) = told else {
            return format!("{name} gets no answer");
        };
        self.shows(&name, &told.status);
        let person = self.person(&name);
        if let Some(lease) = told.lease {
            person.old_lease = person.lease.replace(lease);
        }
        let mut text = format!("{name} is told {}", shown(&told.status));
        if told.issued {
            text += " issued";
        }
        if let Some(lease) = told.lease {
            let (idle, hard) = (seconds(lease.idle_in_ms), seconds(lease.hard_in_ms));
            text += &format!(" lease {idle}/{hard}");
            text += if lease.provisional { " provisional" } else { "" };
        }
        text += if told.full { " full" } else { "" };
        text += if told.no_lane { " no such lane" } else { "" };
        if let Some(limited) = told.limited {
            text += &format!(" limited {:?} {}", limited.by, limited.retry_after_s);
        }
        if let Some(why) = told.unspent {
            text += &format!(" voucher {why:?}").to_lowercase();
        }
        if let Some(at) = told.at {
            text += &format!(" at {at}");
        }
        match told.carry {
            Some(CarryTold::Offered { key, row }) => {
                self.person(&name).offer = Some((key, row));
                text += " offered";
            }
            Some(CarryTold::Carried) => text += " carried",
            Some(CarryTold::Gone) => text += " no carry",
            None => {}
        }
        match told.account {
            Some(AccountTold::Elsewhere(state)) => text += &format!(" elsewhere {}", state.name()),
            Some(AccountTold::Another) => text += " another account's",
            None => {}
        }
        text
    }

    fn call(&self, said: &ToRoom) -> String {
        match said {
            ToRoom::Hello(hello) => {
                let knows = hello.knows.map(|knows| format!(" knows {}", knows.version));
                format!("hello {}{}", hello.number, knows.unwrap_or_default())
            }
            ToRoom::More(more) => format!("more from {}", more.from),
            ToRoom::Bundle(_) => "bundle".to_owned(),
            ToRoom::Batch(batch) => {
                let commands = batch.commands.iter().map(|command| self.command(command));
                let commands: Vec<String> = commands.collect();
                let attempts = (batch.attempts > 0).then(|| format!("{} attempts", batch.attempts));
                let said: Vec<String> = attempts.into_iter().chain(commands).collect();
                match said.is_empty() {
                    true => format!("batch {}", batch.number),
                    false => format!("batch {} ({})", batch.number, said.join("; ")),
                }
            }
            ToRoom::Check(fences) => {
                let fences: Vec<String> = fences.iter().map(ToString::to_string).collect();
                format!("check {}", fences.join(" "))
            }
        }
    }

    /// Everybody by name, and of those whom nobody knows how many.
    fn names(&self, keys: impl Iterator<Item = Key>) -> String {
        let (others, known): (Vec<String>, Vec<String>) = keys.map(|key| self.name_of_key(key)).partition(|name| name == "somebody");
        let others = (others.len() > 1)
            .then(|| format!("{} others", others.len()))
            .or_else(|| others.first().cloned());
        known.into_iter().chain(others).collect::<Vec<String>>().join(" ")
    }

    fn account(&self, key: Key) -> String {
        let mut names = self.accounts.iter();
        let found = names.find(|name| keys::account(self.salt, account(name)) == key);
        found.expect("an account of the story").clone()
    }

    /// Who comes in: for which account and how, and with which voucher.
    fn comer(&self, person: &Person) -> String {
        let mut said = self.name_of_key(person.holder.key);
        if let Some(Account { key, comes }) = person.account {
            let comes = match comes {
                Comes::Back => " back",
                Comes::Anew => "",
                Comes::ByButton => " pressed",
            };
            said = format!("{said} as {}{comes}", self.account(key));
        }
        let with = person.spend.map(|spend| voucher(&spend.voucher));
        with.map_or(said.clone(), |with| format!("{said} with {with}"))
    }

    /// Long because it has an arm for each command.
    fn command(&self, command: &Command) -> String {
        let names = |held: &[Held]| self.names(held.iter().map(|held| held.key));
        match command {
            Command::Enter(enter) => {
                let who: Vec<String> = enter.who.iter().map(|of| self.comer(&of)).collect();
                let verb = match enter.how {
                    Enters::Join => "join",
                    Enters::WalkIn => "walkin",
                };
                let into = enter.lane.map(|lane| format!(" into {lane}"));
                let between = if matches!(enter.who, Who::Plain(_)) { " " } else { ", " };
                format!("{verb} {}{}", who.join(between), into.unwrap_or_default())
            }
            Command::Claim { place, fence } => {
                format!("claim {} by {fence}", self.name_of_key(place.key))
            }
            Command::Renew(fence) => format!("renew {fence}"),
            Command::Extend { fence, total_ms } => {
                format!("extend {fence} to {}", seconds(*total_ms))
            }
            Command::Release(fence) => format!("release {fence}"),
            Command::Leave(place) => format!("leave {}", self.name_of_key(place.key)),
            Command::Shows { key, shown } => {
                format!("shows {} {}", self.name_of_key(*key), shown.number)
            }
            Command::Presence { here, away, .. } => match (here.as_slice(), away.as_slice()) {
                (here, []) => format!("here {}", names(here)),
                ([], away) => format!("away {}", names(away)),
                (here, away) => format!("here {} away {}", names(here), names(away)),
            },
            Command::Carry { place, to, .. } => {
                let (from, to) = (self.name_of_key(place.key), self.name_of_key(to.key));
                format!("carry {from} to {to}")
            }
            Command::Overheard(heard) => overheard(heard),
        }
    }
}

/// What fronts overheard, in a few words for each part that says something.
fn overheard(heard: &Overheard) -> String {
    let (good, bad) = heard.origin.sums();
    let reasons = EntryRefusal::ALL.iter().zip(heard.entry.counts());
    let counted = reasons.filter(|(_, count)| *count > 0);
    let reasons: Vec<String> = counted.map(|(why, count)| format!("{} {count}", why.name())).collect();
    let refused = heard.proofs.counts().iter().skip(1).sum::<u64>();
    let (times, only, ignored) = (heard.times, heard.observed_only, heard.unheeded);
    let parts = [
        (good + bad > 0).then(|| format!("origin {good} {bad}")),
        heard.stock.map(|said| format!("stock {}", said.left)),
        (!heard.proofs.is_none()).then(|| format!("proofs {} {refused}", heard.proofs.ok)),
        (!reasons.is_empty()).then(|| format!("refused {}", reasons.join(" "))),
        (only > 0).then(|| format!("only {only}")),
        (ignored > 0).then(|| format!("ignored {ignored}")),
        (!times.is_none()).then(|| format!("took {} in {}", times.count(), times.sum_ms)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// A status in a few words.
pub fn shown(status: &Status) -> String {
    let number = status.number.unwrap_or(Number(0));
    let number = match &status.lane {
        Some(lane) => format!("{} {}", lane.name, lane.number.unwrap_or(0)),
        None => number.to_string(),
    };
    let mut text = match status.state {
        State::None => "none".to_owned(),
        State::Hall => format!("hall {}", status.entry.unwrap_or(0)),
        State::Waiting => {
            let ahead = status.ahead.expect("told while waiting");
            let missed = if status.missed { " missed" } else { "" };
            format!("{number} waits {ahead}{missed}")
        }
        State::Called => format!("{number} called"),
        State::Admitted => format!("{number} in"),
        State::Over => {
            let reason = status.reason.map_or("somehow", |reason| reason.name());
            match status.entry {
                Some(entry) => format!("hall {entry} over {reason}"),
                None => format!("{number} over {reason}"),
            }
        }
    };
    if status.mode != Mode::Open {
        text += &format!(" [{}]", status.mode.name());
    }
    text += if status.behind { " behind" } else { "" };
    if status.spread_s > 0 {
        text += &format!(" spread {}", status.spread_s);
    }
    text += if status.has_better_lane() { " better" } else { "" };
    text
}

fn voucher(voucher: &Voucher) -> String {
    match voucher {
        Voucher::Code([CodeHash(code), ..]) => format!("code {code}"),
        Voucher::Invitation { index, .. } => format!("invitation {index}"),
    }
}

/// Returns what an operator says in words: `back at noon ja: 正午に`.
pub fn notice(words: &[&str]) -> Notice {
    let mut notice = Notice::default();
    for word in words {
        if let Some(tag) = word.strip_suffix(':') {
            notice.by_language.push((tag.to_owned(), String::new()));
            continue;
        }
        let own = notice.by_language.last_mut();
        let text = own.map_or(&mut notice.any, |(_, text)| text);
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    notice
}

pub fn refused(answer: &FromRoom) -> String {
    match answer {
        FromRoom::Refused(why) => format!("refused {why:?}").to_lowercase(),
        FromRoom::Later(wait_ms) => format!("later {}", seconds(*wait_ms)),
        FromRoom::Welcome(_) => "welcome".to_owned(),
        FromRoom::Page(_) => "page".to_owned(),
        FromRoom::Answer(_) => "answer".to_owned(),
        FromRoom::Leases(_) => "leases".to_owned(),
        FromRoom::Bundle(_) => "bundle".to_owned(),
    }
}

/// What a frame says of a return, if anything.
pub(super) fn spread_of(bytes: &[u8]) -> String {
    let frame = Frame::decode(bytes).expect("a frame");
    match frame.spread_s {
        0 => String::new(),
        spread_s => format!(" spread {spread_s}"),
    }
}
