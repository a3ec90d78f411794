//! Names of operations that passes add, and that [`Location::operation`](super::Location::operation)
//! then holds. (Those of the source are library functions, which the frontend names, and the
//! [mnemonics](super::mnemonic) of what they do to synchronisation objects.)

/// What a thread does when it ends, for others to know that it has.
pub const THREAD_END: &str = "thread_end";

/// Waiting for what a thread says in its end.
pub const THREAD_JOIN: &str = "thread_join";

/// A record that a pass keeps of what a program does, for assertions; addresses in it are told apart, and nothing else
/// is done with them.
pub const RECORD: &str = "record";

/// The allocation of an array of variable length, which ends with the call, as what `alloca` returns does.
pub const AUTOMATIC: &str = "alloca";

/// How the operation begins that allocates an object which stands for a local of the source: the local's name follows,
/// and [`LOCAL_END`].
pub const LOCAL: &str = "local `";

/// How it ends. (So that it is taken for no other operation, whatever the local is called.)
pub const LOCAL_END: &str = "`";

/// How the names of the functions begin that map memory, which is unmapped and not freed.
pub const MAP: &str = "mmap";

/// How the names of slots end that hold where an array of variable length lies.
pub const ADDRESS_OF_ARRAY: &str = "#address";

/// That the block is left which declares a local: its contents are any from here on, and its lifetime has ended. Only
/// whoever looks for uses of what has ended makes something of that.
pub const END_OF_SCOPE: &str = "end of scope";

/// That a jump goes on elsewhere, within the blocks that declare locals or out of them: where these end then is not said.
pub const JUMP: &str = "jump";

/// An allocation that says no more of its origin.
pub const ALLOCATE: &str = "allocate";
