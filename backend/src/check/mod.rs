//! engines
mod cover;
mod flat_threads;
mod encode;
mod enlarge;
mod expand;
mod layout;
mod marking;
mod named_run;
mod rings;
#[cfg(test)]
mod table_system;
mod thread_states;
mod thread_system;
mod valuation;
