//! Bugs on purpose, one line each at the place where it would hurt, to prove that the simulator finds them.
//!
//! They exist only with the feature `planted-bugs`, which is for tests and never part of what ships. Without it [`is`] is a constant `false`, and
//! the compiler leaves nothing of them.

macro_rules! bugs {
    ($($(#[$doc:meta])* $bug:ident = $name:literal,)*) => {
        /// A planted bug.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Bug { $($(#[$doc])* $bug,)* }

        impl Bug {
            /// Every bug.
            pub const ALL: &[Self] = &[$(Self::$bug,)*];

            /// Its name on the command line and in the table.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$bug => $name,)* }
            }
        }
    };
}

bugs! {
    /// A visitor walks in past the line.
    WalkInPastTheLine = "walk-in-past-the-line",
    /// A call never expires.
    ClaimDeadlineForgotten = "claim-deadline-forgotten",
    /// The room answers and pushes although its row was not written.
    SpeaksBeforeTheWrite = "speaks-before-the-write",
    /// The snapshot leaves out the tray.
    TrayLostOnRestart = "tray-lost-on-restart",
    /// The room issues a number twice.
    NumberReused = "number-reused",
    /// A lobby takes a word about a number of an earlier edition for one about this edition's number.
    EditionIgnored = "edition-ignored",
    /// The room takes a batch of an older life of a lobby.
    OldLifeTaken = "old-life-taken",
    /// The room takes a batch that comes after a later one.
    LateBatchTaken = "late-batch-taken",
    /// An old fence renews the newest lease.
    OldFenceAccepted = "old-fence-accepted",
    /// The alarm is not part of the commit that makes it necessary.
    AlarmAfterTheCommit = "alarm-after-the-commit",
    /// The room slides a lease in its answer, but no fact says so.
    SlideNotJournaled = "slide-not-journaled",
    /// A permit that comes back does not pay debt.
    DebtNotPaid = "debt-not-paid",
    /// The baton goes to the second in line.
    BatonToTheSecond = "baton-to-the-second",
    /// A visitor who misses a first call loses the place.
    MissedLosesItsPlace = "missed-loses-its-place",
    /// What a push tells counts from what was sent last, not from what the lobby acknowledged.
    SinceAsSent = "since-as-sent",
    /// A room that comes into memory waits until its lobbies ask, and pokes none.
    UntoldForgotten = "untold-forgotten",
    /// A list leaves out called tickets.
    ListWithoutTheCalled = "list-without-the-called",
    /// A lobby takes the first page of a list for the whole list.
    ListTakenInParts = "list-taken-in-parts",
    /// A lobby takes in a message that is older than what it knows.
    OlderTaken = "older-taken",
    /// A lobby takes for granted that the room has heard who is there.
    PresenceByEdges = "presence-by-edges",
    /// A room does not tell a lobby that goes on whom it considers away.
    ResumedWithoutPresence = "resumed-without-presence",
    /// A key that has a living ticket gets another.
    KeyTwice = "key-twice",
    /// The room carries out a command that names somebody else's ticket.
    KeyIgnored = "key-ignored",
    /// A link is good again after it was used.
    LinkGoodTwice = "link-good-twice",
    /// A room that comes into memory takes a place's holder from its page, although the place was carried since.
    PageOutlivesCarry = "page-outlives-carry",
    /// A page of places is written as of the turn that writes it, although the snapshot is of an earlier row.
    PageAheadOfItsRow = "page-ahead-of-its-row",
    /// A snapshot goes on with the page of the one before, although places on it changed.
    ChangedPageNotWritten = "changed-page-not-written",
    /// A room that comes into memory answers from an index of which it has built a part.
    IndexHalfBuilt = "index-half-built",
    /// A room that comes into memory looks for accounts in an index of which it has built a part.
    AccountsHalfBuilt = "accounts-half-built",
    /// The sum of a page that is read late is not looked at.
    LatePageUnsummed = "late-page-unsummed",
    /// A ticket that is called before the index has its key is never entered.
    CalledNotIndexed = "called-not-indexed",
    /// The room keeps the place that a new device had, beside the one that is carried to it.
    OwnPlaceKept = "own-place-kept",
    /// A lobby sends a join again although its asker has left.
    JoinRepeatedForNobody = "join-repeated-for-nobody",
    /// A lobby takes the lease for a pass from what it knows, not from the room's answer.
    PassFromAnOlderAnswer = "pass-from-an-older-answer",
    /// A word from before a missed call brings back a visitor who slept through the call.
    OldWordCounts = "old-word-counts",
    /// A page that slept through its call counts as there because its socket is open.
    SleeperIsThere = "sleeper-is-there",
    /// Away tickets do not count as ahead.
    AheadLeavesOutTheAway = "ahead-leaves-out-the-away",
    /// A place is kept for half the grace.
    GraceEndsEarly = "grace-ends-early",
    /// The room takes nothing that people show for a proof that its data is older.
    ProofsIgnored = "proofs-ignored",
    /// The room says that a place which a restored backup does not have is over.
    LostIsOver = "lost-is-over",
    /// A lobby that knows later rows than the room has is told only what has changed since.
    LaterRowResumed = "later-row-resumed",
    /// Fences go on from where the restored data has them.
    FencesGoBack = "fences-go-back",
    /// An object's clock follows the host's wherever it goes.
    ClockLeaps = "clock-leaps",
    /// The release of a lease that is over frees somebody else's permit.
    ReleaseFreesAnother = "release-frees-another",
    /// A called ticket still counts as present, and is called again.
    TwoPermitsToOne = "two-permits-to-one",
    /// A turn of the usher leaves the tray full.
    TrayNeverEmptied = "tray-never-emptied",
    /// A lobby tells of a longer lease than the room does.
    LeaseToldLonger = "lease-told-longer",
    /// No alarm wakes the room for the next step of a ramp.
    RampForgotten = "ramp-forgotten",
    /// The room forgets a called ticket's account, so whoever is inside can get another place.
    AccountLostInside = "account-lost-inside",
    /// Joining takes over a place that is called or inside, without a pressed button.
    TakenWithoutAButton = "taken-without-a-button",
    /// The room keeps the place that a device had, beside the account's place that the device takes over.
    AnonymousPlaceKept = "anonymous-place-kept",
    /// A room that comes into memory forgets accounts that came to a page after the page was full.
    LateAccountForgotten = "late-account-forgotten",
    /// No alarm wakes the room for the next step of its schedule.
    StepForgotten = "step-forgotten",
    /// The room does not remember that it has carried out a step.
    StepTwice = "step-twice",
    /// The room carries out only the last of several steps that are due.
    StepsSkipped = "steps-skipped",
    /// The draw lets the last lot go first.
    DrawFavoursTheLast = "draw-favours-the-last",
    /// A porter hands the answers of a bundle to its lobbies in reverse order.
    BundleHandedInReverse = "bundle-handed-in-reverse",
    /// The room answers a batch of a bundle before it takes the next.
    BundleAnsweredInParts = "bundle-answered-in-parts",
    /// The room does not mark a voucher as spent.
    VoucherNotMarked = "voucher-not-marked",
    /// The room spends a voucher although it gives no number for it.
    SpentForNothing = "spent-for-nothing",
    /// A voucher that one visitor has spent is good for another.
    VoucherGoodTwice = "voucher-good-twice",
    /// The room gives a number for a voucher without spending it.
    NumberWithoutSpending = "number-without-spending",
    /// The second lane in which somebody can be called goes first.
    SecondLaneFirst = "second-lane-first",
    /// A lane in which nobody can be called keeps what is left of its turn.
    AbsentLaneSavesUp = "absent-lane-saves-up",
    /// A missed call costs its lane nothing.
    MissedCallIsFree = "missed-call-is-free",
    /// A visitor walks in while somebody in another lane can be called.
    WalkInPastALane = "walk-in-past-a-lane",
    /// A key that has a living ticket gets another in another lane.
    TwoPlacesByLane = "two-places-by-lane",
    /// A lane's draw takes the entries of everybody's hall.
    DrawAcrossLanes = "draw-across-lanes",
    /// A ticket that moves to a better lane loses its account.
    MoveForgetsTheAccount = "move-forgets-the-account",
    /// The room looks up the lobby of a place that ended with the last of its chunk only after the chunk is gone.
    EndToldElsewhere = "end-told-elsewhere",
    /// A lobby whose check a room of another build refuses lets in whoever it was asked about.
    RefusedCheckPasses = "refused-check-passes",
    /// A look ahead of a click arrives like the click.
    LookArrives = "look-arrives",
    /// A visitor who is told of a lease is shown the place in the line first.
    LineBeforeLease = "line-before-lease",
    /// A pass that was good when its visit asked counts as good when the visit goes on.
    PassJudgedOnce = "pass-judged-once",
    /// A pass lets in although its lease has ended.
    EndedLeaseGoesIn = "ended-lease-goes-in",
    /// A visit goes in although the room says that its lease is over.
    DeniedCheckPasses = "denied-check-passes",
    /// A visit to a strict room goes in although nobody said that its lease lives.
    UnheardCheckPasses = "unheard-check-passes",
    /// Whoever looks at the shop's thank-you page once more is put into the line.
    ThankedIntoTheLine = "thanked-into-the-line",
    /// A visitor whom no lobby answers goes in free.
    SilenceOpens = "silence-opens",
    /// Whoever leaves keeps the pass.
    LeaverKeepsThePass = "leaver-keeps-the-pass",
    /// Each lobby on the way of a question is shown the ticket, not only the one that gave it.
    TicketShownElsewhere = "ticket-shown-elsewhere",
    /// A pass is good from when the answer came, and for twice the time.
    PassOutlivesItsTime = "pass-outlives-its-time",
    /// A claim asks how things are.
    ClaimOnlyLooks = "claim-only-looks",
}

/// Returns whether this bug is planted.
#[cfg(not(feature = "planted-bugs"))]
#[must_use]
#[inline(always)]
pub const fn is(_: Bug) -> bool {
    false
}

#[cfg(feature = "planted-bugs")]
thread_local! {
    static PLANTED: core::cell::Cell<Option<Bug>> = const { core::cell::Cell::new(None) };
}

/// Returns whether this bug is planted.
#[cfg(feature = "planted-bugs")]
#[must_use]
pub fn is(bug: Bug) -> bool {
    PLANTED.get() == Some(bug)
}

/// The bug that is planted in this thread.
#[cfg(feature = "planted-bugs")]
#[must_use]
pub fn planted() -> Option<Bug> {
    PLANTED.get()
}

/// Returns `None`: without the feature no bug is planted.
#[cfg(not(feature = "planted-bugs"))]
#[must_use]
pub const fn planted() -> Option<Bug> {
    None
}

/// Plants a bug in this thread; `None` takes it away.
#[cfg(feature = "planted-bugs")]
pub fn plant(bug: Option<Bug>) {
    PLANTED.set(bug);
}

/// Plants the bug with this name in this thread.
///
/// # Errors
/// The names that would be right, if there is no such bug.
#[cfg(feature = "planted-bugs")]
pub fn plant_by_name(name: &str) -> Result<(), String> {
    let bug = Bug::ALL.iter().find(|bug| bug.name() == name);
    let names = || Bug::ALL.iter().map(|bug| bug.name()).collect::<Vec<_>>().join(", ");
    plant(Some(*bug.ok_or_else(|| format!("one of {}", names()))?));
    Ok(())
}

/// Plants nothing, because the feature is off.
///
/// # Errors
/// Always; it says how bugs can be planted.
#[cfg(not(feature = "planted-bugs"))]
pub fn plant_by_name(_: &str) -> Result<(), String> {
    Err("build with --features planted-bugs".to_owned())
}
