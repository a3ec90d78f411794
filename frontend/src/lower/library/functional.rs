//! Functions of which only that they are functions is modelled: with the same arguments they have
//! the same result. `__CPROVER_uninterpreted_…` are such, and those of the C library whose values
//! are not modelled. (Some have a model in C after all, which only the declared type says to be meant.)
//!
//! What was asked for, and what the answer was, is kept in globals: a table of [`ENTRIES`] rows
//! that is filled row by row, in one atomic section a call. Calls with further arguments have any
//! result, and a failure that rests on it is not reported as one.

use sapa_ir::goto::{
    BinaryOp, BlockId, Builder, CastOp, CompareOp, FunctionId, Global, GlobalId, Initializer,
    Location, Module, Op, Operand, Section, TerminatorKind, Type,
};

use crate::lower::body::{Body, Value};
use crate::lower::program::Lowered;
use crate::lower::types::{CType, FunctionType, Kind};
use crate::position::Position;

/// Rows of a function's table: different arguments in one run.
const ENTRIES: usize = 4;

/// Functions of C11 and POSIX that compute a number from numbers (or a literal), and that have no
/// model by that name. For those on floating-point numbers the names of `double`; `f` behind them is `float`.
const OF_NUMBERS: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "ilogb",
    "j0",
    "j1",
    "jn",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "nan",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "rint",
    "round",
    "scalb",
    "scalbln",
    "scalbn",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "y0",
    "y1",
    "yn",
];

/// The same without variants.
const OTHERS: &[&str] = &[
    "a64l",
    "btowc",
    "iswalnum",
    "iswalpha",
    "iswblank",
    "iswcntrl",
    "iswctype",
    "iswdigit",
    "iswgraph",
    "iswlower",
    "iswprint",
    "iswpunct",
    "iswspace",
    "iswupper",
    "iswxdigit",
    "towctrans",
    "towlower",
    "towupper",
    "wctob",
    "wctype",
    "wctrans",
    "wcwidth",
];

/// Whether C defines what a function returns, apart from any state: by its name and its type, since
/// a program may have a function of its own that is called `y1` or `round`.
fn is_of_the_library(name: &str, ty: &FunctionType) -> bool {
    let is_of_numbers = OF_NUMBERS.contains(&name)
        || name.strip_suffix('f').is_some_and(|double| OF_NUMBERS.contains(&double));
    let is_float = |ty: &CType| matches!(ty.kind, Kind::Float(_));
    let computes_with_floats = is_float(&ty.result) || ty.parameters.iter().any(is_float);
    !ty.parameters.is_empty() && (OTHERS.contains(&name) || (is_of_numbers && computes_with_floats))
}

impl Body<'_, '_> {
    /// The value of a function that is modelled by its table; `None` for others.
    pub(in crate::lower) fn functional(
        &mut self,
        name: &str,
        ty: &FunctionType,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let unmodelled = if name.starts_with("__CPROVER_uninterpreted_") {
            None
        } else if is_of_the_library(name, ty) {
            Some(name)
        } else {
            return Ok(None);
        };
        if unmodelled.is_some()
            && let Some(value) = self.computed(name, ty, arguments, position)?
        {
            return Ok(Some(value));
        }
        self.unit.leaves_errno(name);
        let Some(result) = ty.result.in_memory().ok().filter(Type::is_scalar) else {
            let message = format!("the value of '{name}' is not modelled, and is no number");
            return self.error(position, message);
        };
        let mut operands = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let argument = match (argument, ty.parameters.get(index)) {
                (_, Some(parameter)) => self.convert(argument.clone(), parameter, position)?,
                (Value::Scalar(_, of), None) => {
                    let promoted = self.unit.integers().promote_argument(of);
                    self.convert(argument.clone(), &promoted, position)?
                }
                _ => argument.clone(),
            };
            operands.push(self.scalar(argument, position)?.0);
        }
        // What a text says is not in its address.
        if operands.iter().any(|&operand| self.function.operand_type(operand) == Type::Pointer) {
            let any = Op::Nondet { unmodelled: Some(name.to_owned()) };
            let value = self.define(any, result);
            return Ok(Some(Value::Scalar(value, ty.result.decayed())));
        }
        let parameters: Vec<Type> =
            operands.iter().map(|&operand| self.function.operand_type(operand)).collect();
        let key = (name.to_owned(), parameters, result.clone());
        let id = match self.unit.tables.get(&key) {
            Some(&id) => id,
            None => {
                let (_, parameters, _) = key.clone();
                let id = self.unit.add_declaration(
                    name,
                    parameters,
                    Some(result.clone()),
                    self.location,
                );
                let table = Table { unmodelled, result: result.clone(), location: self.location };
                table.write(&mut self.unit.module, id);
                self.unit.tables.insert(key, id);
                id
            }
        };
        if unmodelled.is_some() {
            self.unit
                .warning(position, format!("the value of '{name}' is not modelled: it is any"));
            self.unit
                .note(&format!("the value of `{name}` is any, but one for the same arguments"));
        }
        let call = Op::Call { callee: Operand::Function(id), arguments: operands };
        // No access whose order matters: nothing else reads or writes the table.
        let value = self.build(|b| b.define(call, result));
        Ok(Some(Value::Scalar(value, ty.result.decayed())))
    }
}

