//! From tokens to the syntax tree: a hand-written recursive-descent parser.
//!
//! The parser knows which names are typedefs (see `scope`), because C cannot be parsed without. It
//! reports every error it can: after one, it skips to the next `;` or `}` and goes on, up to
//! [`MAX_ERRORS`]. Nesting is bounded by [`MAX_NESTING`] and the height of expressions by
//! [`MAX_EXPRESSION_HEIGHT`], so that neither the parser nor a consumer of the tree can overflow
//! [a deep stack](crate::stack).

mod asm;
mod attribute;
mod binary;
mod declarator;
mod expression;
mod external;
mod initializer;
mod primary;
mod record;
mod recovery;
mod scope;
mod specifiers;
mod statement;

use std::collections::VecDeque;

use sapa_limits::{Limits, Pace};

use super::ast::{
    Expression, ExpressionKind, Identifier, LiteralId, StringLiteral, TranslationUnit,
};
use super::lexer::{Lexer, decode_string};
use super::token::{Keyword, Punctuator, Token, TokenKind};
use crate::diagnostic::{Diagnostic, Severity};
use crate::position::{Files, Position};
use crate::stack::on_deep_stack;
use scope::Scopes;

/// The parser stops after this number of errors in one file.
pub const MAX_ERRORS: usize = 50;

/// How deep brackets, statements, prefix operators and the like may nest.
pub const MAX_NESTING: u32 = 1000;

/// The largest [`Expression::height`] of a parsed tree.
pub const MAX_EXPRESSION_HEIGHT: u32 = 4000;

/// For [`Pace::work`].
const WORK_OF_TOKEN: usize = 32;

/// A translation unit that was accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The tree.
    pub unit: TranslationUnit,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}

/// Parses preprocessed C.
///
/// `file_name` holds until the first line marker. The text need not be UTF-8.
///
/// # Errors
/// All errors of the file (at most [`MAX_ERRORS`]) and its warnings, in the order of the text.
///
/// ```
/// use sapa_frontend::c::parser::parse;
///
/// let parsed = parse("a.c", b"int main(void) { return 0; }").unwrap();
/// assert_eq!(parsed.unit.items.len(), 1);
/// let errors = parse("a.c", b"int main(void) { return 0 }").unwrap_err();
/// assert_eq!(errors[0].to_string(), "a.c:1:27: error: expected ';' after 'return', found '}'");
/// ```
pub fn parse(file_name: &str, source: &[u8]) -> Result<Parsed, Vec<Diagnostic>> {
    parse_within(file_name, source, &Limits::default())
}

/// As [`parse`], as long as the limits hold.
///
/// # Errors
/// As [`parse`]; the last error says it if a limit ended the parsing.
pub fn parse_within(
    file_name: &str,
    source: &[u8],
    limits: &Limits,
) -> Result<Parsed, Vec<Diagnostic>> {
    let on_thread = on_deep_stack(|| {
        let mut parser = Parser::new(file_name, source, limits);
        let items = parser.translation_unit();
        parser.drain_lexer();
        let Parser { lexer, diagnostics, .. } = parser;
        if diagnostics.iter().any(Diagnostic::is_error) {
            Err(diagnostics)
        } else {
            let unit = TranslationUnit { files: lexer.into_files(), items };
            Ok(Parsed { unit, warnings: diagnostics })
        }
    });
    on_thread.unwrap_or_else(|error| {
        let message = format!("cannot start the parser's thread: {error}");
        Err(vec![Diagnostic::new(Severity::Error, None, message)])
    })
}

/// Parses one line of a file of predicates; [on a deep stack](on_deep_stack), as all that walks
/// trees.
///
/// # Errors
/// The first thing that is wrong with it.
pub(crate) fn parse_predicate(
    file_name: &str,
    line: u32,
    source: &[u8],
) -> Result<(Expression, Files), Diagnostic> {
    let limits = Limits::default();
    let mut parser = Parser::of(Lexer::of_predicate(file_name, line, source), &limits);
    let parsed = parser.constant();
    if parsed.is_ok() && !parser.at_end() {
        let _ = parser.expected("an operator or the end of the line");
    }
    parser.drain_lexer();
    let Parser { lexer, diagnostics, .. } = parser;
    match (diagnostics.into_iter().find(Diagnostic::is_error), parsed) {
        (None, Ok(expression)) => Ok((expression, lexer.into_files())),
        (Some(error), _) => Err(error),
        (None, Err(Failed)) => Err(Diagnostic::new(Severity::Error, None, "no predicate")),
    }
}

/// The error was reported; the caller recovers or passes it on.
#[derive(Debug)]
struct Failed;

type Parse<T> = Result<T, Failed>;

struct Parser<'a> {
    lexer: Lexer<'a>,
    limits: &'a Limits,
    pace: Pace<'a>,
    lookahead: VecDeque<Token>,
    diagnostics: Vec<Diagnostic>,
    error_count: usize,
    /// Set when parsing cannot go on; every loop ends then.
    is_stopped: bool,
    scopes: Scopes,
    depth: u32,
    /// The height of the highest expression made since it was last reset.
    tallest: u32,
    /// Literals so far.
    literals: u32,
}

impl<'a> Parser<'a> {
    fn new(file_name: &str, source: &'a [u8], limits: &'a Limits) -> Self {
        Self::of(Lexer::new(file_name, source), limits)
    }

    fn of(mut lexer: Lexer<'a>, limits: &'a Limits) -> Self {
        let scopes = Scopes::with_builtin_types(&mut lexer);
        Self {
            lexer,
            limits,
            pace: limits.pace(),
            lookahead: VecDeque::new(),
            diagnostics: Vec::new(),
            error_count: 0,
            is_stopped: false,
            scopes,
            depth: 0,
            tallest: 0,
            literals: 0,
        }
    }

