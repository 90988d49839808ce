//! The rules of the protocol. Each has a switch, so that a test can take it away and see what breaks.

/// A rule of the protocol. Its comment says what is true while it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Changes count from what the lobby acknowledged last, not from what the room sent last.
    AcknowledgedSince,
    /// A replica ignores changes that lead to an older version than its own.
    IgnoreOlder,
    /// The room refuses a call of a lobby's life that is not the current one.
    RefuseOldLives,
    /// The room takes a batch only if its number is above that of the last batch.
    RefuseLate,
    /// The room mints a greeting each time it comes to know a life; batches and pushes name the greeting.
    Greeting,
    /// The room ignores a Hello older than the last one of that life, and the lobby a Welcome to any Hello but its last.
    HelloNumbers,
    /// A push or an answer that leaves a gap, or a push that names another bond, makes the lobby say Hello.
    HelloOnGap,
    /// A command changes a ticket only if both the number and the key are the ticket's.
    NumberAndKey,
    /// A link carries nothing if the place has been carried since the row that the link names.
    VoidLinks,
    /// The visitor who takes over a place leaves their own in the same turn.
    OwnPlaceLeft,
    /// A carried place that has a permit gets a new fence.
    NewFence,
    /// The room answers a join of a key that has a living ticket in another lobby with that lobby.
    At,
    /// Until a list is whole, the lobby tells nobody anything by it and does not level presence.
    WholeLists,
    /// The lobby ignores a page that is older than the first page of its list.
    PageOfItsList,
    /// The changes that make a list whole are at least as new as its newest page.
    PagesCaughtUp,
    /// The lobby tells nobody anything older than the row in which the number that they were shown was given.
    RowShown,
    /// An ask is answered only by the answer to the batch that it went out in.
    AnswerOfItsAsk,
    /// The room answers from the book as it is when the turn ends.
    TurnEnd,
    /// The lobby repeats an ask only while its asker waits.
    JoinWhileAsked,
    /// Only the room answers a join. A replica may be behind: the place may have been carried to another key.
    RoomAnswersJoins,
    /// A lobby with sockets sends a look, or says Hello, at each quiet time.
    QuietAlarm,
    /// A room that restarted pokes each lobby that ever had a ticket until that lobby says Hello.
    PokeAfterRestart,
    /// The lobby says presence again if the batch that said it got no answer.
    RepeatPresence,
    /// The lobby does not say that a visitor is here who missed a call and has not spoken since.
    MissedCallException,
    /// The room ignores a "here" of a lobby that had not heard of the missed call.
    HereKnowsOfTheMiss,
    /// After a new list the lobby tells everybody again, and each page answers.
    ToldAgain,
}

use Rule::*;

impl Rule {
    /// All rules, in the order of the enum.
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
        RepeatPresence,
        MissedCallException,
        HereKnowsOfTheMiss,
        ToldAgain,
    ];

    /// Returns the rule with this name of the enum.
    pub fn named(name: &str) -> Option<Rule> {
        Rule::ALL.into_iter().find(|rule| format!("{rule:?}") == name)
    }
}

/// The rules that are on in a world, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules(u32);

impl Rules {
    /// Returns the protocol as it is meant: every rule is on.
    pub fn all() -> Rules {
        Rules(u32::MAX)
    }

    /// Returns these rules with one taken away.
    pub fn without(self, rule: Rule) -> Rules {
        Rules(self.0 & !(1 << rule as u32))
    }

    /// Returns whether the rule is on.
    pub fn has(self, rule: Rule) -> bool {
        self.0 & (1 << rule as u32) != 0
    }
}