impl Body<'_, '_> {
    /// The value of a function of numbers that has a model in C after all, called `__sapa_NAME`, if the
    /// program declares it with the types of the model; `None` for others.
    fn computed(
        &mut self,
        name: &str,
        ty: &FunctionType,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let model = format!("__sapa_{name}");
        if self.unit.model_function(&model, position)?.is_none() {
            return Ok(None);
        }
        let definition = self.unit.models.as_ref().and_then(|models| models.get(&model)).copied();
        let of_model = definition.and_then(|definition| self.unit.type_of_definition(definition));
        let is_same = |a: &CType, b: &CType| a.kind == b.kind;
        let Some(of_model) = of_model.filter(|model| {
            is_same(&model.result, &ty.result)
                && model.parameters.len() == ty.parameters.len()
                && model.parameters.iter().zip(&ty.parameters).all(|(a, b)| is_same(a, b))
        }) else {
            return Ok(None);
        };
        if arguments.len() != of_model.parameters.len() {
            return Ok(None);
        }
        self.modelled(&model, arguments, position)
    }
}

/// The model of a function.
struct Table<'n> {
    /// The name of the function, if C defines its values.
    unmodelled: Option<&'n str>,
    result: Type,
    location: Location,
}

/// A row: whether it is filled, for which arguments, and with which result.
struct Row {
    filled: GlobalId,
    arguments: Vec<GlobalId>,
    result: GlobalId,
}

