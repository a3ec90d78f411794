//! Streams of `<stdio.h>`: which objects they are, and that functions which are given one use it.

use sapa_ir::goto::{Global, GlobalId, Initializer, Location, Type};

use crate::lower::body::{Body, Place, Value};
use crate::lower::program::{Lowered, Lowerer};
use crate::lower::types::{CType, Kind};
use crate::position::Position;

/// The streams that every program has.
const STANDARD: [&str; 3] = ["stdin", "stdout", "stderr"];

/// The structures that `FILE` is, in glibc and musl, and as goto binaries name them.
const FILES: [&str; 2] = ["_IO_FILE", "tag-_IO_FILE"];

/// Functions that take no stream, too: then they are about all of them.
const OF_ALL: &str = "fflush";

impl Body<'_, '_> {
    /// Reads a byte of each stream that a function is given: it has to be one, whatever the function does with it.
    pub(super) fn use_streams(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<()> {
        for argument in arguments {
            if let Value::Scalar(stream, ty) = argument
                && name != OF_ALL
                && self.is_stream(ty)
            {
                let byte = CType::int(8, false, 1);
                self.load(&Place::new(*stream, byte), position)?;
            }
        }
        Ok(())
    }

    fn is_stream(&self, ty: &CType) -> bool {
        let Some(Kind::Record(id)) = ty.pointee().map(|pointee| &pointee.kind) else {
            return false;
        };
        let record = self.unit.module.structs.get(id.index());
        record.is_some_and(|record| FILES.contains(&record.name.as_str()))
    }
}

impl Lowerer<'_> {
    /// Gives the standard streams their objects, where the program declares them and nobody else does.
    pub fn settle_streams(&mut self) {
        for index in 0..self.module.globals.len() {
            let global = &self.module.globals[index];
            let is_open = global.initializer == Initializer::Nondet && global.ty == Type::Pointer;
            if !is_open || !STANDARD.contains(&global.name.as_str()) {
                continue;
            }
            let object = Global {
                name: format!("{}#", global.name),
                ty: Type::Int(8),
                initializer: Initializer::Zero,
                thread_local: false,
                constant: true,
                signed: false,
                location: Location::default(),
            };
            let object_id = GlobalId::new(self.module.globals.len());
            self.module.globals.push(object);
            self.module.globals[index].initializer = Initializer::Global(object_id, 0);
        }
    }
}
