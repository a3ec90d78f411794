//! What a thread does in an execution, in words of the source.

use sapa_ir::goto::Location;

/// A row of a counterexample: what one thread does at one line of the source before another thread
/// acts, or it comes to another line. A row has at least one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Who acts; 0 is the initial thread, others are numbered in order of their start.
    pub thread: u32,
    /// The function that the thread runs: `main`, or the one that it was started with.
    pub thread_function: String,
    /// The function of the source that the line is in; empty where that is not known.
    pub function: String,
    /// Where the first of the events happens.
    pub location: Location,
    /// Where no line is known: the instruction as the IR's text has it, after its block.
    pub instruction: Option<String>,
    /// What is done, in order. One row does not do a thing twice at one place: the next round of a
    /// loop on one line is another row.
    pub events: Vec<Event>,
}

/// Something that a thread does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What it is.
    pub kind: EventKind,
    /// What it is done to, as the source writes it: `s.next`, `a[2]`, `m`; `thread 2` for starts
    /// and joins, the function for a choice. Objects on the heap are `heap#1`, `heap#2` in the
    /// order in which the execution comes to them. Empty for [`EventKind::Fail`].
    pub name: String,
    /// The value that is read, written or chosen, as the source writes it: `-3`, `&a[2]`, `NULL`,
    /// `worker`, `thread 2` for the handle of a thread. For a start, the call: `worker(&i)`; for what is missed, why there
    /// is nothing; for a leak, who has allocated it, and where.
    /// `None` where there is none, or the operation says it.
    pub value: Option<String>,
    /// Where it happens: the place of the access, or of the call of a library function.
    pub location: Location,
    /// Whether what is read was never given a value: the one here is what the execution took.
    pub uninitialised: bool,
    /// Of what gives a value to memory or a variable: its number. Several events may be of one store.
    pub store: Option<StoreNumber>,
    /// Where what is read comes from, if that is known and one.
    pub source: Option<Source>,
}

/// The number of a store, or of another change of memory or of a variable; those of one execution differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StoreNumber(pub u64);

/// Where the value of what is read comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The store that wrote all of its bytes last, as far as stores have reached memory.
    Store(StoreNumber),
    /// A store of the thread's own that waits in its buffer.
    Waiting(StoreNumber),
    /// Nobody has written the bytes before.
    Initial,
}

/// Kinds of [events](Event).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// Reads an object that other threads may write, or one that an assertion is about.
    Read,
    /// Writes an object that other threads may read.
    Write,
    /// Stores to one, and the store waits in the thread's buffer.
    Buffer,
    /// A store that waited has reached memory.
    Reach,
    /// Gives a value to a variable of the thread's own.
    Assign,
    /// Gets a value that the environment chooses.
    Choose,
    /// Locks a mutex.
    Lock,
    /// Locks a read-write lock as a reader.
    LockToRead,
    /// Locks a read-write lock as a writer.
    LockToWrite,
    /// Finds that an object cannot be locked or taken, and goes on.
    FindTaken,
    /// Locks a recursive mutex that it holds.
    LockAgain,
    /// Unlocks.
    Unlock,
    /// Unlocks a recursive mutex that it has locked more than once, and holds it still.
    KeepLocked,
    /// Begins to wait on a condition variable.
    Wait,
    /// Signals a condition variable to one thread.
    Signal,
    /// Signals a condition variable to all threads.
    Broadcast,
    /// Takes one from a semaphore.
    Take,
    /// Adds one to a semaphore.
    Post,
    /// Arrives at a barrier.
    Arrive,
    /// Passes a barrier.
    Pass,
    /// Begins the function that is called once.
    Begin,
    /// Has called it.
    Complete,
    /// Finds that another thread has begun it.
    FindBegun,
    /// Finds that it was called.
    FindComplete,
    /// Fails to exchange what it could, as weak compare-exchanges may.
    FailSpuriously,
    /// Initialises an object of synchronisation.
    Initialise,
    /// Allocates an object on the heap.
    Allocate,
    /// Frees one.
    Free,
    /// The call or the block ends that a local is of, whose address somebody may have kept.
    End,
    /// Starts a thread.
    Start,
    /// Waits for the end of a thread, which has come.
    Join,
    /// Comes to an access that another one races with.
    Stand,
    /// Waits, and will for ever.
    GiveUp,
    /// Reaches what is no object, or not one alone.
    Miss,
    /// Ends the program while an object on the heap is not freed.
    Leak,
    /// Fails the assertion: the last event.
    Fail,
}

