//! Functions that the verifier, the compiler, the threads library and the C
//! library define.
//!
//! | file | holds |
//! | --- | --- |
//! | `verifier` | assumptions, assertions, nondeterminism, ends of the program |
//! | `system` | what the system says of itself, signals |
//! | `threads` | starting, joining and ending threads |
//! | `synchronisation` | locks, condition variables, semaphores |
//! | `mutexes` | which of two models the operations on mutexes have |
//! | `atomics` | GCC's and C11's atomic operations and fences |
//! | `memory` | allocation, copying and filling |
//! | `builtins` | GCC's `__builtin_*` |
//! | `floats` | those of floating-point numbers |
//! | `ends` | what runs at the ends of the program and of threads |
//! | `format` | formats of `printf` |
//! | `printed` | texts that are printed into arrays |
//! | `scanned` | what is read by a format |
//! | `functional` | functions of which only that they are functions is modelled |
//! | `sorting` | sorting arrays, quotients with remainders |
//! | `variable` | variable arguments |
//! | `unknown` | what functions may do that are not known |
//! | `models` | functions that are written in C, in `models/*.c` |
//!
//! A function that the program itself defines is the program's, whatever its name.

mod atomics;
mod builtins;
mod ends;
mod floats;
mod format;
mod functional;
mod memory;
pub(crate) mod models;
mod mutexes;
mod printed;
mod scanned;
mod sorting;
mod streams;
mod synchronisation;
mod system;
mod threads;
mod unknown;
mod variable;
mod verifier;

pub(crate) use atomics::{atomic_builtin, cprover_fence};
pub(crate) use ends::Ends;
pub(crate) use floats::infinity;
pub(crate) use mutexes::Mutexes;
use sapa_ir::goto::{CastOp, CompareOp, Initializer, Op, Operand, Type};

use super::body::{Body, Place, Value};
use super::program::Lowered;
use super::types::CType;
use crate::position::Position;

/// What a function without effect returns.
#[derive(Clone, Copy)]
enum Returns {
    /// Nothing, or any number.
    Any,
    Zero,
    /// 0, or -1 where it fails.
    ZeroOrFailure,
    /// No negative number, which is the length of a format without conversions, or -1.
    Length,
    /// The character that is the first argument, or -1.
    Character,
    /// At most the first argument, which is a time.
    TimeLeft,
    /// No negative number, or -1.
    Clock,
}

/// Functions that do nothing to the state.
const WITHOUT_EFFECT: &[(&str, Returns)] = &[
    ("printf", Returns::Length),
    ("vprintf", Returns::Length),
    ("fprintf", Returns::Length),
    ("vfprintf", Returns::Length),
    ("dprintf", Returns::Length),
    ("puts", Returns::Length),
    ("fputs", Returns::Length),
    ("putchar", Returns::Character),
    ("putc", Returns::Character),
    ("fputc", Returns::Character),
    ("perror", Returns::Any),
    ("fflush", Returns::ZeroOrFailure),
    ("sleep", Returns::TimeLeft),
    ("sched_yield", Returns::Zero),
    ("pthread_yield", Returns::Zero),
    ("thrd_yield", Returns::Any),
    ("srand", Returns::Any),
    ("srandom", Returns::Any),
    ("pthread_testcancel", Returns::Any),
    ("__builtin_printf", Returns::Length),
    ("__builtin_puts", Returns::Length),
    ("__builtin_putchar", Returns::Character),
    ("__builtin_prefetch", Returns::Any),
    ("__builtin_ia32_pause", Returns::Any),
    ("__VERIFIER_print", Returns::Any),
    ("__CPROVER_printf", Returns::Any),
    ("__CPROVER_input", Returns::Any),
    ("__CPROVER_output", Returns::Any),
    ("srand48", Returns::Any),
    ("clock", Returns::Clock),
];

const CLEANUP: &str = "cleanup handlers of threads are not supported";

