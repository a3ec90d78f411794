//! A run whose values are terms, with numbers: it is made again with what it took each time that it divided, all that holds
//! of its terms is collected, and their variables are given values that fulfil it.

use std::cell::{RefCell, RefMut};

use super::machine::{Inputs, Machine, Outcome, Request};
use super::replay::{Failure, Move};
use super::terms::{Data, Path, Term, Variable};
use crate::goto::module::Module;

/// What is chosen in a run.
#[derive(Clone, Copy)]
enum Choice {
    Number(u128),
    /// One of the variables, by its position.
    Variable(usize),
}

/// Chooses what was chosen, but each variable is another one.
struct Retraced<'d> {
    data: &'d RefCell<dyn Data>,
    variables: Vec<Variable>,
    /// What was chosen, and taken where a run divides; a term is a choice that was a variable.
    taken: std::slice::Iter<'d, u128>,
    /// The choices of the move.
    choices: Vec<Choice>,
}

impl Inputs for Retraced<'_> {
    fn choose(&mut self, thread: u32, request: Request, bits: u16) -> u128 {
        self.choose_term(thread, request, bits, &[])
    }

    fn choose_term(&mut self, thread: u32, _: Request, bits: u16, _: &[Term]) -> u128 {
        match self.taken.next() {
            Some(&value) if Term::of(value).is_none() => {
                self.choices.push(Choice::Number(value));
                value
            }
            _ => {
                let number = self.variables.len();
                let variable =
                    Variable { thread, number: u32::try_from(number).unwrap_or(u32::MAX), bits };
                self.variables.push(variable);
                self.choices.push(Choice::Variable(number));
                self.data.borrow_mut().variable(variable).value()
            }
        }
    }

    fn data(&mut self) -> Option<RefMut<'_, dyn Data + 'static>> {
        let data: &RefCell<dyn Data> = self.data;
        Some(data.borrow_mut())
    }

    fn value_of(&mut self, _: &Path, _: Term, _: u16) -> Option<u128> {
        self.taken.next().copied()
    }
}

/// A failing run with numbers, of one with terms; `None` if none were found.
pub(super) fn retrace(
    module: &Module,
    threads: Option<u32>,
    failure: &Failure,
    data: &RefCell<dyn Data>,
) -> Option<Failure> {
    let mut inputs = Retraced {
        data,
        variables: Vec::new(),
        taken: failure.parameters.iter(),
        choices: Vec::new(),
    };
    let mut machine = Machine::new(module, failure.memory, threads, &mut inputs)?;
    let parameters = std::mem::take(&mut inputs.choices);
    let mut chosen = Vec::new();
    for step in &failure.moves {
        let Move::Act { thread, instructions, choices } = step else { return None };
        inputs.taken = choices.iter();
        for _ in 0..*instructions {
            machine.find_numbers(*thread, &mut inputs).ok()?;
            match machine.step(*thread, &mut inputs) {
                Outcome::Continued(_)
                | Outcome::Started(_)
                | Outcome::ThreadEnded
                | Outcome::AssertionFailed { .. } => {}
                _ => return None,
            }
        }
        chosen.push(std::mem::take(&mut inputs.choices));
        // What it comes to after its last instruction, before it has to wait.
        if inputs.taken.len() > 0 {
            machine.find_numbers(*thread, &mut inputs).ok()?;
        }
    }
    let path = machine.path()?.clone();
    let values = data.borrow_mut().model(&path, &inputs.variables)?;
    let numbers = |choices: &[Choice]| -> Option<Vec<u128>> {
        let number = |&choice: &Choice| match choice {
            Choice::Number(number) => Some(number),
            Choice::Variable(at) => values.get(at).copied(),
        };
        choices.iter().map(number).collect()
    };
    let moves = failure.moves.iter().zip(&chosen).map(|(step, choices)| {
        let choices = numbers(choices)?;
        let (thread, instructions) = (step.thread(), step.instructions());
        Some(Move::Act { thread, instructions, choices })
    });
    Some(Failure {
        parameters: numbers(&parameters)?,
        moves: moves.collect::<Option<_>>()?,
        ..failure.clone()
    })
}