impl EventKind {
    /// A word for reports that programs read.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Buffer => "buffer",
            Self::Reach => "reach",
            Self::Assign => "assign",
            Self::Choose => "choose",
            Self::Lock => "lock",
            Self::LockToRead => "lock-to-read",
            Self::LockToWrite => "lock-to-write",
            Self::FindTaken => "find-taken",
            Self::LockAgain => "lock-again",
            Self::Unlock => "unlock",
            Self::KeepLocked => "keep-locked",
            Self::Wait => "wait",
            Self::Signal => "signal",
            Self::Broadcast => "broadcast",
            Self::Take => "take",
            Self::Post => "post",
            Self::Arrive => "arrive",
            Self::Pass => "pass",
            Self::Begin => "begin",
            Self::Complete => "complete",
            Self::FindBegun => "find-begun",
            Self::FindComplete => "find-complete",
            Self::FailSpuriously => "fail-spuriously",
            Self::Initialise => "initialise",
            Self::Allocate => "allocate",
            Self::Free => "free",
            Self::End => "end",
            Self::Start => "start",
            Self::Join => "join",
            Self::Stand => "stand",
            Self::GiveUp => "give-up",
            Self::Miss => "miss",
            Self::Leak => "leak",
            Self::Fail => "fail",
        }
    }
}

impl Event {
    /// An event at a place that is not known yet, without a value.
    #[must_use]
    pub fn new(kind: EventKind, name: String) -> Self {
        Self {
            kind,
            name,
            value: None,
            location: Location::default(),
            uninitialised: false,
            store: None,
            source: None,
        }
    }

    /// As [`new`](Self::new), with a value.
    #[must_use]
    pub fn with_value(kind: EventKind, name: String, value: String) -> Self {
        Self { value: Some(value), ..Self::new(kind, name) }
    }

    /// The event in words: `read s = 0`, `locks m`, `starts thread 2: worker(&i)`.
    #[must_use]
    pub fn text(&self) -> String {
        let name = &self.name;
        let equals = match &self.value {
            Some(value) => format!("{name} = {value}"),
            None => name.clone(),
        };
        let now = self.value.as_ref().map_or_else(String::new, |value| format!(" (now {value})"));
        let words = match self.kind {
            EventKind::Read => format!("read {equals}"),
            EventKind::Write => format!("wrote {equals}"),
            EventKind::Buffer => format!("{equals} (waits)"),
            EventKind::Reach => format!("{equals} reaches memory"),
            EventKind::Assign => equals,
            EventKind::Choose => match &self.value {
                Some(value) => format!("{name}() = {value}"),
                None => format!("{name}()"),
            },
            EventKind::Lock => format!("locks {name}"),
            EventKind::LockToRead => format!("locks {name} for reading"),
            EventKind::LockToWrite => format!("locks {name} for writing"),
            EventKind::FindTaken => format!("finds {name} taken"),
            EventKind::LockAgain => format!("locks {name} (again)"),
            EventKind::Unlock => format!("unlocks {name}"),
            EventKind::KeepLocked => format!("unlocks {name} (still locked)"),
            EventKind::Wait => format!("waits on {name}"),
            EventKind::Signal => format!("signals {name}"),
            EventKind::Broadcast => format!("broadcasts {name}"),
            EventKind::Take => format!("takes {name}{now}"),
            EventKind::Post => format!("posts {name}{now}"),
            EventKind::Arrive => format!("arrives at {name}"),
            EventKind::Pass => format!("passes {name}"),
            EventKind::Begin => format!("begins {name}"),
            EventKind::Complete => format!("completes {name}"),
            EventKind::FindBegun => format!("finds {name} begun"),
            EventKind::FindComplete => format!("finds {name} complete"),
            EventKind::FailSpuriously => format!("spuriously fails to exchange {name}"),
            EventKind::Initialise => format!("initialises {name}{now}"),
            EventKind::Allocate => format!("allocates {name}"),
            EventKind::Free => format!("frees {name}"),
            EventKind::End => format!("the lifetime of {name} ends"),
            EventKind::Start => match &self.value {
                Some(call) => format!("starts {name}: {call}"),
                None => format!("starts {name}"),
            },
            EventKind::Join => format!("joins {name}"),
            EventKind::Stand => "races with the access that fails".to_owned(),
            EventKind::GiveUp => "waits for ever".to_owned(),
            EventKind::Miss => match &self.value {
                Some(why) => format!("reaches {name}, {why}"),
                None => format!("reaches {name}"),
            },
            EventKind::Leak => match &self.value {
                Some(origin) => format!("{name}, which {origin}, is not freed"),
                None => format!("{name} is not freed"),
            },
            EventKind::Fail => "fails".to_owned(),
        };
        if self.uninitialised { format!("{words} (uninitialised)") } else { words }
    }
}
