//! What the system says of itself, and signals as far as nothing handles them.

use sapa_ir::goto::{
    BinaryOp, CastOp, CompareOp, FunctionId, Global, Initializer, Op, Operand, Type,
};

use crate::lower::arguments::is_used;
use crate::lower::body::{Body, Place, Value};
use crate::lower::program::{Lowered, Lowerer};
use crate::lower::types::{CType, Kind};
use crate::position::Position;

/// Names of `sysconf` on Linux whose values are known, and their values on x86.
const CLOCK_TICKS: (u128, u128) = (2, 100);
const PAGE_SIZE: (u128, u128) = (30, 4096);
/// Those of which there is one at least: processors, configured and at work.
const PROCESSORS: [u128; 2] = [83, 84];

/// What the C library defines for `getopt`, and the first values.
const OF_GETOPT: [(&str, u128); 3] = [("optarg", 0), ("optind", 1), ("optopt", '?' as u128)];

/// The names of the array of the environment's variables.
const ENVIRON: [&str; 3] = ["environ", "__environ", "_environ"];

/// Most bytes of a variable of the environment, with the zero.
const LENGTH_OF_VARIABLE: u64 = 256;

/// Largest array that a date is written into character by character instead of in a loop.
const MOST_OF_DATE: u128 = 128;

/// The numbers of signals on Linux, and those that end or stop a program whatever it says (`SIGKILL`,
/// `SIGSTOP`), or are glibc's own.
const SIGNALS: std::ops::RangeInclusive<u128> = 1..=64;
const FIXED_SIGNALS: [u128; 4] = [9, 19, 32, 33];

/// `SIG_DFL` and `SIG_IGN`.
const WITHOUT_HANDLER: [u128; 2] = [0, 1];

