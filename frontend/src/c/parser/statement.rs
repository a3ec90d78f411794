//! Statements.

use super::{Failed, Keyword, Parse, Parser, Punctuator};
use crate::c::ast::{
    Attribute, Block, BlockItem, Expression, ForInitializer, Identifier, Label, LabelKind,
    Statement, StatementKind,
};
use crate::c::token::TokenKind;

impl Parser<'_> {
    /// `{ … }` with a scope of its own.
    pub(super) fn block(&mut self) -> Parse<Block> {
        self.scopes.enter();
        let block = self.block_in_scope();
        self.scopes.leave();
        block
    }

    /// `{ … }` in the scope that is already open: the body of a function.
    pub(super) fn block_in_scope(&mut self) -> Parse<Block> {
        let position = self.require(Punctuator::LeftBrace, "before the block")?;
        let mut items = Vec::new();
        loop {
            if self.at_punctuator(Punctuator::RightBrace) {
                let end = self.bump().position;
                return Ok(Block { position, items, end });
            }
            if self.at_end() {
                return Err(self.expected("'}' at the end of the block"));
            }
            match self.block_item() {
                Ok(item) => items.push(item),
                Err(Failed) => self.recover(),
            }
            if self.is_stopped {
                return Err(Failed);
            }
        }
    }

    fn block_item(&mut self) -> Parse<BlockItem> {
        match self.keyword() {
            Some(Keyword::StaticAssert) => {
                return Ok(BlockItem::StaticAssert(self.static_assert()?));
            }
            Some(Keyword::LocalLabel) => return Ok(BlockItem::LocalLabels(self.local_labels()?)),
            _ => {}
        }
        let mut attributes = Vec::new();
        if self.at_bracketed_attributes(0) {
            self.attributes(&mut attributes)?;
        }
        if !self.at_block_declaration() {
            self.check_statement_attributes(&attributes)?;
            return Ok(BlockItem::Statement(self.statement()?));
        }
        while self.eat_keyword(Keyword::Extension) {}
        let mut declaration = self.declaration()?;
        declaration.specifiers.attributes.splice(0..0, attributes);
        // `__attribute__((fallthrough));`
        let is_nothing = declaration.declarators.is_empty()
            && !declaration.specifiers.attributes.is_empty()
            && self.only_attributes(&declaration.specifiers);
        Ok(if is_nothing {
            let position = declaration.position;
            BlockItem::Statement(Statement { position, kind: StatementKind::Empty })
        } else {
            BlockItem::Declaration(declaration)
        })
    }

    fn only_attributes(&self, specifiers: &crate::c::ast::Specifiers) -> bool {
        specifiers.base == crate::c::ast::TypeSpecifier::Int
            && specifiers.storage.is_none()
            && specifiers.qualifiers.is_empty()
    }

    /// Whether a declaration rather than a statement comes next.
    fn at_block_declaration(&mut self) -> bool {
        let mut ahead = 0;
        while self.keyword_ahead(ahead) == Some(Keyword::Extension) {
            // No need to look further than the lookahead should grow.
            if ahead == 8 {
                return false;
            }
            ahead += 1;
        }
        if let TokenKind::Identifier(_) = self.peek_at(ahead).kind {
            if self.at_punctuator_ahead(ahead + 1, Punctuator::Colon) {
                return false;
            }
            // Two names in a row: an unknown type, which the declaration reports.
            return self.at_type_name(ahead)
                || matches!(self.peek_at(ahead + 1).kind, TokenKind::Identifier(_));
        }
        self.at_type_name(ahead)
    }

    fn local_labels(&mut self) -> Parse<Vec<Identifier>> {
        self.bump();
        let mut labels = Vec::new();
        loop {
            labels.push(self.expect_identifier("a label")?);
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.require(Punctuator::Semicolon, "after the local labels")?;
        Ok(labels)
    }

    pub(super) fn statement(&mut self) -> Parse<Statement> {
        self.nested(|parser| {
            let position = parser.position();
            let mut attributes = Vec::new();
            if parser.at_bracketed_attributes(0) {
                parser.attributes(&mut attributes)?;
            }
            let labels = parser.labels()?;
            if labels.is_empty() {
                parser.check_statement_attributes(&attributes)?;
                return parser.unlabeled_statement();
            }
            if parser.at_bracketed_attributes(0) {
                parser.attributes(&mut attributes)?;
                if parser.at_block_declaration() {
                    let position = parser.position();
                    return parser.fail(
                        position,
                        "attributes of a declaration after a label are not supported: put a ';' after the label",
                    );
                }
            }
            parser.check_statement_attributes(&attributes)?;
            // C23 and older GCC: a label before `}` or a declaration.
            let is_alone =
                parser.at_punctuator(Punctuator::RightBrace) || parser.at_block_declaration();
            let statement = if is_alone {
                let position = parser.position();
                Statement { position, kind: StatementKind::Empty }
            } else {
                parser.unlabeled_statement()?
            };
            let statement = Box::new(statement);
            Ok(Statement { position, kind: StatementKind::Labeled { labels, statement } })
        })
    }

    /// Refuses attributes of a statement or label, written as `[[…]]`, that may mean something.
    fn check_statement_attributes(&mut self, attributes: &[Attribute]) -> Parse<()> {
        const HINTS: &[&str] = &[
            "fallthrough",
            "likely",
            "unlikely",
            "maybe_unused",
            "unused",
            "hot",
            "cold",
            "musttail",
            "clang::fallthrough",
            "clang::musttail",
        ];
        match attributes.iter().find(|attribute| !HINTS.contains(&&*attribute.name)) {
            None => Ok(()),
            Some(attribute) => {
                let message = format!("the attribute '{}' is no statement's", attribute.name);
                self.fail(attribute.position, &message)
            }
        }
    }

    fn labels(&mut self) -> Parse<Vec<Label>> {
        let mut labels = Vec::new();
        loop {
            let position = self.position();
            let kind = match self.peek().kind.clone() {
                TokenKind::Identifier(name) if self.at_punctuator_ahead(1, Punctuator::Colon) => {
                    self.bump();
                    LabelKind::Named(name)
                }
                TokenKind::Keyword(Keyword::Case) => {
                    self.bump();
                    let first = self.constant()?;
                    if self.eat(Punctuator::Ellipsis) {
                        LabelKind::CaseRange(first, self.constant()?)
                    } else {
                        LabelKind::Case(first)
                    }
                }
                TokenKind::Keyword(Keyword::Default) => {
                    self.bump();
                    LabelKind::Default
                }
                _ => return Ok(labels),
            };
            self.require(Punctuator::Colon, "after the label")?;
            // Attributes of a label only silence warnings. Before a declaration they are its own.
            let is_name = matches!(kind, LabelKind::Named(_));
            if is_name && self.keyword() == Some(Keyword::Attribute) {
                self.attributes(&mut Vec::new())?;
            }
            labels.push(Label { position, kind });
        }
    }

    fn unlabeled_statement(&mut self) -> Parse<Statement> {
        let position = self.position();
        let kind = match self.peek().kind {
            TokenKind::Punctuator(Punctuator::Semicolon) => {
                self.bump();
                StatementKind::Empty
            }
            TokenKind::Punctuator(Punctuator::LeftBrace) => StatementKind::Block(self.block()?),
            TokenKind::Keyword(keyword) => match self.keyword_statement(keyword)? {
                Some(kind) => kind,
                None => self.expression_statement()?,
            },
            _ => self.expression_statement()?,
        };
        Ok(Statement { position, kind })
    }

    fn expression_statement(&mut self) -> Parse<StatementKind> {
        let expression = self.expression()?;
        self.require(Punctuator::Semicolon, "after the expression")?;
        Ok(StatementKind::Expression(expression))
    }

    fn keyword_statement(&mut self, keyword: Keyword) -> Parse<Option<StatementKind>> {
        let kind = match keyword {
            Keyword::If => self.if_statement()?,
            Keyword::Switch => {
                self.bump();
                let condition = self.parenthesized("switch")?;
                StatementKind::Switch { condition, body: Box::new(self.statement()?) }
            }
            Keyword::While => {
                self.bump();
                let condition = self.parenthesized("while")?;
                StatementKind::While { condition, body: Box::new(self.statement()?) }
            }
            Keyword::Do => {
                self.bump();
                let body = Box::new(self.statement()?);
                if !self.eat_keyword(Keyword::While) {
                    return Err(self.expected("'while' after the body of 'do'"));
                }
                let condition = self.parenthesized("while")?;
                self.require(Punctuator::Semicolon, "after 'do … while (…)'")?;
                StatementKind::DoWhile { body, condition }
            }
            Keyword::For => {
                self.scopes.enter();
                let kind = self.for_statement();
                self.scopes.leave();
                kind?
            }
            Keyword::Goto => self.goto_statement()?,
            Keyword::Continue => self.jump(StatementKind::Continue, "after 'continue'")?,
            Keyword::Break => self.jump(StatementKind::Break, "after 'break'")?,
            Keyword::Return => {
                self.bump();
                let value = self.optional_expression(Punctuator::Semicolon)?;
                self.require(Punctuator::Semicolon, "after 'return'")?;
                StatementKind::Return(value)
            }
            Keyword::Asm => StatementKind::Asm(self.asm_statement()?),
            Keyword::Attribute => {
                self.attributes(&mut Vec::new())?;
                self.require(Punctuator::Semicolon, "after the attribute")?;
                StatementKind::Empty
            }
            Keyword::Else => {
                let position = self.position();
                return self.fail(position, "'else' without 'if'");
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn jump(&mut self, kind: StatementKind, place: &str) -> Parse<StatementKind> {
        self.bump();
        self.require(Punctuator::Semicolon, place)?;
        Ok(kind)
    }

    /// An expression, unless the token that ends it comes at once.
    fn optional_expression(&mut self, end: Punctuator) -> Parse<Option<Expression>> {
        if self.at_punctuator(end) { Ok(None) } else { self.expression().map(Some) }
    }

    /// A whole chain of `else if`, in a loop.
    fn if_statement(&mut self) -> Parse<StatementKind> {
        let mut arms = Vec::new();
        loop {
            self.bump();
            let condition = self.parenthesized("if")?;
            arms.push((condition, self.statement()?));
            if !self.eat_keyword(Keyword::Else) {
                return Ok(StatementKind::If { arms, otherwise: None });
            }
            if self.keyword() != Some(Keyword::If) {
                let otherwise = Some(Box::new(self.statement()?));
                return Ok(StatementKind::If { arms, otherwise });
            }
        }
    }

    fn for_statement(&mut self) -> Parse<StatementKind> {
        self.bump();
        self.require(Punctuator::LeftParenthesis, "after 'for'")?;
        let initializer = if self.eat(Punctuator::Semicolon) {
            ForInitializer::None
        } else if self.at_block_declaration() {
            while self.eat_keyword(Keyword::Extension) {}
            ForInitializer::Declaration(self.declaration()?)
        } else {
            let expression = self.expression()?;
            self.require(Punctuator::Semicolon, "after the first clause of 'for'")?;
            ForInitializer::Expression(expression)
        };
        let condition = self.optional_expression(Punctuator::Semicolon)?;
        self.require(Punctuator::Semicolon, "after the condition of 'for'")?;
        let step = self.optional_expression(Punctuator::RightParenthesis)?;
        self.require(Punctuator::RightParenthesis, "after the clauses of 'for'")?;
        let body = Box::new(self.statement()?);
        Ok(StatementKind::For { initializer, condition, step, body })
    }

    fn goto_statement(&mut self) -> Parse<StatementKind> {
        self.bump();
        let kind = if self.eat(Punctuator::Star) {
            StatementKind::GotoComputed(self.expression()?)
        } else {
            StatementKind::Goto(self.expect_identifier("a label after 'goto'")?)
        };
        self.require(Punctuator::Semicolon, "after 'goto'")?;
        Ok(kind)
    }
}
