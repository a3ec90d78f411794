//! Which of a thread's own objects other threads may come to, on its stack or local to it: those whose
//! address is used for more than accesses.

use crate::goto::entity::{FunctionId, GlobalId, SlotId, ValueId};
use crate::goto::function::Function;
use crate::goto::instruction::{Op, Operand, TerminatorKind};
use crate::goto::module::{Initializer, Module};

/// By function: the stack objects and the values whose address or pointer is used for more than
/// accesses, arithmetic and comparisons, for calls that do no more with it, and for being held by
/// another stack object that is only stored to and loaded from. A pointer that is stored elsewhere,
/// returned to who does more with it, or given to a thread is.
#[derive(Clone, Debug, Default)]
pub struct Escaping {
    functions: Vec<Found>,
    /// By global, whether its address is used so.
    globals: Vec<bool>,
}

#[derive(Clone, Debug, Default)]
struct Found {
    slots: Vec<bool>,
    /// By stack object, whether what it holds escapes.
    held: Vec<bool>,
    values: Vec<bool>,
    /// Whether what it returns escapes.
    result: bool,
}

impl Escaping {
    /// The least set that the uses of addresses ask for.
    #[must_use]
    pub fn of(module: &Module) -> Self {
        let found = |function: &Function| Found {
            slots: vec![false; function.slots.len()],
            held: vec![false; function.slots.len()],
            values: vec![false; function.values.len()],
            result: false,
        };
        let functions = module.functions.iter().map(found).collect();
        let mut escaping = Self { functions, globals: vec![false; module.globals.len()] };
        module.globals.iter().for_each(|global| escaping.add_named(&global.initializer));
        // From uses back to what they use, until nothing is added.
        let mut found = true;
        while std::mem::take(&mut found) {
            for (id, function) in module.functions() {
                found |= escaping.look(module, id, function);
            }
        }
        escaping
    }

    /// Adds the objects that initial contents point to.
    fn add_named(&mut self, initializer: &Initializer) {
        match initializer {
            Initializer::Global(global, _) => drop(self.add_global(*global)),
            Initializer::Function(function) => drop(self.add_result(*function)),
            Initializer::Aggregate(items) => items.iter().for_each(|item| self.add_named(item)),
            _ => {}
        }
    }

    fn add_global(&mut self, global: GlobalId) -> bool {
        let entry = self.globals.get_mut(global.index());
        entry.is_some_and(|entry| !std::mem::replace(entry, true))
    }

    fn add_result(&mut self, function: FunctionId) -> bool {
        let found = self.functions.get_mut(function.index());
        found.is_some_and(|found| !std::mem::replace(&mut found.result, true))
    }

    /// Whether a store to a global may wait in a buffer: others see when it reaches memory.
    #[must_use]
    pub fn is_buffered(&self, module: &Module, global: GlobalId) -> bool {
        let escapes = self.globals.get(global.index()).copied().unwrap_or(true);
        let data = module.globals.get(global.index());
        data.is_some_and(|data| data.is_buffered() && (!data.thread_local || escapes))
    }

    /// Whether others may come to a stack object of a function.
    pub(super) fn slot(&self, function: FunctionId, slot: SlotId) -> bool {
        let found = self.functions.get(function.index());
        found.and_then(|found| found.slots.get(slot.index())).copied().unwrap_or(true)
    }

    fn value(&self, function: FunctionId, value: ValueId) -> bool {
        let found = self.functions.get(function.index());
        found.and_then(|found| found.values.get(value.index())).copied().unwrap_or(true)
    }

    /// Adds an operand; whether it is new.
    fn add(&mut self, function: FunctionId, operand: Operand) -> bool {
        match operand {
            Operand::Global(global) => return self.add_global(global),
            Operand::Function(named) => return self.add_result(named),
            _ => {}
        }
        let Some(found) = self.functions.get_mut(function.index()) else { return false };
        let entry = match operand {
            Operand::Value(value) => found.values.get_mut(value.index()),
            Operand::Slot(slot) => found.slots.get_mut(slot.index()),
            _ => None,
        };
        entry.is_some_and(|entry| !std::mem::replace(entry, true))
    }

