//! Runs of the interpreter with one choice at a time, for tests.

use sapa_ir::goto::interpret::{Inputs, Request};

/// One choice, and whether it was asked for.
pub(super) struct Choice {
    pub value: u128,
    pub is_asked: bool,
}

impl Inputs for Choice {
    fn choose(&mut self, _: u32, request: Request, _: u16) -> u128 {
        self.is_asked |= request == Request::Nondet;
        self.value
    }
}
