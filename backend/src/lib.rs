//! (being written)
mod check;