    fn result(&self, function: FunctionId) -> bool {
        self.functions.get(function.index()).is_none_or(|found| found.result)
    }

    fn held(&self, function: FunctionId, slot: SlotId) -> bool {
        let found = self.functions.get(function.index());
        found.and_then(|found| found.held.get(slot.index())).copied().unwrap_or(true)
    }

    /// Lets what a stack object holds escape; whether that is new.
    fn add_held(&mut self, function: FunctionId, operand: Operand) -> bool {
        let Operand::Slot(slot) = operand else { return false };
        let found = self.functions.get_mut(function.index());
        let entry = found.and_then(|found| found.held.get_mut(slot.index()));
        entry.is_some_and(|entry| !std::mem::replace(entry, true))
    }

    /// Adds what a function's uses ask for; whether there is anything new.
    fn look(&mut self, module: &Module, id: FunctionId, function: &Function) -> bool {
        let mut escapes: Vec<Operand> = Vec::new();
        // Stack objects of which it is not followed where what they hold goes.
        let mut shown: Vec<Operand> = Vec::new();
        for instruction in function.instructions() {
            // Whether the result, which points into the same object, escapes.
            let goes_on = instruction.result.is_some_and(|result| self.value(id, result));
            match &instruction.op {
                Op::Store { address: Operand::Slot(slot), value, .. } => {
                    escapes.extend(self.held(id, *slot).then_some(*value));
                    shown.push(*value);
                }
                Op::Store { value, .. } => {
                    escapes.push(*value);
                    shown.push(*value);
                }
                Op::Load { address: Operand::Slot(slot), .. } => {
                    shown.extend(goes_on.then_some(Operand::Slot(*slot)));
                }
                Op::Copy { a } => escapes.extend(goes_on.then_some(*a)),
                Op::FieldAddress { base, .. } | Op::IndexAddress { base, .. } => {
                    escapes.extend(goes_on.then_some(*base));
                }
                Op::Select { a, b, .. } => {
                    escapes.extend([*a, *b].into_iter().filter(|_| goes_on));
                }
                Op::Call { callee, arguments } => {
                    let called = match callee {
                        Operand::Function(called) => Some(*called),
                        _ => None,
                    };
                    // What a pointer may call, its address was taken of.
                    escapes.extend(goes_on.then_some(*callee));
                    for (index, argument) in arguments.iter().enumerate() {
                        if self.passes_on(module, called, index) {
                            escapes.push(*argument);
                        }
                    }
                }
                Op::Load { .. }
                | Op::CopyMemory { .. }
                | Op::HavocMemory { .. }
                | Op::Free { .. }
                | Op::ObjectSize { .. }
                | Op::Accessible { .. }
                | Op::Compare { .. } => {}
                op => op.for_each_operand(|operand| escapes.push(operand)),
            }
        }
        for block in &function.blocks {
            match &block.terminator.kind {
                TerminatorKind::Return(Some(value)) if self.result(id) => escapes.push(*value),
                TerminatorKind::EndThread(Some(value)) => escapes.push(*value),
                _ => {}
            }
            block.terminator.kind.for_each_target(|target| {
                let parameters = &function.block(target.block).parameters;
                let pairs = parameters.iter().zip(&target.arguments);
                let escaping = pairs.filter(|(parameter, _)| self.value(id, **parameter));
                escapes.extend(escaping.map(|(_, argument)| *argument));
            });
        }
        for instruction in function.instructions() {
            let is_access = matches!(
                instruction.op,
                Op::Load { .. } | Op::Store { .. } | Op::HavocMemory { .. }
            );
            if !is_access {
                instruction.op.for_each_operand(|operand| shown.push(operand));
            }
        }
        function.blocks.iter().for_each(|b| b.terminator.kind.for_each_operand(|o| shown.push(o)));
        let mut found = false;
        for operand in escapes {
            found |= self.add(id, operand);
        }
        for operand in shown {
            found |= self.add_held(id, operand);
        }
        found
    }