/// Functions that cannot be part of a sound model, and why.
const REFUSED: &[(&str, &str)] = &[
    ("setjmp", "non-local jumps are not supported"),
    ("_setjmp", "non-local jumps are not supported"),
    ("__sigsetjmp", "non-local jumps are not supported"),
    ("longjmp", "non-local jumps are not supported"),
    ("sigaction", "signal handlers are not supported"),
    ("fork", "processes are not supported"),
    ("vfork", "processes are not supported"),
    ("pthread_cancel", "cancelling threads is not supported"),
    ("pthread_atfork", "processes are not supported"),
    ("on_exit", "handlers of the program's end are not supported"),
    ("pthread_cleanup_push", CLEANUP),
    ("_pthread_cleanup_push", CLEANUP),
    ("fesetround", "rounding modes other than to nearest are not supported"),
];

/// Functions of `<stdio.h>` that glibc also has for who holds the lock of the file, or needs none.
const UNLOCKED: &[&str] = &[
    "clearerr", "feof", "ferror", "fflush", "fgetc", "fgets", "fputc", "fputs", "fread", "fwrite",
    "getc", "getchar", "putc", "putchar",
];

/// The name of a function of which glibc has versions, as goto binaries call them.
fn without_version(name: &str) -> &str {
    let mut versions = ["__isoc99_", "__isoc23_"].into_iter();
    let name = versions.find_map(|version| name.strip_prefix(version)).unwrap_or(name);
    name.strip_suffix("_unlocked").filter(|locked| UNLOCKED.contains(locked)).unwrap_or(name)
}

/// Why a function is refused, if it is.
pub(crate) fn why_refused(name: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(refused, _)| *refused == name).map(|(_, why)| *why)
}

/// Whether a function is one without effect, or refused.
fn is_listed(name: &str) -> bool {
    WITHOUT_EFFECT.iter().any(|(known, _)| *known == name) || why_refused(name).is_some()
}

impl Body<'_, '_> {
    /// The call of a function that is known by name; `None` for others.
    pub fn builtin(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let name = without_version(name);
        if name == "__errno_location" {
            self.unit.errno.0 |= !self.unit.is_library();
        }
        if let Some(why) = why_refused(name) {
            self.at(position);
            return self.error(position, format!("'{name}': {why}"));
        }
        self.in_operation(name, position, |body| {
            body.use_streams(name, arguments, position)?;
            body.builtin_here(name, arguments, position)
        })
    }

    fn builtin_here(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        if let Some((_, returns)) = WITHOUT_EFFECT.iter().find(|(known, _)| *known == name) {
            if !name.starts_with("__") && !matches!(returns, Returns::Zero) {
                self.unit.leaves_errno(name);
            }
            return self.without_effect(name, *returns, arguments, position).map(Some);
        }
        if let ("getpid", []) = (name, arguments) {
            return self.process_id(position).map(Some);
        }
        let families = [
            Self::system_function,
            Self::verifier_function,
            Self::registration,
            Self::thread_function,
            Self::synchronisation,
            Self::atomic_function,
            Self::memory_function,
            Self::variable_argument_function,
            Self::builtin_function,
            Self::float_builtin,
            Self::printed,
            Self::scanned,
            Self::sorting,
            Self::modelled,
        ];
        for family in families {
            if let Some(value) = family(self, name, arguments, position)? {
                return Ok(Some(value));
            }
        }
        // Only the compiler knows what they do, and whether they evaluate their arguments.
        if ["__builtin_", "__sync_", "__atomic_"].iter().any(|prefix| name.starts_with(prefix)) {
            return self.error(position, format!("the builtin function '{name}' is not supported"));
        }
        Ok(None)
    }

