//! Straight-line programs over BDD registers: one text that every engine runs.

use std::fmt;
use std::str::FromStr;

/// A register.
pub type Register = usize;

/// An instruction. The first register is the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// A variable, by its place in the order.
    Var(Register, usize),
    /// A conjunction of variables.
    Cube(Register, Vec<usize>),
    Not(Register, Register),
    And(Register, Register, Register),
    Or(Register, Register, Register),
    Xor(Register, Register, Register),
    Ite(Register, Register, Register, Register),
    /// `exists cube. f & g`.
    AndExists(Register, Register, Register, Register),
    Free(Register),
    /// Sifting.
    Reorder,
    /// The clock runs from here to `Stop`.
    Start,
    Stop,
    /// Prints the fraction of assignments that satisfy the function.
    Count(Register),
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub vars: usize,
    pub registers: usize,
    pub instructions: Vec<Instruction>,
    free: Vec<Register>,
}

impl Script {
    pub fn new(vars: usize) -> Script {
        Script { vars, ..Script::default() }
    }

    fn register(&mut self) -> Register {
        self.free.pop().unwrap_or_else(|| {
            self.registers += 1;
            self.registers - 1
        })
    }

    fn emit(&mut self, make: impl FnOnce(Register) -> Instruction) -> Register {
        let register = self.register();
        self.instructions.push(make(register));
        register
    }

    pub fn var(&mut self, var: usize) -> Register {
        self.emit(|r| Instruction::Var(r, var))
    }

    pub fn cube(&mut self, vars: Vec<usize>) -> Register {
        self.emit(|r| Instruction::Cube(r, vars))
    }

    pub fn not(&mut self, a: Register) -> Register {
        self.emit(|r| Instruction::Not(r, a))
    }

    pub fn and(&mut self, a: Register, b: Register) -> Register {
        self.emit(|r| Instruction::And(r, a, b))
    }

    pub fn or(&mut self, a: Register, b: Register) -> Register {
        self.emit(|r| Instruction::Or(r, a, b))
    }

    pub fn xor(&mut self, a: Register, b: Register) -> Register {
        self.emit(|r| Instruction::Xor(r, a, b))
    }

    pub fn ite(&mut self, a: Register, b: Register, c: Register) -> Register {
        self.emit(|r| Instruction::Ite(r, a, b, c))
    }

    pub fn and_exists(&mut self, a: Register, b: Register, cube: Register) -> Register {
        self.emit(|r| Instruction::AndExists(r, a, b, cube))
    }

    pub fn free(&mut self, registers: impl IntoIterator<Item = Register>) {
        for register in registers {
            self.instructions.push(Instruction::Free(register));
            self.free.push(register);
        }
    }

    pub fn push(&mut self, instruction: Instruction) {
        self.instructions.push(instruction);
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}", self.vars, self.registers)?;
        for instruction in &self.instructions {
            match instruction {
                Instruction::Var(r, v) => writeln!(f, "v {r} {v}")?,
                Instruction::Cube(r, vars) => {
                    write!(f, "c {r} {}", vars.len())?;
                    vars.iter().try_for_each(|v| write!(f, " {v}"))?;
                    writeln!(f)?;
                }
                Instruction::Not(r, a) => writeln!(f, "! {r} {a}")?,
                Instruction::And(r, a, b) => writeln!(f, "& {r} {a} {b}")?,
                Instruction::Or(r, a, b) => writeln!(f, "| {r} {a} {b}")?,
                Instruction::Xor(r, a, b) => writeln!(f, "^ {r} {a} {b}")?,
                Instruction::Ite(r, a, b, c) => writeln!(f, "? {r} {a} {b} {c}")?,
                Instruction::AndExists(r, a, b, c) => writeln!(f, "e {r} {a} {b} {c}")?,
                Instruction::Free(r) => writeln!(f, "f {r}")?,
                Instruction::Reorder => writeln!(f, "o")?,
                Instruction::Start => writeln!(f, "s")?,
                Instruction::Stop => writeln!(f, "t")?,
                Instruction::Count(r) => writeln!(f, "n {r}")?,
            }
        }
        Ok(())
    }
}

impl FromStr for Script {
    type Err = String;

    fn from_str(text: &str) -> Result<Script, String> {
        let mut lines = text.lines().enumerate();
        let head = lines.next().map(|(_, line)| numbers(line, 0)).transpose()?;
        let Some(&[vars, registers]) = head.as_deref() else {
            return Err("line 1: expected the numbers of variables and registers".into());
        };
        let mut script = Script { vars, registers, ..Script::default() };
        for (number, line) in lines {
            let operands = numbers(line.get(1..).unwrap_or(""), number)?;
            let instruction = match (line.get(..1), operands.as_slice()) {
                (Some("v"), &[r, v]) => Instruction::Var(r, v),
                (Some("c"), [r, _, vars @ ..]) => Instruction::Cube(*r, vars.to_vec()),
                (Some("!"), &[r, a]) => Instruction::Not(r, a),
                (Some("&"), &[r, a, b]) => Instruction::And(r, a, b),
                (Some("|"), &[r, a, b]) => Instruction::Or(r, a, b),
                (Some("^"), &[r, a, b]) => Instruction::Xor(r, a, b),
                (Some("?"), &[r, a, b, c]) => Instruction::Ite(r, a, b, c),
                (Some("e"), &[r, a, b, c]) => Instruction::AndExists(r, a, b, c),
                (Some("f"), &[r]) => Instruction::Free(r),
                (Some("o"), []) => Instruction::Reorder,
                (Some("s"), []) => Instruction::Start,
                (Some("t"), []) => Instruction::Stop,
                (Some("n"), &[r]) => Instruction::Count(r),
                _ => return Err(format!("line {}: expected an instruction", number + 1)),
            };
            script.push(instruction);
        }
        Ok(script)
    }
}

fn numbers(text: &str, line: usize) -> Result<Vec<usize>, String> {
    text.split_whitespace()
        .map(|word| word.parse().map_err(|_| format!("line {}: expected a number", line + 1)))
        .collect()
}
