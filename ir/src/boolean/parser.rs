//! Reads Boolean programs; the grammar is in `docs/boolean-programs.md`.

use super::ast::{
    Expression, Invariant, Owner, Position, Procedure, Program, Statement, StatementKind, Target,
    Variable,
};
use super::error::{Error, Errors, counted};
use super::lexer::{Token, TokenKind, tokenize};
use sapa_limits::{Limits, Pace};

/// How deep expressions and statements may nest; keeps the stack small on hostile input.
pub const MAX_NESTING: usize = 200;

const MAX_ERRORS: usize = 20;

/// A token, for [`Pace::work`].
const WORK: usize = 16;

/// Words that are no names of variables, procedures or labels.
pub const KEYWORDS: &[&str] = &[
    "begin",
    "end",
    "decl",
    "void",
    "bool",
    "goto",
    "while",
    "do",
    "od",
    "skip",
    "enforce",
    "abortif",
    "assume",
    "assert",
    "start_thread",
    "start_thread_or_wait",
    "end_thread",
    "thread_local",
    "sync",
    "atomic_begin",
    "atomic_end",
    "constrain",
    "dead",
    "return",
    "if",
    "then",
    "else",
    "elsif",
    "elif",
    "fi",
    "dfs",
    "schoose",
    "choose",
    "T",
    "F",
    "_",
];

/// Whether a word can be the name of a variable, procedure or label.
pub fn is_name(word: &str) -> bool {
    !KEYWORDS.contains(&word)
        && matches!(&tokenize(word, &Limits::default()).as_deref(), Ok([t, _]) if t.kind == TokenKind::Name)
}

/// Reads a program.
///
/// # Errors
/// All errors found (reading goes on after the next `;`), at most twenty.
pub fn parse(text: &str) -> Result<Program, Errors> {
    parse_within(text, &Limits::default())
}

/// As [`parse`], as long as the limits hold.
///
/// # Errors
/// As [`parse`]; the last error says it if a limit ended the reading.
pub fn parse_within(text: &str, limits: &Limits) -> Result<Program, Errors> {
    let tokens = tokenize(text, limits)?;
    let lock_is_procedure = tokens.windows(3).any(|w| {
        ["void", "bool", ">"].contains(&&*w[0].text)
            && ["lock", "unlock"].contains(&&*w[1].text)
            && w[2].text == "("
    });
    let (errors, stopped) = (Vec::new(), false);
    let pace = limits.pace();
    let (at, depth, is_fixed) = (0, 0, false);
    let mut parser =
        Parser { pace, tokens, at, depth, errors, stopped, lock_is_procedure, is_fixed };
    let program = parser.program();
    if parser.errors.is_empty() { Ok(program) } else { Err(Errors(parser.errors)) }
}

struct Parser<'l> {
    pace: Pace<'l>,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    errors: Vec<Error>,
    /// Whether what follows is not read any more, and so is no error.
    stopped: bool,
    lock_is_procedure: bool,
    /// Whether what is read has no choices.
    is_fixed: bool,
}

type Parsed<T> = Result<T, Error>;

