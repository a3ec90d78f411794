//! NuSMV: one module with all threads, and an invariant that no assertion can fail.
//!
//! Each thread has a slot with a program counter, which is 0 where there is no thread, and its
//! locals. Slot 0 is the initial thread's. The transition relation is a disjunction of the
//! statements of all slots; when nothing else can move, everything stays.

use std::fmt::Write;

use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, Initial, LocationId, VariableRef,
};

use super::EmitError;
use super::formula::{Operators, Speller};
use super::names::legend;

static SMV: Operators =
    Operators { and: "&", or: "|", xor: "xor", then: "?", constants: ["FALSE", "TRUE"] };

/// About what it takes to say that a variable keeps its value.
const EQUATION: usize = 18;

struct Writer<'p> {
    program: &'p FlatProgram,
    slots: usize,
    steps: Vec<String>,
    speller: Speller,
}

/// The program for `threads` threads besides the initial one.
///
/// # Errors
/// If there is no bound on threads, or the text would be too long.
pub fn emit(program: &FlatProgram, threads: Option<u32>) -> Result<String, EmitError> {
    let slots = threads.ok_or(EmitError::Unbounded)? as usize + 1;
    let mut writer = Writer { program, slots, steps: Vec::new(), speller: Speller::new(&SMV) };
    // A name and its equation for every variable in every step.
    let names = (program.locals.len() + 1).saturating_mul(slots) + program.shared.len();
    let steps = program.iter().map(|(_, location)| match &location.statement {
        FlatStatement::StartThread { .. } => slots.saturating_mul(slots),
        FlatStatement::Goto { targets } => slots.saturating_mul(targets.len()),
        _ => slots,
    });
    let steps = steps.fold(1, usize::saturating_add);
    writer.speller.spend(steps.saturating_mul(names).saturating_mul(EQUATION))?;
    let mut text = legend(program, "--");
    text.push_str("MODULE main\nVAR\n");
    // Writing to a string does not fail.
    let _ = writer.variables(&mut text);
    for invariant in writer.invariants()? {
        let _ = writeln!(text, "INVAR {invariant};");
    }
    writer.all_steps()?;
    text.push_str("TRANS\n  ");
    text.push_str(&writer.steps.join("\n| "));
    let _ = writeln!(text, "\n| ({})", writer.frame(&[]));
    let _ = writeln!(text, "INVARSPEC !({});", writer.bad()?);
    Ok(text)
}