    fn without_effect(
        &mut self,
        name: &str,
        returns: Returns,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Value> {
        self.check_format(name, arguments, position)?;
        if name == "sleep" {
            self.modelled("__sapa_sleep", &[], position)?;
        }
        let integers = self.unit.integers();
        let ty = match returns {
            Returns::Clock => integers.long(),
            Returns::TimeLeft => integers.unsigned_int(),
            _ => integers.int(),
        };
        let bits = self.bits(&ty);
        let (zero, failure) = (Operand::int(bits, 0), Operand::int(bits, u128::MAX));
        // Choices, not assumptions: they are no steps where nobody reads the result.
        let result = match (returns, arguments) {
            (Returns::Zero, _) => zero,
            (Returns::ZeroOrFailure, _) => self.or_failure(zero, bits),
            (Returns::Length, _) => match self.printed_length(name, arguments) {
                Some(length) => self.or_failure(Operand::int(bits, length), bits),
                None => self.at_least(failure, bits),
            },
            (Returns::Character, [character, ..]) => {
                let byte = self.operand_as(character, &CType::int(8, false, 1), position)?;
                let printed = self.cast(CastOp::ZeroExtend, byte, Type::Int(bits));
                self.or_failure(printed, bits)
            }
            (Returns::TimeLeft, [time, ..]) => {
                let time = self.operand_as(time, &ty, position)?;
                let any = self.nondet(Type::Int(bits));
                let condition = self.compare(CompareOp::UnsignedLe, any, time);
                self.define(Op::Select { condition, a: any, b: time }, Type::Int(bits))
            }
            (Returns::Clock, _) => self.at_least(failure, bits),
            _ => self.nondet(Type::Int(bits)),
        };
        Ok(Value::Scalar(result, ty))
    }

    /// A number, or -1.
    pub(super) fn or_failure(&mut self, number: Operand, bits: u16) -> Operand {
        let condition = self.nondet(Type::Int(1));
        let failure = Operand::int(bits, u128::MAX);
        self.define(Op::Select { condition, a: failure, b: number }, Type::Int(bits))
    }

    /// Any number that is not less.
    fn at_least(&mut self, least: Operand, bits: u16) -> Operand {
        let any = self.nondet(Type::Int(bits));
        let condition = self.compare(CompareOp::SignedLe, least, any);
        self.define(Op::Select { condition, a: any, b: least }, Type::Int(bits))
    }

    /// The number of the process: any that is positive, but the same all along.
    fn process_id(&mut self, position: Position) -> Lowered<Value> {
        let int = self.unit.integers().int();
        let id = match self.unit.process_id {
            Some(id) => id,
            None => {
                let any = Initializer::Nondet;
                match self.unit.add_global("process#", &int, any, self.location) {
                    Ok(id) => *self.unit.process_id.insert(id),
                    Err(what) => return self.error(position, format!("{what} is not supported")),
                }
            }
        };
        let value = self.load(&Place::new(Operand::Global(id), int.clone()), position)?;
        let (number, _) = self.scalar(value.clone(), position)?;
        let zero = Operand::int(self.bits(&int), 0);
        let condition = self.compare(CompareOp::SignedLt, zero, number);
        self.effect(Op::Assume { condition });
        Ok(value)
    }

    /// An `int`.
    fn int(&self, value: u128) -> Value {
        let int = self.unit.integers().int();
        Value::Scalar(Operand::int(self.bits(&int), value), int)
    }

    /// An argument converted to a type.
    pub(crate) fn operand_as(
        &mut self,
        value: &Value,
        ty: &CType,
        position: Position,
    ) -> Lowered<Operand> {
        let value = self.convert(value.clone(), ty, position)?;
        Ok(self.scalar(value, position)?.0)
    }

    /// The value of an argument that is a constant.
    fn constant_operand(&self, value: Option<&Value>) -> Option<u128> {
        match value {
            Some(Value::Scalar(Operand::Int { value, .. }, _)) => Some(*value),
            Some(Value::Scalar(Operand::Null, _)) => Some(0),
            _ => None,
        }
    }
}
