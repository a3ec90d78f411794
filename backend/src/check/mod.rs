//! engines
mod enlarge;
mod expand;
mod marking;
#[cfg(test)]
mod table_system;
mod thread_states;
mod thread_system;