    /// The token that comes `ahead` tokens after the next one.
    fn peek_at(&mut self, ahead: usize) -> &Token {
        while self.lookahead.len() <= ahead {
            let token = self.lexer.next_token();
            self.lookahead.push_back(token);
        }
        &self.lookahead[ahead]
    }

    fn peek(&mut self) -> &Token {
        self.peek_at(0)
    }

    fn bump(&mut self) -> Token {
        if let Err(exceeded) = self.pace.work(WORK_OF_TOKEN)
            && !self.is_stopped
        {
            self.is_stopped = true;
            self.diagnostics.push(Diagnostic::stopped(self.limits, exceeded));
            // So that all loops over tokens end.
            self.lookahead.clear();
            self.lexer.skip_to_end();
        }
        self.peek();
        let token = self.lookahead.pop_front();
        // Lexical errors come before what the parser says about later tokens.
        self.drain_lexer();
        token.unwrap_or_else(|| self.lexer.next_token())
    }

    fn position(&mut self) -> Position {
        self.peek().position
    }

    fn at_punctuator(&mut self, punctuator: Punctuator) -> bool {
        self.at_punctuator_ahead(0, punctuator)
    }

    fn at_punctuator_ahead(&mut self, ahead: usize, punctuator: Punctuator) -> bool {
        self.peek_at(ahead).kind == TokenKind::Punctuator(punctuator)
    }

    fn punctuator(&mut self) -> Option<Punctuator> {
        match self.peek().kind {
            TokenKind::Punctuator(punctuator) => Some(punctuator),
            _ => None,
        }
    }

    fn keyword_ahead(&mut self, ahead: usize) -> Option<Keyword> {
        match self.peek_at(ahead).kind {
            TokenKind::Keyword(keyword) => Some(keyword),
            _ => None,
        }
    }

    fn keyword(&mut self) -> Option<Keyword> {
        self.keyword_ahead(0)
    }

    fn at_end(&mut self) -> bool {
        self.peek().kind == TokenKind::EndOfFile
    }

    /// Takes the next token if it is this punctuator.
    fn eat(&mut self, punctuator: Punctuator) -> bool {
        let found = self.at_punctuator(punctuator);
        if found {
            self.bump();
        }
        found
    }

    /// Takes the next token if it is this keyword.
    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.keyword() == Some(keyword);
        if found {
            self.bump();
        }
        found
    }

    /// Takes this punctuator or says what it would have followed or ended: "expected ';' after
    /// 'return', found …".
    fn require(&mut self, punctuator: Punctuator, place: &str) -> Parse<Position> {
        if self.at_punctuator(punctuator) {
            return Ok(self.bump().position);
        }
        Err(self.expected(&format!("'{}' {place}", punctuator.spelling())))
    }

    fn expect_identifier(&mut self, what: &str) -> Parse<Identifier> {
        if let TokenKind::Identifier(name) = &self.peek().kind {
            let name = name.clone();
            let position = self.bump().position;
            return Ok(Identifier { name, position });
        }
        Err(self.expected(what))
    }

    /// One or more adjacent string literals, joined.
    fn expect_string(&mut self, what: &str) -> Parse<StringLiteral> {
        use super::ast::Encoding;
        let position = self.position();
        let mut parts = Vec::new();
        let mut encoding = Encoding::Plain;
        while let TokenKind::String(part) = self.peek().kind {
            let token = self.bump();
            if encoding == Encoding::Plain {
                encoding = part;
            } else if part != Encoding::Plain && part != encoding {
                self.error(token.position, "joined string literals have different prefixes");
            }
            parts.push(token);
        }
        if parts.is_empty() {
            return Err(self.expected(what));
        }
        let mut units = Vec::new();
        for token in &parts {
            let text = self.text(token);
            if let Err(message) = decode_string(text, encoding, &mut units) {
                self.error(token.position, message);
            }
        }
        Ok(StringLiteral { id: self.literal_id(), position, encoding, units })
    }

    fn literal_id(&mut self) -> LiteralId {
        self.literals += 1;
        LiteralId(self.literals)
    }

    fn text(&self, token: &Token) -> &'a [u8] {
        self.lexer.source().get(token.start..token.end).unwrap_or_default()
    }

    /// Runs a parsing function one level deeper, if that is allowed.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_NESTING {
            let position = self.position();
            let message = format!("the program nests deeper than {MAX_NESTING} levels");
            return Err(self.stop(position, message));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Runs a parsing function and tells the height of the highest expression that it made.
    fn measured<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<(T, u32)> {
        let before = std::mem::take(&mut self.tallest);
        let result = parse(self);
        let height = self.tallest;
        self.tallest = before.max(height);
        result.map(|value| (value, height))
    }

    /// Makes an expression.
    fn node(&mut self, position: Position, kind: ExpressionKind) -> Parse<Expression> {
        self.node_over(position, kind, 0)
    }

    /// Makes an expression over types, blocks or initialisers of a [`Self::measured`] height.
    fn node_over(
        &mut self,
        position: Position,
        kind: ExpressionKind,
        hidden: u32,
    ) -> Parse<Expression> {
        let expression = Expression::with_hidden_height(position, kind, hidden);
        if expression.height() > MAX_EXPRESSION_HEIGHT {
            let message = format!(
                "the expression has more than {MAX_EXPRESSION_HEIGHT} operators in a chain"
            );
            return Err(self.stop(position, message));
        }
        self.tallest = self.tallest.max(expression.height());
        Ok(expression)
    }
}