impl Writer<'_> {
    fn variables(&self, text: &mut String) -> std::fmt::Result {
        for v in 0..self.program.shared.len() {
            writeln!(text, "  s{v} : boolean;")?;
        }
        writeln!(text, "  holder : 0..{};", self.slots)?;
        for slot in 0..self.slots {
            writeln!(text, "  pc{slot} : 0..{};", self.program.locations.len())?;
            for v in 0..self.program.locals.len() {
                writeln!(text, "  l{v}_{slot} : boolean;")?;
            }
        }
        writeln!(text, "INIT holder = {};", self.slots)?;
        for slot in 0..self.slots {
            let pc = if slot == 0 { self.program.entry.index() + 1 } else { 0 };
            writeln!(text, "INIT pc{slot} = {pc};")?;
        }
        let mut initial = |name: String, initial: Initial| match initial {
            Initial::Zero => writeln!(text, "INIT {name} = FALSE;"),
            Initial::One => writeln!(text, "INIT {name} = TRUE;"),
            Initial::Nondet => Ok(()),
        };
        for (v, variable) in self.program.shared.iter().enumerate() {
            initial(format!("s{v}"), variable.initial)?;
        }
        for (v, variable) in self.program.locals.iter().enumerate() {
            initial(format!("l{v}_0"), variable.initial)?;
            (1..self.slots).try_for_each(|slot| initial(format!("l{v}_{slot}"), Initial::Zero))?;
        }
        Ok(())
    }

    /// What invariants say of the threads that there are.
    fn invariants(&self) -> Result<Vec<String>, EmitError> {
        let nothing = Assignment::default();
        let mut found = Vec::new();
        for invariant in &self.program.invariants {
            let condition = &invariant.condition;
            let is_between = condition.mentions_passive();
            for one in 0..self.slots {
                for other in (0..self.slots).filter(|&other| (other != one) == is_between) {
                    let holds = self.value(condition, true, one, other, &nothing)?;
                    found.push(format!("pc{one} = 0 | pc{other} = 0 | ({holds})"));
                }
            }
        }
        Ok(found)
    }

    /// All variables' names.
    fn all(&self) -> Vec<String> {
        let shared = (0..self.program.shared.len()).map(|v| format!("s{v}"));
        let slots = (0..self.slots).flat_map(|slot| {
            let locals = (0..self.program.locals.len()).map(move |v| format!("l{v}_{slot}"));
            std::iter::once(format!("pc{slot}")).chain(locals)
        });
        shared.chain(std::iter::once("holder".to_owned())).chain(slots).collect()
    }

    /// That all variables but these keep their values.
    fn frame(&self, written: &[String]) -> String {
        let kept = self.all().into_iter().filter(|name| !written.contains(name));
        let kept: Vec<String> = kept.map(|name| format!("next({name}) = {name}")).collect();
        if kept.is_empty() { "TRUE".to_owned() } else { kept.join(" & ") }
    }

    fn value(
        &self,
        e: &FlatExpr,
        one: bool,
        active: usize,
        passive: usize,
        written: &Assignment,
    ) -> Result<String, EmitError> {
        self.speller.can_be(e, one, &|variable| name(variable, active, passive, written))
    }

    fn step(
        &mut self,
        slot: usize,
        at: LocationId,
        effects: &[(String, String)],
        conditions: &[String],
    ) {
        let mut parts = vec![
            format!("pc{slot} = {}", at.index() + 1),
            format!("(holder = {} | holder = {slot})", self.slots),
        ];
        parts.extend_from_slice(conditions);
        parts.extend(effects.iter().map(|(name, value)| format!("next({name}) = {value}")));
        let written: Vec<String> = effects.iter().map(|(name, _)| name.clone()).collect();
        parts.push(self.frame(&written));
        self.steps.push(format!("({})", parts.join(" & ")));
    }

    fn all_steps(&mut self) -> Result<(), EmitError> {
        for (at, location) in self.program.iter() {
            for slot in 0..self.slots {
                self.statement(slot, at, &location.statement)?;
            }
        }
        Ok(())
    }

    fn statement(
        &mut self,
        slot: usize,
        at: LocationId,
        statement: &FlatStatement,
    ) -> Result<(), EmitError> {
        let to = |next: &LocationId| (format!("pc{slot}"), (next.index() + 1).to_string());
        let none = Assignment::default();
        match statement {
            FlatStatement::Skip { next } | FlatStatement::Assert { next, .. } => {
                self.step(slot, at, &[to(next)], &[]);
            }
            FlatStatement::Goto { targets } => {
                targets.iter().for_each(|next| self.step(slot, at, &[to(next)], &[]));
            }
            FlatStatement::Assume { condition, next } => {
                let condition = self.value(condition, true, slot, slot, &none)?;
                self.step(slot, at, &[to(next)], &[condition]);
            }
            FlatStatement::AtomicBegin { next } => {
                let enter = ("holder".to_owned(), slot.to_string());
                self.step(slot, at, &[to(next), enter], &[]);
            }
            FlatStatement::AtomicEnd { next } => {
                let leave = ("holder".to_owned(), self.slots.to_string());
                self.step(slot, at, &[to(next), leave], &[]);
            }
            FlatStatement::EndThread => {
                let mut effects = vec![
                    (format!("pc{slot}"), "0".to_owned()),
                    ("holder".to_owned(), self.slots.to_string()),
                ];
                let locals = 0..self.program.locals.len();
                effects.extend(locals.map(|v| (format!("l{v}_{slot}"), "FALSE".to_owned())));
                self.step(slot, at, &effects, &[]);
            }
            FlatStatement::Lock { variable, next } => {
                let name = format!("s{}", variable.index());
                let free = format!("!{name}");
                self.step(slot, at, &[to(next), (name, "TRUE".to_owned())], &[free]);
            }
            FlatStatement::Unlock { variable, next } => {
                let name = format!("s{}", variable.index());
                self.step(slot, at, &[to(next), (name, "FALSE".to_owned())], &[]);
            }
            FlatStatement::StartThread { entry, next, waits } => {
                // The first free slot; which one makes no difference.
                let mut taken: Vec<String> = Vec::new();
                for child in (1..self.slots).filter(|&child| child != slot) {
                    let mut conditions = taken.clone();
                    conditions.push(format!("pc{child} = 0"));
                    let mut effects =
                        vec![to(next), (format!("pc{child}"), (entry.index() + 1).to_string())];
                    effects.extend(
                        (0..self.program.locals.len())
                            .map(|v| (format!("l{v}_{child}"), format!("l{v}_{slot}"))),
                    );
                    self.step(slot, at, &effects, &conditions);
                    taken.push(format!("pc{child} != 0"));
                }
                if !waits {
                    self.step(slot, at, &[to(next)], &taken);
                }
            }
            FlatStatement::Assign { assignment, next } => {
                self.assign(slot, at, assignment, to(next))?;
            }
        }
        Ok(())
    }

    fn assign(
        &mut self,
        slot: usize,
        at: LocationId,
        assignment: &Assignment,
        to: (String, String),
    ) -> Result<(), EmitError> {
        let mut written = vec![to.0.clone()];
        let mut conditions = vec![format!("next({}) = {}", to.0, to.1)];
        let can =
            |this: &Self, name: &str, value: &FlatExpr, passive: usize| -> Result<_, EmitError> {
                let one = this.value(value, true, slot, passive, assignment)?;
                let zero = this.value(value, false, slot, passive, assignment)?;
                Ok(format!("((next({name}) & {one}) | (!next({name}) & {zero}))"))
            };
        for (target, value) in &assignment.shared {
            let name = format!("s{}", target.index());
            conditions.push(can(self, &name, value, slot)?);
            written.push(name);
        }
        for (target, value) in &assignment.local {
            let name = format!("l{}_{slot}", target.index());
            conditions.push(can(self, &name, value, slot)?);
            written.push(name);
        }
        if let Some(constraint) = &assignment.constraint {
            conditions.push(self.value(constraint, true, slot, slot, assignment)?);
        }
        if assignment.involves_passive() {
            for passive in (0..self.slots).filter(|&passive| passive != slot) {
                let mut reacts = Vec::new();
                let mut stays = Vec::new();
                for (target, value) in &assignment.broadcast {
                    let name = format!("l{}_{passive}", target.index());
                    reacts.push(can(self, &name, value, passive)?);
                    stays.push(format!("next({name}) = {name}"));
                    written.push(name);
                }
                if let Some(constraint) = &assignment.passive_constraint {
                    reacts.push(self.value(constraint, true, slot, passive, assignment)?);
                }
                let all = |parts: Vec<String>| {
                    if parts.is_empty() { "TRUE".to_owned() } else { parts.join(" & ") }
                };
                conditions.push(format!(
                    "((pc{passive} = 0 & {}) | (pc{passive} != 0 & {}))",
                    all(stays),
                    all(reacts)
                ));
            }
        }
        let mut parts = vec![
            format!("pc{slot} = {}", at.index() + 1),
            format!("(holder = {} | holder = {slot})", self.slots),
        ];
        parts.extend(conditions);
        parts.push(self.frame(&written));
        self.steps.push(format!("({})", parts.join(" & ")));
        Ok(())
    }

    /// That some thread that may move is at an assertion that can fail.
    fn bad(&self) -> Result<String, EmitError> {
        let none = Assignment::default();
        let mut bad = vec!["FALSE".to_owned()];
        for (at, location) in self.program.iter() {
            let FlatStatement::Assert { condition, .. } = &location.statement else { continue };
            for slot in 0..self.slots {
                let fails = self.value(condition, false, slot, slot, &none)?;
                bad.push(format!(
                    "(pc{slot} = {} & (holder = {} | holder = {slot}) & {fails})",
                    at.index() + 1,
                    self.slots
                ));
            }
        }
        Ok(bad.join(" | "))
    }
}

/// A variable's name; next values of what is not written are the current ones.
fn name(variable: VariableRef, active: usize, passive: usize, written: &Assignment) -> String {
    let next = |name: String, written: bool| if written { format!("next({name})") } else { name };
    match variable {
        VariableRef::Shared(v) => format!("s{}", v.index()),
        VariableRef::Local(v) => format!("l{}_{active}", v.index()),
        VariableRef::Passive(v) => format!("l{}_{passive}", v.index()),
        VariableRef::NextShared(v) => {
            next(format!("s{}", v.index()), written.shared.iter().any(|(target, _)| *target == v))
        }
        VariableRef::NextLocal(v) => {
            let is_written = written.local.iter().any(|(target, _)| *target == v);
            next(format!("l{}_{active}", v.index()), is_written)
        }
        VariableRef::NextPassive(v) => {
            let is_written = written.broadcast.iter().any(|(target, _)| *target == v);
            next(format!("l{}_{passive}", v.index()), is_written)
        }
    }
}