impl Body<'_, '_> {
    pub(super) fn system_function(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let integers = self.unit.integers();
        let (int, long) = (integers.int(), integers.long());
        let value = match (name, arguments) {
            ("sysconf", [of]) => {
                let bits = self.bits(&long);
                let of = self.constant_operand(Some(of));
                let known = [CLOCK_TICKS, PAGE_SIZE].iter().find(|(name, _)| of == Some(*name));
                let value = match (known, of) {
                    (Some((_, value)), _) => Operand::int(bits, *value),
                    (None, Some(of)) if PROCESSORS.contains(&of) => self.positive_int(bits),
                    _ => {
                        self.unit.leaves_errno(name);
                        self.at_least(Operand::int(bits, u128::MAX), bits)
                    }
                };
                Value::Scalar(value, long)
            }
            ("getenv", [variable]) => {
                let variable = match variable {
                    Value::Scalar(operand, _) => self.unit.text_of(*operand),
                    _ => None,
                };
                // Bytes that are no text cannot be told apart.
                let variable = variable.filter(|name| !name.contains(char::REPLACEMENT_CHARACTER));
                let Some(variable) = variable else { return Ok(None) };
                if variable.is_empty() {
                    // Nothing has this name.
                    let text = integers.char().pointer();
                    return Ok(Some(Value::Scalar(Operand::Null, text)));
                }
                let value = self.environment_variable(&variable, position)?;
                return self.modelled("__sapa_getenv", &[value], position);
            }
            ("get_nprocs" | "get_nprocs_conf", []) => {
                let bits = self.bits(&int);
                Value::Scalar(self.positive_int(bits), int)
            }
            ("getpagesize", []) => self.int(PAGE_SIZE.1),
            ("getopt", [count, words, options])
            | ("getopt_long", [count, words, options, _, _]) => {
                let Value::Scalar(text, _) = options else { return Ok(None) };
                let Some(text) = self.unit.text_of(*text) else { return Ok(None) };
                // Arguments that are no options are returned as such, and long options are.
                if text.starts_with('-') || text.contains(';') {
                    return Ok(None);
                }
                self.unit.note(&format!(
                    "assuming that `{name}` stops at the first argument that is no option, as of POSIX",
                ));
                let options = match text.strip_prefix('+') {
                    Some(_) => {
                        let one = self.int(1);
                        self.pointer_sum(options.clone(), one, false, position)?
                    }
                    None => options.clone(),
                };
                let mut all = vec![count.clone(), words.clone(), options];
                all.extend(arguments.iter().skip(3).cloned());
                for (name, initial) in OF_GETOPT {
                    all.push(self.object_of_getopt(name, initial));
                }
                let model = format!("__sapa_{name}");
                return self.modelled(&model, &all, position);
            }
            // Whoever is ignored, or does what it does by default, calls nothing of the program.
            ("signal", [signal, handler]) => {
                if !self.is_no_handler(handler) {
                    let message = "'signal': signal handlers are not supported";
                    return self.error(position, message);
                }
                let signal = self.operand_as(signal, &int, position)?;
                let allowed = self.is_allowed_signal(signal);
                let allowed = self.truth_value(allowed);
                return self.modelled("__sapa_signal", &[allowed], position);
            }
            ("pthread_kill", [_, signal]) => match self.constant_operand(Some(signal)) {
                // Whether there is such a thread: it may have ended.
                Some(0) => self.any_error(),
                _ => {
                    let message = "'pthread_kill': signals to threads are not supported";
                    return self.error(position, message);
                }
            },
            // For the models: so many characters, none of them a zero, that are not modelled.
            ("__sapa_any_text", [what, to, count]) if self.unit.is_library() => {
                let what = self.text_argument(what);
                let count = self.constant_operand(Some(count)).unwrap_or(0);
                self.any_text(&what, to, count, position)?;
                Value::Void
            }
            ("strftime", [to, size, _, _]) => match self.constant_operand(Some(size)) {
                Some(size @ 1..=MOST_OF_DATE) => self.text_of_date(to, size, position)?,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// The address of an object that the C library defines for `getopt`, with its value at the beginning; null
    /// if the program does not declare it.
    fn object_of_getopt(&mut self, name: &str, initial: u128) -> Value {
        let pointer = CType::from(Kind::Void).pointer();
        let Some(id) = self.unit.externals.get(name).copied() else {
            return Value::Scalar(Operand::Null, pointer);
        };
        if let Some(global) = self.unit.module.globals.get_mut(id.index())
            && global.initializer == Initializer::Nondet
        {
            global.initializer = match initial {
                0 => Initializer::Zero,
                initial => Initializer::Int(initial),
            };
        }
        Value::Scalar(Operand::Global(id), pointer)
    }

    /// What a variable of the environment says when the program starts: null, or a text of its own with any
    /// contents, whose last byte is zero.
    fn environment_variable(&mut self, name: &str, position: Position) -> Lowered<Value> {
        let integers = self.unit.integers();
        let (char, int) = (integers.char(), integers.int());
        let (text, is_set) = match self.unit.environment.get(name).copied() {
            Some(found) => found,
            None => {
                let any = (1..LENGTH_OF_VARIABLE).map(|_| Initializer::Nondet).collect();
                let array = Kind::Array(Box::new(char.clone()), Some(LENGTH_OF_VARIABLE)).into();
                let place = self.location;
                let mut global = |part: &str, ty: &CType, initializer| {
                    let of = format!("__sapa_getenv#{part}{name}");
                    self.unit.add_global(&of, ty, initializer, place)
                };
                let text = global("", &array, Initializer::Aggregate(any));
                let is_set = global("has_", &int, Initializer::Nondet);
                let found = match (text, is_set) {
                    (Ok(text), Ok(is_set)) => (text, is_set),
                    (Err(what), _) | (_, Err(what)) => {
                        return self.error(position, format!("{what} is not supported"));
                    }
                };
                self.unit.note(&format!(
                    "assuming that variables of the environment have at most {} bytes",
                    LENGTH_OF_VARIABLE - 1
                ));
                self.unit.environment.insert(name.to_owned(), found);
                found
            }
        };
        let is_set = self.load(&Place::new(Operand::Global(is_set), int.clone()), position)?;
        let (is_set, _) = self.scalar(is_set, position)?;
        let zero = Operand::int(self.bits(&int), 0);
        let condition = self.compare(CompareOp::Ne, is_set, zero);
        let op = Op::Select { condition, a: Operand::Global(text), b: Operand::Null };
        let value = self.define(op, Type::Pointer);
        Ok(Value::Scalar(value, char.pointer()))
    }

    fn text_argument(&self, text: &Value) -> String {
        match text {
            Value::Scalar(operand, _) => self.unit.text_of(*operand).unwrap_or_default(),
            _ => String::new(),
        }
    }

    /// A character whose value is not modelled. There is no branch, so that the path is the same for
    /// all values, whichever is the right one.
    fn any_character(&mut self, what: &str) -> Operand {
        let any = self.define(Op::Nondet { unmodelled: Some(what.to_owned()) }, Type::Int(8));
        let is_zero = self.compare(CompareOp::Eq, any, Operand::int(8, 0));
        let op = Op::Select { condition: is_zero, a: Operand::int(8, 1), b: any };
        self.define(op, Type::Int(8))
    }

    fn character_at(
        &mut self,
        text: &Value,
        index: Operand,
        value: Operand,
        position: Position,
    ) -> Lowered<()> {
        let base = self.address(text, position)?;
        let op = Op::IndexAddress { base, element: Type::Int(8), index };
        let address = self.define(op, Type::Pointer);
        let character = self.unit.integers().char();
        let value = Value::Scalar(value, character.clone());
        self.store(&Place::new(address, character), value, position)
    }

    fn any_text(&mut self, what: &str, to: &Value, count: u128, position: Position) -> Lowered<()> {
        let bits = self.pointer_bits();
        for index in 0..count {
            self.unit.keep_limits()?;
            let value = self.any_character(what);
            self.character_at(to, Operand::int(bits, index), value, position)?;
        }
        Ok(())
    }

    /// What `strftime` writes into an array of so many bytes: a text of any length, or what does not
    /// fit, of which it says so by a zero.
    fn text_of_date(&mut self, to: &Value, size: u128, position: Position) -> Lowered<Value> {
        let what = "strftime";
        let bits = self.pointer_bits();
        self.any_text(what, to, size, position)?;
        let any = self.define(Op::Nondet { unmodelled: Some(what.to_owned()) }, Type::Int(16));
        let length = self.binary(BinaryOp::UnsignedRem, any, Operand::int(16, size), false);
        let length = self.cast(CastOp::ZeroExtend, length, Type::Int(bits));
        let fits = self.define(Op::Nondet { unmodelled: Some(what.to_owned()) }, Type::Int(1));
        let other = self.any_character(what);
        let op = Op::Select { condition: fits, a: Operand::int(8, 0), b: other };
        let end = self.define(op, Type::Int(8));
        self.character_at(to, length, end, position)?;
        let op = Op::Select { condition: fits, a: length, b: Operand::int(bits, 0) };
        let result = self.define(op, Type::Int(bits));
        Ok(Value::Scalar(result, self.unit.integers().size()))
    }

    /// Whether what `signal` is told is seen to be no function.
    fn is_no_handler(&self, handler: &Value) -> bool {
        let Value::Scalar(operand, _) = handler else { return false };
        let number = match self.made_by(*operand) {
            Some(Op::Cast { op: CastOp::IntToPointer, a: Operand::Int { value, .. }, .. }) => {
                Some(*value)
            }
            _ => self.constant_operand(Some(handler)),
        };
        number.is_some_and(|number| WITHOUT_HANDLER.contains(&number))
    }

    /// Whether Linux and glibc have a signal of this number of which may be said what it does.
    fn is_allowed_signal(&mut self, signal: Operand) -> Operand {
        if let Operand::Int { value, .. } = signal {
            return Operand::bool(SIGNALS.contains(&value) && !FIXED_SIGNALS.contains(&value));
        }
        let int = self.unit.integers().int();
        let bits = self.bits(&int);
        let least = Operand::int(bits, *SIGNALS.start());
        let mut allowed = self.compare(CompareOp::SignedLe, least, signal);
        let most = Operand::int(bits, *SIGNALS.end());
        let fits = self.compare(CompareOp::SignedLe, signal, most);
        allowed = self.binary(BinaryOp::And, allowed, fits, false);
        for fixed in FIXED_SIGNALS {
            let differs = self.compare(CompareOp::Ne, signal, Operand::int(bits, fixed));
            allowed = self.binary(BinaryOp::And, allowed, differs, false);
        }
        allowed
    }

    /// A positive number that fits an `int`.
    fn positive_int(&mut self, bits: u16) -> Operand {
        let any = self.nondet(Type::Int(bits));
        let most = Operand::int(bits, 0x7fff_ffff);
        let (least, one) = (Operand::int(bits, 1), Operand::int(bits, 1));
        let is_positive = self.compare(CompareOp::SignedLe, least, any);
        let fits = self.compare(CompareOp::SignedLe, any, most);
        let condition = self.binary(BinaryOp::And, is_positive, fits, false);
        self.define(Op::Select { condition, a: any, b: one }, Type::Int(bits))
    }
}

impl Lowerer<'_> {
    /// Whether the program gets at the variables of the environment other than by functions: then what they
    /// say is not modelled.
    pub fn settle_environment(&mut self) {
        let is_array = |global: &Global| ENVIRON.contains(&global.name.as_str());
        let main = self.module.entry.map(|entry| self.module.function(entry));
        let is_passed = main.is_some_and(|main| {
            let parameters = main.blocks.first().map(|block| block.parameters.as_slice());
            let third = parameters.and_then(|parameters| parameters.get(2));
            third.is_some_and(|third| is_used(main, *third))
        });
        let is_seen = is_passed || self.module.globals.iter().any(is_array);
        let mut all = self.module.globals.iter_mut();
        if let Some(global) = all.find(|global| global.name == "__sapa_sees_environment") {
            global.initializer = Initializer::Int(is_seen.into());
        }
    }

    /// Takes out that a sleep makes the clocks go on, where nobody asks the clocks.
    pub fn settle_clocks(&mut self) {
        let model = |name: &str| -> Option<FunctionId> {
            self.defined.get(self.models.as_ref()?.get(name)?).copied()
        };
        let (Some(sleep), None) = (model("__sapa_sleep"), model("clock_gettime")) else { return };
        for function in &mut self.module.functions {
            for block in &mut function.blocks {
                block.instructions.retain(|instruction| {
                    !matches!(&instruction.op, Op::Call { callee: Operand::Function(id), .. } if *id == sleep)
                });
            }
        }
    }
}
