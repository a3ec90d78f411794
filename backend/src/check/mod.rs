//! engines
mod cover;
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
