//! The rules of the protocol, each with a switch, so that a test can take one away and see what breaks.

/// One rule. The comment says what holds while it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// `since` is what the lobby acknowledged last, not what the room sent last.
    AcknowledgedSince,
    /// A replica ignores changes up to a version older than its own.
    IgnoreOlder,
    /// The room refuses a call whose nonce is not the current one.
    RefuseOldLives,
    /// The room takes a batch only if its number is above the last one's.
    RefuseLate,
    /// The room mints a greeting when it comes to know a life anew; batches and pushes name it.
    Greeting,
    /// The room ignores a Hello older than the last of that life.
    HelloNumbers,
    /// A push that skips a row, or names another life, makes the lobby say Hello.
    HelloOnGap,
    /// A command moves a ticket only if both its number and its key fit.
    NumberAndKey,
    /// A link carries nothing once the place was carried after the row that the link names.
    VoidLinks,
    /// Whoever carries a place leaves the own one in the same turn.
    OwnPlaceLeft,
    /// A carried place has a new fence.
    NewFence,
    /// A join for a key with a living ticket elsewhere is answered with that lobby.
    At,
    /// Until a list is whole nobody is told or levelled.
    WholeLists,
    /// A page older than its list's first page is not its.
    PageOfItsList,
    /// The changes that make a list whole are at least as new as its newest page.
    PagesCaughtUp,
    /// Nobody is told what is older than the row in which the number shown was given.
    RowShown,
    /// An ask is answered only from the batch it went out in.
    AnswerOfItsAsk,
    /// Answers are made from the book as it is when the turn ends.
    TurnEnd,
    /// An ask is repeated only while its asker waits.
    JoinWhileAsked,
    /// Only the room answers a join. A replica may be behind: the place may have gone elsewhere.
    RoomAnswersJoins,
    /// A lobby with sockets looks, or says Hello, at each quiet time.
    QuietAlarm,
    /// A room that restarted pokes each lobby that ever had a ticket until it says Hello.
    PokeAfterRestart,
    /// While a batch with presence is unanswered, that presence is said again.
    UnsurePresence,
    /// Whoever missed a call, and has not spoken since, is not said to be here.
    MissedCallException,
    /// A "here" from before the room's last word on a missed call counts for nothing.
    HereKnowsOfTheMiss,
    /// A new list tells everybody again, and the page answers each telling.
    ToldAgain,
}

use Rule::*;

impl Rule {
    /// Every rule, in the order of the enum.
    pub const ALL: [Rule; 26] = [
        AcknowledgedSince,
        IgnoreOlder,
        RefuseOldLives,
        RefuseLate,
        Greeting,
        HelloNumbers,
        HelloOnGap,
        NumberAndKey,
        VoidLinks,
        OwnPlaceLeft,
        NewFence,
        At,
        WholeLists,
        PageOfItsList,
        PagesCaughtUp,
        RowShown,
        AnswerOfItsAsk,
        TurnEnd,
        JoinWhileAsked,
        RoomAnswersJoins,
        QuietAlarm,
        PokeAfterRestart,
        UnsurePresence,
        MissedCallException,
        HereKnowsOfTheMiss,
        ToldAgain,
    ];

    /// Finds a rule by its name in this file.
    pub fn named(name: &str) -> Option<Rule> {
        Rule::ALL
            .into_iter()
            .find(|rule| format!("{rule:?}") == name)
    }
}

/// Which rules hold in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules(u32);

impl Rules {
    /// The protocol as it is meant.
    pub fn all() -> Rules {
        Rules(u32::MAX)
    }

    /// The protocol with one rule taken away.
    pub fn without(self, rule: Rule) -> Rules {
        Rules(self.0 & !(1 << rule as u32))
    }

    /// True if the rule holds.
    pub fn has(self, rule: Rule) -> bool {
        self.0 & (1 << rule as u32) != 0
    }
}