impl Table<'_> {
    /// Gives a function its body.
    fn write(&self, module: &mut Module, id: FunctionId) {
        let name = module.function(id).name.clone();
        let parameters = module.function(id).parameters.clone();
        let number_of_rows = if parameters.is_empty() { 1 } else { ENTRIES };
        let mut global = |part: String, ty: &Type| {
            module.globals.push(Global {
                name: format!("__CPROVER_{name}#{part}"),
                ty: ty.clone(),
                initializer: Initializer::Zero,
                thread_local: false,
                constant: false,
                signed: false,
                location: self.location,
            });
            GlobalId::new(module.globals.len() - 1)
        };
        let rows: Vec<Row> = (0..number_of_rows)
            .map(|row| Row {
                filled: global(format!("filled{row}"), &FLAG),
                arguments: (0..)
                    .zip(&parameters)
                    .map(|(index, ty)| global(format!("argument{row}_{index}"), ty))
                    .collect(),
                result: global(format!("result{row}"), &self.result),
            })
            .collect();
        let pointer_bits = module.target.pointer_bits;
        let function = &mut module.functions[id.index()];
        let entry = function.add_block(self.location);
        let mut b = Builder::new(function, self.location);
        let arguments: Vec<Operand> = parameters
            .iter()
            .map(|ty| Operand::Value(b.add_block_parameter(entry, ty.clone(), None)))
            .collect();
        let done = b.add_block();
        let value = b.add_block_parameter(done, self.result.clone(), None);
        b.switch_to(entry);
        b.effect(Op::AtomicBegin(Section::Step));
        for row in &rows {
            self.row(&mut b, row, &arguments, pointer_bits, done);
        }
        if !rows.is_empty() {
            let all = format!("{name} with more than {ENTRIES} different arguments");
            let value = self.any(&mut b, Some(&all), &arguments, pointer_bits);
            finish(&mut b, done, value);
        }
        b.switch_to(done);
        b.effect(Op::AtomicEnd);
        b.terminate(TerminatorKind::Return(Some(Operand::Value(value))));
    }

    /// Looks at one row: ends with its result if it is free or for these arguments, else goes on
    /// in a new block.
    fn row(
        &self,
        b: &mut Builder<'_>,
        row: &Row,
        arguments: &[Operand],
        pointer_bits: u16,
        done: BlockId,
    ) {
        let (used, free) = (b.add_block(), b.add_block());
        let filled = b.load(FLAG, Operand::Global(row.filled));
        let is_filled = b.compare(CompareOp::Ne, filled, Operand::int(8, 0));
        b.branch(is_filled, used, free);
        b.switch_to(free);
        for (&global, &argument) in row.arguments.iter().zip(arguments) {
            let ty = b.function.operand_type(argument);
            b.store(ty, Operand::Global(global), argument);
        }
        let value = self.any(b, self.unmodelled, arguments, pointer_bits);
        b.store(self.result.clone(), Operand::Global(row.result), value);
        b.store(FLAG, Operand::Global(row.filled), Operand::int(8, 1));
        finish(b, done, value);
        b.switch_to(used);
        let mut same = Operand::bool(true);
        for (&global, &argument) in row.arguments.iter().zip(arguments) {
            let ty = b.function.operand_type(argument);
            let known = b.load(ty, Operand::Global(global));
            let equal = b.compare(CompareOp::Eq, known, argument);
            same = b.binary(BinaryOp::And, same, equal, false);
        }
        let (hit, next) = (b.add_block(), b.add_block());
        b.branch(same, hit, next);
        b.switch_to(hit);
        let value = b.load(self.result.clone(), Operand::Global(row.result));
        finish(b, done, value);
        b.switch_to(next);
    }

    /// Any value, which may be made of an address that an argument is: this is what the points-to
    /// analysis has to see.
    fn any(
        &self,
        b: &mut Builder<'_>,
        unmodelled: Option<&str>,
        arguments: &[Operand],
        pointer_bits: u16,
    ) -> Operand {
        let unmodelled = unmodelled.map(str::to_owned);
        let choice = Op::Nondet { unmodelled: unmodelled.clone() };
        let mut value = b.define(choice.clone(), self.result.clone());
        for &argument in arguments {
            let of = b.function.operand_type(argument);
            let is_address = match (&of, &self.result) {
                (Type::Int(of), Type::Int(to)) => *of >= pointer_bits && *to >= pointer_bits,
                (Type::Int(of), Type::Pointer) => *of >= pointer_bits,
                (Type::Pointer, Type::Int(to)) => *to >= pointer_bits,
                _ => true,
            };
            if !is_address {
                continue;
            }
            let told = match (&of, &self.result) {
                (of, to) if of == to => argument,
                (Type::Int(of), Type::Int(to)) => {
                    let cast = if of < to { CastOp::ZeroExtend } else { CastOp::Truncate };
                    b.cast(cast, argument, self.result.clone())
                }
                (Type::Int(of), _) if *of == pointer_bits => {
                    b.cast(CastOp::IntToPointer, argument, Type::Pointer)
                }
                (_, Type::Int(to)) if *to == pointer_bits => {
                    b.cast(CastOp::PointerToInt, argument, self.result.clone())
                }
                _ => continue,
            };
            let condition = b.define(choice.clone(), Type::Int(1));
            let ty = self.result.clone();
            value = b.define(Op::Select { condition, a: told, b: value }, ty);
        }
        value
    }
}

/// Whether a row is filled.
const FLAG: Type = Type::Int(8);

fn finish(b: &mut Builder<'_>, done: BlockId, value: Operand) {
    b.jump_with(done, vec![value]);
}
