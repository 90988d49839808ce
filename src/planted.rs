//! Bugs on purpose, one line each at the place where it would hurt, to prove that the simulator finds them.
//!
//! Only with the feature `planted-bugs`, which is for tests and never part of what ships. Without it
//! [`is`] is `false` for the compiler, and nothing of this is left.

macro_rules! bugs {
    ($($(#[$doc:meta])* $bug:ident = $name:literal,)*) => {
        /// A bug.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Bug { $($(#[$doc])* $bug,)* }

        impl Bug {
            /// All of them.
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
    /// One walks in past the line.
    WalkInPastTheLine = "walk-in-past-the-line",
    /// A call never runs out.
    ClaimDeadlineForgotten = "claim-deadline-forgotten",
    /// The room answers and pushes though the row was not taken.
    SpeaksBeforeTheWrite = "speaks-before-the-write",
    /// The tray is not in the snapshot.
    TrayLostOnRestart = "tray-lost-on-restart",
    /// A number is issued twice.
    NumberReused = "number-reused",
    /// What speaks of a number of an earlier edition is taken for this one's.
    EditionIgnored = "edition-ignored",
    /// A batch of an older life of a lobby is taken.
    OldLifeTaken = "old-life-taken",
    /// A batch that comes after a later one is taken.
    LateBatchTaken = "late-batch-taken",
    /// An old fence renews the newest lease.
    OldFenceAccepted = "old-fence-accepted",
    /// The alarm is not part of the commit that makes it necessary.
    AlarmAfterTheCommit = "alarm-after-the-commit",
    /// A lease slides in the answer, and no fact says so.
    SlideNotJournaled = "slide-not-journaled",
    /// A permit that comes back while there is a debt goes onto the tray.
    DebtNotPaid = "debt-not-paid",
    /// The baton goes to the second in line.
    BatonToTheSecond = "baton-to-the-second",
    /// Who misses a first call is over.
    MissedLosesItsPlace = "missed-loses-its-place",
    /// What a push tells counts from what was sent last, and not from what was acknowledged.
    SinceAsSent = "since-as-sent",
    /// A room that comes into memory leaves it to its lobbies to ask.
    UntoldForgotten = "untold-forgotten",
    /// A list leaves out who is called.
    ListWithoutTheCalled = "list-without-the-called",
    /// A lobby takes the first page of a list for all of it.
    ListTakenInParts = "list-taken-in-parts",
    /// A lobby takes a message in that is older than what it knows.
    OlderTaken = "older-taken",
    /// A lobby takes for granted that the room has heard who is there.
    PresenceByEdges = "presence-by-edges",
    /// A lobby that goes on is not told whom the room takes for away.
    ResumedWithoutPresence = "resumed-without-presence",
    /// A key that has a living ticket gets another.
    KeyTwice = "key-twice",
    /// A command that names another's ticket is done.
    KeyIgnored = "key-ignored",
    /// A link is good again after it was used.
    LinkGoodTwice = "link-good-twice",
    /// A room that comes into memory takes whose a place is from its page, also of one that was carried since.
    PageOutlivesCarry = "page-outlives-carry",
    /// The place that a new device had is kept beside the one that is carried to it.
    OwnPlaceKept = "own-place-kept",
    /// A join is sent again though its asker has left.
    JoinRepeatedForNobody = "join-repeated-for-nobody",
    /// A pass is made of what the lobby knows, and not of the room's answer.
    PassFromAnOlderAnswer = "pass-from-an-older-answer",
    /// A word from before a missed call brings back who slept through it.
    OldWordCounts = "old-word-counts",
    /// A page that slept through its call counts as there because its socket is open.
    SleeperIsThere = "sleeper-is-there",
    /// Those who are away do not count as ahead.
    AheadLeavesOutTheAway = "ahead-leaves-out-the-away",
    /// A place is kept for half the grace.
    GraceEndsEarly = "grace-ends-early",
    /// An object's clock follows the host's wherever it goes.
    ClockLeaps = "clock-leaps",
    /// The release of a lease that is over frees somebody else's permit.
    ReleaseFreesAnother = "release-frees-another",
    /// Who is called is not taken out of those present, and is called again.
    TwoPermitsToOne = "two-permits-to-one",
    /// A turn of the usher leaves the tray full.
    TrayNeverEmptied = "tray-never-emptied",
    /// A lobby tells a lease longer than the room does.
    LeaseToldLonger = "lease-told-longer",
    /// The room is not woken for the next step of a ramp.
    RampForgotten = "ramp-forgotten",
    /// A called ticket's account is forgotten, so whoever is inside can get another place.
    AccountLostInside = "account-lost-inside",
    /// Joining takes over a place that is called or inside, without a pressed button.
    TakenWithoutAButton = "taken-without-a-button",
    /// The place that a device had is kept beside the account's, which it takes over.
    AnonymousPlaceKept = "anonymous-place-kept",
    /// A room that comes into memory forgets the accounts that came to a page after it was full.
    LateAccountForgotten = "late-account-forgotten",
    /// The room is not woken for the next step of its schedule.
    StepForgotten = "step-forgotten",
    /// The room does not remember that it has carried out a step.
    StepTwice = "step-twice",
    /// The room carries out only the last of several steps that are due.
    StepsSkipped = "steps-skipped",
    /// The draw lets the last of the lots go first.
    DrawFavoursTheLast = "draw-favours-the-last",
    /// A porter hands the answers of a bundle to its lobbies in the wrong order.
    BundleHandedInReverse = "bundle-handed-in-reverse",
    /// The room answers a batch of a bundle before it has taken the next.
    BundleAnsweredInParts = "bundle-answered-in-parts",
    /// A voucher that was spent does not look so.
    VoucherNotMarked = "voucher-not-marked",
    /// A voucher is spent though no number is given for it.
    SpentForNothing = "spent-for-nothing",
    /// A voucher that one has spent is good for another.
    VoucherGoodTwice = "voucher-good-twice",
    /// A number is given for a voucher that is not spent by it.
    NumberWithoutSpending = "number-without-spending",
    /// The second lane in which somebody can be called goes first.
    SecondLaneFirst = "second-lane-first",
    /// A lane in which nobody can be called keeps what is left of its turn.
    AbsentLaneSavesUp = "absent-lane-saves-up",
    /// A call that is missed costs its lane nothing.
    MissedCallIsFree = "missed-call-is-free",
    /// One walks in while somebody in another lane can be called.
    WalkInPastALane = "walk-in-past-a-lane",
    /// A key that has a living ticket gets another in another lane.
    TwoPlacesByLane = "two-places-by-lane",
    /// A lane's draw takes the entries of everybody's hall.
    DrawAcrossLanes = "draw-across-lanes",
    /// A ticket that moves to a better lane is no account's any more.
    MoveForgetsTheAccount = "move-forgets-the-account",
    /// A place that ends with the last of its chunk is looked for after the chunk has gone.
    EndToldElsewhere = "end-told-elsewhere",
}

/// Whether this bug is planted.
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

/// Whether this bug is planted.
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

/// Without the feature none ever is.
#[cfg(not(feature = "planted-bugs"))]
#[must_use]
pub const fn planted() -> Option<Bug> {
    None
}

/// Plants a bug in this thread, or none.
#[cfg(feature = "planted-bugs")]
pub fn plant(bug: Option<Bug>) {
    PLANTED.set(bug);
}

/// Plants a bug in this thread by its name.
///
/// # Errors
/// What would be right, when there is no such bug or none can be planted.
#[cfg(feature = "planted-bugs")]
pub fn plant_by_name(name: &str) -> Result<(), String> {
    let bug = Bug::ALL.iter().find(|bug| bug.name() == name);
    let names = || {
        Bug::ALL
            .iter()
            .map(|bug| bug.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    plant(Some(*bug.ok_or_else(|| format!("one of {}", names()))?));
    Ok(())
}

/// Without the feature there is nothing to plant.
///
/// # Errors
/// Always: how it can be done.
#[cfg(not(feature = "planted-bugs"))]
pub fn plant_by_name(_: &str) -> Result<(), String> {
    Err("build with --features planted-bugs".to_owned())
}
