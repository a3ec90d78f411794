//! Configurations of few threads over BDDs, of programs with any number of threads: what pairs of
//! threads can be seen doing ([`pairs`]), and a search backwards from the failing configurations
//! ([`backward`]) within that.
//!
//! # What there is
//! Threads that are named have a copy of the locals each, a *slot*; where they stand is known. Slot
//! 0 is for the thread inside its atomic section, or for the one that is about to move; threads
//! outside have the slots from 1 on. A set is one BDD over the shared variables and the slots of
//! who is named; dead locals are left free.
//! * A *view* ([`pairs::View`]) names one or two threads outside, and the one inside if there is
//!   one. What is kept of it over-approximates what can be seen of such threads, whatever others
//!   there are.
//! * A *minimal element* ([`backward::Element`]) names a multiset of locations. It stands for all
//!   configurations with these threads, and any others outside atomic sections, from which a
//!   failing one can be reached.
//!
//! Both are kept when the searches have ended, and are what a proof rests on: no initial
//! configuration is above a minimal element.
//!
//! [`slots`] has the variables, and steps of a thread in one slot among threads in others.

pub(crate) mod backward;
pub(crate) mod pairs;
pub(crate) mod slots;
#[cfg(test)]
mod tests;