    /// Whether a function that is called uses an argument for more than accesses.
    fn passes_on(&self, module: &Module, called: Option<FunctionId>, index: usize) -> bool {
        let Some(id) = called else { return true };
        let function = module.functions.get(id.index()).filter(|f| f.is_defined());
        let parameters = function.map(|function| &function.block(Function::ENTRY).parameters);
        parameters.is_some_and(|parameters| match parameters.get(index) {
            Some(parameter) => self.value(id, *parameter),
            None => true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goto::{parse, verify};

    /// Whether the object `s` of `main` escapes.
    fn escapes(code: &str) -> bool {
        let text = format!(
            "gir 1 struct s size 8 align 4 {{ a: i32 at 0 b: i32 at 4 }} global $p: ptr = zero
             define @reads(ptr) -> i32 {{ bb0(%0: ptr): %1: ptr = index i32, %0, 1i64
               %2: i32 = load %1 return %2 }}
             define @keeps(ptr) {{ bb0(%0: ptr): store ptr, $p, %0 return }}
             define @calls(ptr) {{ bb0(%0: ptr): call @keeps(%0) return }}
             define @same(ptr) -> ptr {{ bb0(%0: ptr): return %0 }}
             define @main() {{ slot &s: struct s slot &q: ptr bb0: {code} return }} entry @main"
        );
        let module = parse(&text, "t.gir").expect("it is well-formed");
        assert_eq!(verify(&module), Ok(()));
        let main = module.entry.expect("there is one");
        Escaping::of(&module).slot(main, SlotId(0))
    }

    #[test]
    fn accesses_keep_an_object_with_its_thread() {
        for code in [
            "",
            "%0: ptr = field struct s.b, &s store i32, %0, 1i32",
            "havoc struct s, &s %0: i32 = load &s",
            "%0: i32 = call @reads(&s)",
            "jump bb1(&s) bb1(%0: ptr): %1: i32 = load %0",
            "%0: i1 = eq &s, null",
            "%0: ptr = call @same(&s) store i32, %0, 1i32",
            "store ptr, &q, &s %0: ptr = load &q store i32, %0, 1i32",
        ] {
            assert!(!escapes(code), "{code}");
        }
    }

    #[test]
    fn what_is_local_to_threads_is_seen_by_others_if_its_address_is_given_away() {
        let is_buffered = |code: &str| {
            let text = format!(
                "gir 1 global thread_local $t: i32 = zero global $p: ptr = zero
                 define @own() -> ptr {{ bb0: return $t }}
                 define @main() {{ bb0: {code} return }} entry @main"
            );
            let module = parse(&text, "t.gir").expect("it is well-formed");
            assert_eq!(verify(&module), Ok(()));
            Escaping::of(&module).is_buffered(&module, GlobalId(0))
        };
        for code in ["store i32, $t, 1i32", "%0: ptr = call @own() store i32, %0, 1i32"] {
            assert!(!is_buffered(code), "{code}");
        }
        for code in ["store ptr, $p, $t", "%0: ptr = call @own() store ptr, $p, %0"] {
            assert!(is_buffered(code), "{code}");
        }
        assert!(is_buffered("%0: i64 = spawn @own()"));
    }

    #[test]
    fn other_uses_do_not() {
        for code in [
            "store ptr, $p, &s",
            "%0: ptr = field struct s.b, &s store ptr, $p, %0",
            "call @calls(&s)",
            "spawn @keeps(&s)",
            "store ptr, &q, &s %0: ptr = load &q spawn @keeps(%0)",
            "store ptr, &q, &s %0: i32 = call @reads(&q)",
            "%0: ptr = call @same(&s) store ptr, $p, %0",
            "%0: ptr = copy @same %1: ptr = call %0(&s) store ptr, $p, %1",
            "%0: i64 = spawn @same(&s)",
            "%0: i64 = ptrtoint &s",
            "jump bb1(&s) bb1(%0: ptr): call @keeps(%0)",
        ] {
            assert!(escapes(code), "{code}");
        }
    }
}