impl Parser<'_> {
    fn token(&self, ahead: usize) -> &Token {
        // The last token is `End` and is never passed.
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }
    fn is(&self, text: &str) -> bool {
        self.token(0).text == text && self.token(0).kind != TokenKind::End
    }
    fn position(&self) -> Position {
        self.token(0).position
    }
    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        if let Err(exceeded) = self.pace.work(WORK) {
            self.stop(Error::new(self.position(), exceeded.to_string()));
        }
    }
    fn accept(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.advance();
        }
        found
    }
    fn expected<T>(&self, what: &str) -> Parsed<T> {
        let found = self.token(0);
        let found = match found.kind {
            TokenKind::End => "end of file".to_owned(),
            _ => format!("`{}`", found.text),
        };
        Err(Error::new(self.position(), format!("expected {what}, found {found}")))
    }
    fn require(&mut self, text: &str) -> Parsed<()> {
        if self.accept(text) { Ok(()) } else { self.expected(&format!("`{text}`")) }
    }
    fn name(&mut self, what: &str) -> Parsed<String> {
        let token = self.token(0);
        let fit = token.kind == TokenKind::Name && !KEYWORDS.contains(&&*token.text);
        if !fit {
            return self.expected(what);
        }
        let text = token.text.clone();
        self.advance();
        Ok(text)
    }
    fn label(&mut self) -> Parsed<String> {
        if self.token(0).kind == TokenKind::Number {
            let text = self.token(0).text.clone();
            self.advance();
            return Ok(text);
        }
        self.name("a label")
    }
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            let message = format!("nested more than {MAX_NESTING} levels deep");
            let error = Error::new(self.position(), message);
            // What closes the levels is missing then for those above.
            self.stop(error.clone());
            return Err(error);
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }
    /// Notes an error, and reads no further.
    fn stop(&mut self, error: Error) {
        if !self.stopped {
            self.errors.push(error);
        }
        self.stopped = true;
        self.at = self.tokens.len() - 1;
    }
    /// Notes an error and skips past the next `;`.
    fn recover(&mut self, error: Error) {
        if self.stopped || self.errors.len() + 1 >= MAX_ERRORS {
            return self.stop(error);
        }
        self.errors.push(error);
        while self.token(0).kind != TokenKind::End && !self.is("end") {
            if self.accept(";") {
                return;
            }
            self.advance();
        }
    }

    fn program(&mut self) -> Program {
        let mut program = Program::default();
        while self.token(0).kind != TokenKind::End {
            let start = self.at;
            let result = if self.is("decl") {
                self.declaration().and_then(|variables| {
                    program.globals.extend(variables);
                    self.require(";")
                })
            } else if self.is("invariant") {
                self.invariant().map(|invariant| program.invariants.push(invariant))
            } else {
                self.procedure().map(|procedure| program.procedures.push(procedure))
            };
            if let Err(error) = result {
                self.recover(error);
                if self.at == start || self.is("end") {
                    self.advance();
                }
            }
        }
        program
    }

    /// `invariant e;`. The word is a name elsewhere.
    fn invariant(&mut self) -> Parsed<Invariant> {
        let position = self.position();
        self.require("invariant")?;
        self.is_fixed = true;
        let condition = self.expression();
        self.is_fixed = false;
        let condition = condition?;
        self.require(";")?;
        Ok(Invariant { condition, position })
    }

    /// That a choice may stand here.
    fn chooses(&self) -> Parsed<()> {
        if !self.is_fixed {
            return Ok(());
        }
        let text = &self.token(0).text;
        let message = format!("an invariant has no choice; write it without `{text}`");
        Err(Error::new(self.position(), message))
    }

    fn declaration(&mut self) -> Parsed<Vec<Variable>> {
        self.require("decl")?;
        let thread_local = self.accept("thread_local");
        let mut variables = Vec::new();
        loop {
            let position = self.position();
            let name = self.name("a variable name")?;
            let initial =
                if self.accept(":=") || self.accept("=") { Some(self.expression()?) } else { None };
            variables.push(Variable { name, thread_local, initial, position });
            if !self.accept(",") {
                return Ok(variables);
            }
        }
    }

    fn procedure(&mut self) -> Parsed<Procedure> {
        self.accept("dfs");
        let position = self.position();
        let returns = if self.accept("void") {
            0
        } else if self.accept("bool") {
            self.width()?
        } else {
            return self.expected("`decl`, `invariant`, `void` or `bool`");
        };
        let name = self.name("a procedure name")?;
        self.require("(")?;
        let mut parameters = Vec::new();
        while !self.is(")") {
            parameters.push(self.name("a parameter name")?);
            if !self.accept(",") {
                break;
            }
        }
        self.require(")")?;
        self.require("begin")?;
        let body = self.block(&["end"])?;
        self.require("end")?;
        Ok(Procedure { name, returns, parameters, body, position })
    }

    fn width(&mut self) -> Parsed<u32> {
        if !self.accept("<") {
            return Ok(1);
        }
        let width = self.token(0).text.parse().ok().filter(|w| *w <= 1024);
        let Some(width) = width else { return self.expected("a number up to 1024") };
        self.advance();
        self.require(">")?;
        Ok(width)
    }

    /// Statements up to one of the closing words, which is not consumed.
    fn block(&mut self, close: &[&str]) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        loop {
            if close.iter().any(|word| self.is(word)) {
                return Ok(statements);
            }
            if self.token(0).kind == TokenKind::End {
                return self.expected(&format!("`{}`", close[0]));
            }
            match self.statement() {
                Ok(statement) => {
                    statements.push(statement);
                    if !self.accept(";") && !close.iter().any(|word| self.is(word)) {
                        let error = self.expected::<()>(&format!("`;` or `{}`", close[0]));
                        error.unwrap_or_else(|e| self.recover(e));
                    }
                }
                Err(error) => {
                    self.recover(error);
                    if self.is("end") && !close.contains(&"end") {
                        return self.expected(&format!("`{}`", close[0]));
                    }
                }
            }
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let mut labels = Vec::new();
        while self.token(1).text == ":"
            && matches!(self.token(0).kind, TokenKind::Name | TokenKind::Number)
        {
            labels.push(self.label()?);
            self.advance();
        }
        let position = self.position();
        let kind = self.nested(Self::statement_kind)?;
        Ok(Statement { labels, kind, position, origin: None })
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        let word = self.token(0).text.clone();
        let simple = match &*word {
            "skip" => Some(StatementKind::Skip),
            "end_thread" => Some(StatementKind::EndThread),
            "atomic_begin" => Some(StatementKind::AtomicBegin),
            "atomic_end" => Some(StatementKind::AtomicEnd),
            _ => None,
        };
        if let Some(kind) = simple {
            self.advance();
            return Ok(kind);
        }
        let condition: Option<fn(Expression) -> StatementKind> = match &*word {
            "assume" => Some(StatementKind::Assume),
            "assert" => Some(StatementKind::Assert),
            "abortif" => Some(StatementKind::AbortIf),
            "enforce" => Some(StatementKind::Enforce),
            _ => None,
        };
        if let Some(make) = condition {
            self.advance();
            return Ok(make(self.expression()?));
        }
        match &*word {
            "decl" => Ok(StatementKind::Declare(self.declaration()?)),
            "goto" => {
                self.advance();
                let mut labels = vec![self.label()?];
                while self.accept(",") {
                    labels.push(self.label()?);
                }
                Ok(StatementKind::Goto(labels))
            }
            "if" => self.conditional(),
            "while" => {
                self.advance();
                let condition = self.expression()?;
                self.require("do")?;
                let body = self.block(&["od"])?;
                self.require("od")?;
                Ok(StatementKind::While { condition, body })
            }
            "return" => {
                self.advance();
                let none = [";", "end", "fi", "od", "else", "elsif", "elif"]
                    .iter()
                    .any(|close| self.is(close));
                let values = if none { Vec::new() } else { self.expressions()? };
                Ok(StatementKind::Return(values))
            }
            "dead" => {
                self.advance();
                Ok(StatementKind::Dead(self.expressions()?))
            }
            "sync" => {
                self.advance();
                Ok(StatementKind::Sync(self.name("a name")?))
            }
            "start_thread" => self.start_thread(false),
            "start_thread_or_wait" => self.start_thread(true),
            "lock" | "unlock" if self.is_lock() => {
                self.advance();
                let parenthesised = self.accept("(");
                let name = self.name("a variable name")?;
                if parenthesised {
                    self.require(")")?;
                }
                Ok(match &*word {
                    "lock" => StatementKind::Lock(name),
                    _ => StatementKind::Unlock(name),
                })
            }
            _ => self.assignment_or_call(),
        }
    }

    /// `lock` is also a popular variable name, so it is a keyword only before an operand.
    fn is_lock(&self) -> bool {
        let next = self.token(1);
        next.kind == TokenKind::Name || (next.text == "(" && !self.lock_is_procedure)
    }

    fn conditional(&mut self) -> Parsed<StatementKind> {
        const CLOSE: &[&str] = &["fi", "else", "elsif", "elif"];
        let mut branches = Vec::new();
        self.advance();
        loop {
            let condition = self.expression()?;
            self.require("then")?;
            branches.push((condition, self.block(CLOSE)?));
            if !(self.accept("elsif") || self.accept("elif")) {
                break;
            }
        }
        let otherwise = if self.accept("else") { Some(self.block(&["fi"])?) } else { None };
        self.require("fi")?;
        Ok(StatementKind::If { branches, otherwise })
    }

    fn start_thread(&mut self, waits: bool) -> Parsed<StatementKind> {
        self.advance();
        let label = matches!(self.token(0).kind, TokenKind::Name | TokenKind::Number)
            && !KEYWORDS.contains(&&*self.token(0).text)
            && [";", "end", "fi", "od", "else", "elsif", "elif"].contains(&&*self.token(1).text);
        let statement = if label {
            let position = self.position();
            let kind = StatementKind::Goto(vec![self.label()?]);
            Statement { position, ..kind.into() }
        } else {
            self.statement()?
        };
        Ok(StatementKind::StartThread { waits, thread: Box::new(statement) })
    }

    fn assignment_or_call(&mut self) -> Parsed<StatementKind> {
        if self.token(1).text == "(" && self.token(0).kind == TokenKind::Name {
            return self.call(Vec::new());
        }
        if !(self.is("[") || self.token(0).kind == TokenKind::Name) {
            return self.expected("a statement");
        }
        let mut targets = vec![self.target()?];
        while self.accept(",") {
            targets.push(self.target()?);
        }
        self.require(":=")?;
        let callee = self.token(0).kind == TokenKind::Name
            && !KEYWORDS.contains(&&*self.token(0).text)
            && self.token(1).text == "(";
        if callee {
            return self.call(targets);
        }
        let position = self.position();
        let values = self.expressions()?;
        if values.len() != targets.len() {
            let message = format!(
                "{} but {}",
                counted(targets.len(), "target"),
                counted(values.len(), "value")
            );
            return Err(Error::new(position, message));
        }
        let constraint = if self.accept("constrain") { Some(self.expression()?) } else { None };
        Ok(StatementKind::Assign { targets, values, constraint })
    }

    fn call(&mut self, targets: Vec<Target>) -> Parsed<StatementKind> {
        let callee = self.name("a statement")?;
        self.require("(")?;
        let arguments = if self.is(")") { Vec::new() } else { self.expressions()? };
        self.require(")")?;
        Ok(StatementKind::Call { targets, callee, arguments })
    }

    fn target(&mut self) -> Parsed<Target> {
        if self.accept("_") {
            return Ok(Target::Ignore);
        }
        let (name, owner) = self.variable()?;
        Ok(Target::Variable { name, owner })
    }

    /// `v`, `[v]` or `v$`.
    fn variable(&mut self) -> Parsed<(String, Owner)> {
        if self.accept("[") {
            let name = self.name("a variable name")?;
            self.require("]")?;
            return Ok((name, Owner::Passive));
        }
        let name = self.name("a variable name")?;
        match name.strip_suffix('$') {
            Some(stem) if !stem.is_empty() => Ok((stem.to_owned(), Owner::Passive)),
            _ => Ok((name, Owner::Active)),
        }
    }

    fn expressions(&mut self) -> Parsed<Vec<Expression>> {
        let mut expressions = vec![self.expression()?];
        while self.accept(",") {
            expressions.push(self.expression()?);
        }
        Ok(expressions)
    }

    fn expression(&mut self) -> Parsed<Expression> {
        self.nested(|p| {
            let condition = p.comparison()?;
            if !p.accept("?") {
                return Ok(condition);
            }
            let then = p.expression()?;
            p.require(":")?;
            let otherwise = p.expression()?;
            Ok(Expression::conditional(condition, then, otherwise))
        })
    }

    fn comparison(&mut self) -> Parsed<Expression> {
        self.nested(|p| {
            let left = p.chain(0)?;
            let make: fn(Expression, Expression) -> Expression = match &*p.token(0).text {
                "=" | "==" => Expression::equal,
                "!=" => Expression::not_equal,
                "=>" | "->" => Expression::implies,
                _ => return Ok(left),
            };
            p.advance();
            Ok(make(left, p.comparison()?))
        })
    }

    /// `^`, then `|`, then `&`, each tighter than the one before.
    fn chain(&mut self, level: usize) -> Parsed<Expression> {
        type Make = fn(Vec<Expression>) -> Expression;
        const LEVELS: [(&str, &str, Make); 3] = [
            ("^", "^", |es| Expression::xor(es)),
            ("|", "||", |es| Expression::or(es)),
            ("&", "&&", |es| Expression::and(es)),
        ];
        let Some((short, long, make)) = LEVELS.get(level) else { return self.unary() };
        let mut operands = vec![self.chain(level + 1)?];
        while self.accept(short) || self.accept(long) {
            operands.push(self.chain(level + 1)?);
        }
        Ok(make(operands))
    }

    fn unary(&mut self) -> Parsed<Expression> {
        if self.accept("!") || self.accept("~") {
            return Ok(Expression::not(self.nested(Self::unary)?));
        }
        let word = self.token(0).text.clone();
        match &*word {
            "(" => {
                self.advance();
                let inner = self.expression()?;
                self.require(")")?;
                Ok(inner)
            }
            "*" => {
                self.chooses()?;
                self.advance();
                Ok(Expression::Nondet)
            }
            "0" | "F" | "1" | "T" => {
                self.advance();
                Ok(Expression::Constant(word == "1" || word == "T"))
            }
            "choose" | "schoose" => {
                self.chooses()?;
                self.advance();
                let close = if self.accept("(") {
                    ")"
                } else {
                    self.require("[")?;
                    "]"
                };
                let positive = self.expression()?;
                self.require(",")?;
                let negative = self.expression()?;
                self.require(close)?;
                Ok(Expression::choose(positive, negative))
            }
            _ => {
                let prefix = self.accept("'");
                let named = self.is("[") || self.token(0).kind == TokenKind::Name;
                if !named {
                    return self.expected("an expression");
                }
                let (name, owner) = self.variable()?;
                let postfix = self.is("'") && !self.token(0).spaced && self.accept("'");
                Ok(Expression::Variable { name, owner, next: prefix || postfix })
            }
        }
    }
}
