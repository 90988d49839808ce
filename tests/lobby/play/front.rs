//! What visitors do, and the front for them.

use super::text::spread_of;
use super::{HERE, START};
use super::{Person, Play, account, count, ms, seconds, shown, visitor};
use baton::facts::holder::Shown;
use baton::facts::lane_name::LaneName;
use baton::facts::units::{AddressTag, Fence, Instant, Version};
use baton::facts::voucher::{CODE_KEYS, CodeHash, Spend, Voucher};
use baton::facts::wire::{AccountAsk, Ask, Wish};
use baton::lobby::{Asker, Lobby};

impl Play {
    pub(super) fn person(&mut self, name: &str) -> &mut Person {
        self.people.entry(name.to_owned()).or_default()
    }

    pub(super) fn person_does(&mut self, name: &str, verb: &str, rest: &[&str]) -> Vec<String> {
        let m = self.moment();
        let who = visitor(name);
        match verb {
            "opens" => {
                let shown = self.person(name).shown;
                self.person(name).sockets += 1;
                self.person(name).attached = shown;
                self.lobby.handle_socket_opened(m, who, shown);
            }
            "closes" => {
                let sockets = &mut self.person(name).sockets;
                *sockets = sockets.saturating_sub(1);
                self.lobby.handle_socket_closed(m, who);
            }
            "dies" => self.person(name).is_dead = true,
            "silent" => {
                let sockets = &mut self.person(name).sockets;
                *sockets = sockets.saturating_sub(1);
                self.lobby.handle_socket_silent(m, who);
            }
            "speaks" => self.lobby.handle_word(m, who),
            "knows" => {
                let row = Version(count(rest[0]));
                let shown = self.person(name).shown.as_mut().expect("a place");
                shown.row = row;
            }
            "looks" => {
                let words = self.lobby.first_words(m, who);
                self.shows(name, &words.status);
                let frame = words.frame.map_or_else(String::new, |bytes| format!(" with frame{}", spread_of(&bytes)));
                let close = if words.is_last { " and is closed" } else { "" };
                return vec![format!("{name} sees {}{frame}{close}", shown(&words.status))];
            }
            "gone" => {
                let asker = self.asking.iter().rev().find(|(_, of)| *of == name);
                let asker = *asker.expect("somebody asks").0;
                self.asking.remove(&asker);
                self.lobby.handle_gone(m, asker);
            }
            _ => self.asks(name, verb, rest),
        }
        vec![]
    }

    fn asks(&mut self, name: &str, verb: &str, rest: &[&str]) {
        let person = self.person(name).clone();
        let lease = match rest.last() {
            Some(&"old") => person.old_lease,
            _ => person.lease,
        };
        let fence = lease.map_or(Fence(0), |lease| lease.fence);
        let wish = match (verb, rest) {
            ("joins", _) => Wish::Join,
            ("arrives", _) => Wish::Arrive { walk_in: true, join: true },
            ("peeks", _) => Wish::Arrive { walk_in: true, join: false },
            ("attends", _) => Wish::Attend,
            ("asks", _) => Wish::Status { wait_ms: 0 },
            ("polls", [wait, ..]) => Wish::Status { wait_ms: ms(wait) },
            ("claims", _) => Wish::Claim,
            ("leaves", _) => Wish::Leave,
            ("renews", _) => Wish::Renew(fence),
            ("checks", _) => Wish::Check(fence),
            ("releases", _) => Wish::Release(fence),
            ("extends", [by, ..]) => Wish::Extend { fence, by_ms: ms(by) },
            ("offers", _) => Wish::Offer,
            ("takes", [from, ..]) => {
                let from = self.person(from).clone();
                let (key, row) = from.offer.expect("an offer");
                let shown = from.shown.expect("a place");
                Wish::Carry {
                    place: Shown { row, ..shown },
                    key,
                }
            }
            _ => panic!("nobody {verb}"),
        };
        self.asked += 1;
        let asker = Asker(self.asked);
        self.asking.insert(asker, name.to_owned());
        let shown = person.shown.filter(|_| rest.last() != Some(&"bare"));
        let ask = Ask {
            account: self.account_of(rest),
            lane: lane_of(rest),
            needs_lane: rest.last() == Some(&"only"),
            spend: self.spend_of(rest),
            tried: rest.last() == Some(&"tried"),
            from: address_of(rest),
            ..Ask::plain(visitor(name), shown, wish)
        };
        self.lobby.handle_ask(self.moment(), asker, ask);
    }

    /// For which account, in the words behind what somebody does.
    fn account_of(&mut self, rest: &[&str]) -> Option<AccountAsk> {
        let ["as", name, how @ ..] = rest else {
            return None;
        };
        self.accounts.insert((*name).to_owned());
        Some(AccountAsk {
            id: account(name),
            take: how == ["pressed"],
        })
    }

    /// With which code, in the words behind what somebody does.
    fn spend_of(&self, rest: &[&str]) -> Option<Spend> {
        let code = word_behind("with", rest)?;
        Some(Spend {
            voucher: Voucher::Code([CodeHash(count(code)); CODE_KEYS]),
            at_ms: self.now.0,
        })
    }

    /// The object comes into memory: it finds its sockets and what they show.
    pub(super) fn is_born(&mut self) {
        self.born += 1;
        self.lobby = Lobby::new(HERE, self.lobby_config.clone(), self.born);
        self.asking.clear();
        self.calls.clear();
        self.answers.clear();
        let m = self.moment();
        for (name, person) in &mut self.people {
            for _ in 0..person.sockets {
                if person.is_dead {
                    self.lobby.handle_silent_found(m, visitor(name));
                } else {
                    self.lobby.handle_socket_opened(m, visitor(name), person.attached);
                }
            }
            if core::mem::take(&mut person.is_dead) {
                person.sockets = 0;
            }
        }
    }

    pub(super) fn when(&self) -> Vec<String> {
        let at = |at: Option<Instant>| at.map_or("never".to_owned(), |at| seconds(at.since_ms(START)));
        vec![
            format!("awake {}", at(self.lobby.poll_timeout())),
            format!("alarm {}", at(self.lobby.poll_alarm())),
        ]
    }
}

/// The lane that is asked for, in the words behind what somebody does.
pub(super) fn lane_of(rest: &[&str]) -> Option<LaneName> {
    let named = word_behind("into", rest);
    named.map(|name| LaneName::parse(name).expect("a lane's name"))
}

fn word_behind<'a>(word: &str, rest: &[&'a str]) -> Option<&'a str> {
    let mut pairs = rest.windows(2);
    let found = pairs.find(|pair| pair[0] == word);
    found.map(|pair| pair[1])
}

/// From whose address, in the words behind what somebody does.
fn address_of(rest: &[&str]) -> Option<AddressTag> {
    let neighbour = word_behind("from", rest)?;
    Some(visitor(neighbour).tag())
}
