//! Assumptions, assertions, nondeterminism and the end of the program.

use sapa_ir::goto::{CompareOp, Op, Operand, TerminatorKind, Type};

use crate::lower::body::{Body, Value};
use crate::lower::program::{Entity, Lowered};
use crate::lower::types::{CType, FloatFormat, Kind};
use crate::position::Position;

/// How the names of functions of the models begin whose values are not modelled.
const UNMODELLED: &str = "__sapa_unmodelled_";

impl Body<'_, '_> {
    pub(super) fn verifier_function(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        match (name, arguments) {
            ("__CPROVER_assume" | "__VERIFIER_assume" | "assume_abort_if_not", [condition]) => {
                let condition = self.truth(condition.clone(), position)?;
                self.effect(Op::Assume { condition });
            }
            ("__CPROVER_assert", [condition, text]) => {
                let condition = self.truth(condition.clone(), position)?;
                let property = self.property(text);
                self.effect(Op::Assert { condition, property });
            }
            ("assert" | "__VERIFIER_assert", [condition]) => {
                let condition = self.truth(condition.clone(), position)?;
                self.effect(Op::Assert { condition, property: "assertion".to_owned() });
            }
            ("__assert_fail" | "__assert", [text, ..]) => {
                let property = self.property(text);
                self.fail(&property);
            }
            ("__assert_rtn", [_, _, _, text]) => {
                let property = self.property(text);
                self.fail(&property);
            }
            ("__assert_perror_fail", _) => self.fail("assert_perror"),
            ("reach_error" | "__VERIFIER_error", []) => {
                self.fail(&format!("{name}() is never called"));
            }
            ("exit" | "__builtin_exit", _) => {
                // Functions that run at the end are steps of their own.
                self.close_statement();
                self.terminate(TerminatorKind::Halt);
            }
            ("abort" | "_exit" | "_Exit" | "quick_exit", _)
            | ("__builtin_trap" | "__builtin_abort", _) => {
                self.terminate(TerminatorKind::Halt);
            }
            ("__builtin_unreachable", []) => self.terminate(TerminatorKind::Unreachable),
            // Hints of CBMC where to look for predicates; ours are found.
            ("__CPROVER_parameter_predicates" | "__CPROVER_return_predicates", _) => {}
            ("__CPROVER_atomic_begin" | "__VERIFIER_atomic_begin", []) => self.enter_atomic(),
            ("__CPROVER_atomic_end" | "__VERIFIER_atomic_end", []) => self.leave_atomic(),
            ("rand" | "random" | "lrand48", []) => {
                let integers = self.unit.integers();
                let result = if name == "rand" { integers.int() } else { integers.long() };
                let bits = self.bits(&result);
                let value = self.nondet(Type::Int(bits));
                // RAND_MAX is 2^31 - 1.
                let max = Operand::int(bits, 0x7fff_ffff);
                let condition = self.compare(CompareOp::UnsignedLe, value, max);
                self.effect(Op::Assume { condition });
                return Ok(Some(Value::Scalar(value, result)));
            }
            // What the models leave open that C defines.
            (_, [what]) if self.unit.is_library() && name.starts_with(UNMODELLED) => {
                let ty = self.nondet_type(name.strip_prefix(UNMODELLED).unwrap_or_default());
                let unmodelled = Some(self.property(what));
                let memory = Type::Int(self.bits(&ty));
                let value = self.define(Op::Nondet { unmodelled }, memory);
                return Ok(Some(Value::Scalar(value, ty)));
            }
            // It has a model.
            ("__VERIFIER_nondet_memory", [_, _]) => return Ok(None),
            _ => {
                let Some(suffix) = name
                    .strip_prefix("__VERIFIER_nondet_")
                    .or_else(|| name.strip_prefix("nondet_"))
                else {
                    return Ok(None);
                };
                let ty = match self.unit.lookup(name) {
                    Some(Entity::Function(ty)) => ty.result.clone(),
                    _ => self.nondet_type(suffix),
                };
                return self.any(&ty, position).map(Some);
            }
        }
        Ok(Some(Value::Void))
    }

    fn property(&self, text: &Value) -> String {
        let text = match text {
            Value::Scalar(operand, _) => self.unit.text_of(*operand),
            _ => None,
        };
        text.unwrap_or_else(|| "assertion".to_owned())
    }

    /// What `__VERIFIER_nondet_…` returns where it is not declared.
    fn nondet_type(&self, suffix: &str) -> CType {
        let integers = self.unit.integers();
        let target = self.unit.module.target;
        match suffix {
            "bool" | "_Bool" => Kind::Bool.into(),
            "char" | "schar" => integers.char(),
            "uchar" | "u8" => CType::int(8, false, 1),
            "short" => CType::int(target.short_bits, true, 2),
            "ushort" | "u16" => CType::int(target.short_bits, false, 2),
            "uint" | "unsigned" | "unsigned_int" | "u32" => integers.unsigned_int(),
            "long" | "loff_t" => integers.long(),
            "ulong" | "unsigned_long" => CType::int(target.long_bits, false, 4),
            "size_t" => integers.size(),
            "u64" => integers.of_width(64, false),
            "longlong" => CType::int(target.long_long_bits, true, 5),
            "ulonglong" => CType::int(target.long_long_bits, false, 5),
            "int128" => CType::int(128, true, 6),
            "uint128" => CType::int(128, false, 6),
            "pointer" | "pchar" => CType::from(Kind::Void).pointer(),
            "float" => Kind::Float(FloatFormat::Single).into(),
            "double" => Kind::Float(FloatFormat::Double).into(),
            _ => integers.int(),
        }
    }
}
