//! Leaving out of a module what its entry does not reach: what headers declare, mostly.

use super::entity::{FileId, FunctionId, GlobalId, NameId, StructId};
use super::function::Function;
use super::instruction::{Op, Operand};
use super::module::{Global, Initializer, Module};
use super::predicate::Expression;
use super::source::Location;
use super::types::Type;

/// A mention of something that a module has a table of.
enum Mention<'a> {
    Function(&'a mut FunctionId),
    Global(&'a mut GlobalId),
    Struct(&'a mut StructId),
    File(&'a mut FileId),
    Name(&'a mut NameId),
}

/// Which entries of a table are kept, and what they become.
struct Table {
    kept: Vec<bool>,
    pending: Vec<usize>,
}

impl Table {
    fn new(length: usize) -> Self {
        Self { kept: vec![false; length], pending: Vec::new() }
    }

    fn reach(&mut self, index: usize) {
        if let Some(kept) = self.kept.get_mut(index)
            && !std::mem::replace(kept, true)
        {
            self.pending.push(index);
        }
    }

    /// Drops what is not kept; the new index of each entry, 0 for those that went.
    fn compact<T>(&self, entries: &mut Vec<T>) -> Vec<usize> {
        let mut kept = self.kept.iter();
        entries.retain(|_| kept.next().copied().unwrap_or(true));
        let mut next = 0;
        self.kept
            .iter()
            .map(|kept| {
                let index = if *kept { next } else { 0 };
                next += usize::from(*kept);
                index
            })
            .collect()
    }
}

struct Reached {
    functions: Table,
    globals: Table,
    structs: Table,
    files: Table,
    names: Table,
}

impl Reached {
    fn mention(&mut self, mention: &Mention<'_>) {
        match mention {
            Mention::Function(id) => self.functions.reach(id.index()),
            Mention::Global(id) => self.globals.reach(id.index()),
            Mention::Struct(id) => self.structs.reach(id.index()),
            Mention::File(id) => self.files.reach(id.index()),
            Mention::Name(id) => self.names.reach(id.index()),
        }
    }
}

impl Module {
    /// Leaves out the functions, globals, structures, files and names that neither the entry nor
    /// the vocabulary reaches, and numbers the others anew, in their order. A module without an
    /// entry stays as it is.
    ///
    /// A function or a global is reached if one that is reached mentions it, in code or in its
    /// initial contents; so a pointer that was made of one still points to it.
    pub fn prune(&mut self) {
        let Some(entry) = self.entry else { return };
        let mut reached = Reached {
            functions: Table::new(self.functions.len()),
            globals: Table::new(self.globals.len()),
            structs: Table::new(self.structs.len()),
            files: Table::new(self.files.len()),
            names: Table::new(self.names.len()),
        };
        reached.functions.reach(entry.index());
        let mut predicates: Vec<_> = self.predicates.iter().map(|p| p.expression.clone()).collect();
        for predicate in &mut predicates {
            in_expression(predicate, &mut |mention| reached.mention(&mention));
        }
        loop {
            // One traversal serves reading and rewriting.
            if let Some(index) = reached.functions.pending.pop() {
                let mut function = self.functions[index].clone();
                in_function(&mut function, &mut |mention| reached.mention(&mention));
                let facts = self.invariants.iter().filter(|fact| fact.function.index() == index);
                for mut expression in facts.map(|fact| fact.expression.clone()) {
                    in_expression(&mut expression, &mut |mention| reached.mention(&mention));
                }
            } else if let Some(index) = reached.globals.pending.pop() {
                let mut global = self.globals[index].clone();
                in_global(&mut global, &mut |mention| {
                    // A global stands in no function, whatever its location says.
                    if !matches!(mention, Mention::Name(_)) {
                        reached.mention(&mention);
                    }
                });
            } else if let Some(index) = reached.structs.pending.pop() {
                for field in &mut self.structs[index].fields.clone() {
                    in_type(&mut field.ty, &mut |mention| reached.mention(&mention));
                }
            } else {
                break;
            }
        }
        self.keep(&reached);
    }

    fn keep(&mut self, reached: &Reached) {
        let is_kept = |function: FunctionId| reached.functions.kept.get(function.index());
        self.invariants.retain(|fact| is_kept(fact.function) == Some(&true));
        let functions = reached.functions.compact(&mut self.functions);
        let globals = reached.globals.compact(&mut self.globals);
        let structs = reached.structs.compact(&mut self.structs);
        let files = reached.files.compact(&mut self.files);
        let names = reached.names.compact(&mut self.names);
        // Unknown places name entries that need not exist.
        let of = |table: &[usize], index: usize| table.get(index).copied().unwrap_or(0);
        let mut rename = |mention: Mention<'_>| match mention {
            Mention::Function(id) => *id = FunctionId::new(of(&functions, id.index())),
            Mention::Global(id) => *id = GlobalId::new(of(&globals, id.index())),
            Mention::Struct(id) => *id = StructId::new(of(&structs, id.index())),
            Mention::File(id) => *id = FileId::new(of(&files, id.index())),
            Mention::Name(id) => *id = NameId::new(of(&names, id.index())),
        };
        for function in &mut self.functions {
            in_function(function, &mut rename);
        }
        for global in &mut self.globals {
            in_global(global, &mut rename);
        }
        for field in self.structs.iter_mut().flat_map(|structure| &mut structure.fields) {
            in_type(&mut field.ty, &mut rename);
        }
        for predicate in &mut self.predicates {
            in_expression(&mut predicate.expression, &mut rename);
        }
        for fact in &mut self.invariants {
            rename(Mention::Function(&mut fact.function));
            in_expression(&mut fact.expression, &mut rename);
        }
        if let Some(entry) = &mut self.entry {
            rename(Mention::Function(entry));
        }
    }
}

fn in_function(function: &mut Function, visit: &mut impl FnMut(Mention<'_>)) {
    in_location(&mut function.location, visit);
    let variables = function.variables.iter_mut().map(|variable| &mut variable.ty);
    let slots = function.slots.iter_mut().map(|slot| &mut slot.ty);
    let values = function.values.iter_mut().map(|value| &mut value.ty);
    let signature = function.parameters.iter_mut().chain(&mut function.result);
    signature.chain(variables).chain(slots).chain(values).for_each(|ty| in_type(ty, visit));
    for block in &mut function.blocks {
        for instruction in &mut block.instructions {
            in_location(&mut instruction.location, visit);
            instruction.op.for_each_operand_mut(|operand| in_operand(operand, visit));
            match &mut instruction.op {
                Op::FieldAddress { structure, .. } => visit(Mention::Struct(structure)),
                Op::IndexAddress { element: ty, .. }
                | Op::Store { ty, .. }
                | Op::CopyMemory { ty, .. }
                | Op::HavocMemory { ty, .. }
                | Op::Allocate { ty: Some(ty), .. } => in_type(ty, visit),
                _ => {}
            }
        }
        in_location(&mut block.terminator.location, visit);
        block.terminator.kind.for_each_operand_mut(|operand| in_operand(operand, visit));
    }
}

fn in_global(global: &mut Global, visit: &mut impl FnMut(Mention<'_>)) {
    in_location(&mut global.location, visit);
    in_type(&mut global.ty, visit);
    in_initializer(&mut global.initializer, visit);
}

fn in_initializer(initializer: &mut Initializer, visit: &mut impl FnMut(Mention<'_>)) {
    match initializer {
        Initializer::Global(id, _) => visit(Mention::Global(id)),
        Initializer::Function(id) => visit(Mention::Function(id)),
        Initializer::Aggregate(items) => {
            items.iter_mut().for_each(|item| in_initializer(item, visit));
        }
        Initializer::Zero | Initializer::Nondet | Initializer::Undefined | Initializer::Int(_) => {}
    }
}

fn in_type(ty: &mut Type, visit: &mut impl FnMut(Mention<'_>)) {
    match ty {
        Type::Struct(id) => visit(Mention::Struct(id)),
        Type::Array(element, _) => in_type(element, visit),
        Type::Int(_) | Type::Pointer => {}
    }
}

fn in_operand(operand: &mut Operand, visit: &mut impl FnMut(Mention<'_>)) {
    match operand {
        Operand::Global(id) => visit(Mention::Global(id)),
        Operand::Function(id) => visit(Mention::Function(id)),
        Operand::Value(_) | Operand::Slot(_) | Operand::Int { .. } | Operand::Null => {}
    }
}

fn in_location(location: &mut Location, visit: &mut impl FnMut(Mention<'_>)) {
    visit(Mention::File(&mut location.file));
    visit(Mention::Name(&mut location.function));
    if let Some(operation) = &mut location.operation {
        visit(Mention::Name(operation));
    }
}

fn in_expression(expression: &mut Expression, visit: &mut impl FnMut(Mention<'_>)) {
    expression.for_each_mut(&mut |e| match e {
        Expression::Global(id) => visit(Mention::Global(id)),
        Expression::Function(function)
        | Expression::Variable { function, .. }
        | Expression::Value { function, .. }
        | Expression::Slot { function, .. } => visit(Mention::Function(function)),
        Expression::FieldAddress { structure, .. } => visit(Mention::Struct(structure)),
        Expression::IndexAddress { element: ty, .. }
        | Expression::Load { ty, .. }
        | Expression::Cast { ty, .. } => in_type(ty, visit),
        Expression::Int { .. }
        | Expression::Null
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Compare { .. }
        | Expression::Select { .. }
        | Expression::Other { .. } => {}
    });
}

#[cfg(test)]
mod tests {
    use crate::goto::generate::generate;
    use crate::goto::{parse, print, verify};

    #[test]
    fn what_is_reached_stays() {
        let text = "gir 1\n\
            target pointer=64 short=16 int=32 long=64 long_long=64 wchar=32 char=signed endian=little\n\
            atomicity access\nsigned_overflow wrap\nfile \"a.h\"\nfile \"b.c\"\nname main\nname gone\n\
            struct unused size 4 align 4 { a: i32 at 0 }\n\
            struct inner size 4 align 4 { a: i32 at 0 }\n\
            struct outer size 8 align 4 { one: struct inner at 0 two: [1 x struct inner] at 4 }\n\
            global $unused: struct unused = zero  #1:1\n\
            global $target: i32 = zero  #1:1 of \"b.c\"\n\
            global $table: [2 x ptr] = {$target + 4, @called}  #1:1 of \"b.c\"\n\
            declare @gone(i32)  #1:1\n\
            define @called() #2:1 of \"b.c\" {\n slot &s: struct outer\nbb0:\n  return\n}\n\
            define @main() #3:1 of \"b.c\" {\nbb0:\n  %0: ptr = load $table\n  return\n}\n\
            entry @main\n";
        let mut module = parse(text, "t.gir").expect("it is sound");
        module.prune();
        verify(&module).expect("it is still sound");
        let printed = print(&module);
        assert_eq!(parse(&printed, "t.gir").expect("it is read"), module);
        for gone in ["unused", "gone", "a.h"] {
            assert!(!printed.contains(gone), "{printed}");
        }
        for kept in ["struct inner", "struct outer", "$target+4", "@called", "\"b.c\""] {
            assert!(printed.contains(kept), "{printed}");
        }
        let again = module.clone();
        module.prune();
        assert_eq!(module, again);
    }

    #[test]
    fn random_modules_stay_sound() {
        for seed in 0..200 {
            let mut module = generate(seed);
            module.prune();
            verify(&module).unwrap_or_else(|errors| panic!("{seed}: {errors}"));
            assert_eq!(parse(&print(&module), "t.gir").as_ref(), Ok(&module), "{seed}");
        }
    }
}
