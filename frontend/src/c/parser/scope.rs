//! Which names are typedefs where.

use rustc_hash::FxHashMap;

use crate::c::ast::{Name, TypeSpecifier};
use crate::c::lexer::Lexer;

/// What an ordinary identifier stands for, as far as parsing depends on it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning {
    /// A typedef name.
    Typedef,
    /// A type that the compiler brings along under a name that is not reserved as a keyword.
    Builtin(TypeSpecifier),
    /// A variable, function, parameter or enumeration constant.
    Other,
}

/// The scopes of ordinary identifiers. Tags, labels and members live elsewhere.
pub(super) struct Scopes {
    /// For each name its meanings, the innermost last, with the depth of their scope.
    meanings: FxHashMap<Name, Vec<(usize, Meaning)>>,
    /// For each open scope but the outermost, the names declared in it.
    declared: Vec<Vec<Name>>,
}

impl Scopes {
    /// File scope, with the types of GCC and Clang that programs may redeclare.
    pub(super) fn with_builtin_types(lexer: &mut Lexer<'_>) -> Self {
        let types = [
            ("__builtin_va_list", TypeSpecifier::VaList),
            ("__int128_t", TypeSpecifier::Int128),
            ("__uint128_t", TypeSpecifier::UnsignedInt128),
            ("_Float16", TypeSpecifier::FloatN(16)),
            ("_Float32", TypeSpecifier::FloatN(32)),
            ("_Float64", TypeSpecifier::FloatN(64)),
            ("_Float128", TypeSpecifier::FloatN(128)),
            ("__float128", TypeSpecifier::FloatN(128)),
            ("_Float32x", TypeSpecifier::FloatNx(32)),
            ("_Float64x", TypeSpecifier::FloatNx(64)),
        ];
        let mut meanings = FxHashMap::default();
        for (name, specifier) in types {
            meanings.insert(lexer.intern(name), vec![(0, Meaning::Builtin(specifier))]);
        }
        Self { meanings, declared: Vec::new() }
    }

    pub(super) fn enter(&mut self) {
        self.declared.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        for name in self.declared.pop().unwrap_or_default() {
            if let Some(meanings) = self.meanings.get_mut(&name) {
                meanings.pop();
            }
        }
    }

    /// Leaves all scopes but file scope.
    pub(super) fn leave_all(&mut self) {
        while !self.declared.is_empty() {
            self.leave();
        }
    }

    pub(super) fn declare(&mut self, name: &Name, meaning: Meaning) {
        let depth = self.declared.len();
        let meanings = self.meanings.entry(name.clone()).or_default();
        match meanings.last_mut() {
            Some((declared_at, last)) if *declared_at == depth => *last = meaning,
            _ => {
                meanings.push((depth, meaning));
                if let Some(declared) = self.declared.last_mut() {
                    declared.push(name.clone());
                }
            }
        }
    }

    pub(super) fn meaning(&self, name: &Name) -> &Meaning {
        let innermost = self.meanings.get(name).and_then(|meanings| meanings.last());
        innermost.map_or(&Meaning::Other, |(_, meaning)| meaning)
    }

    pub(super) fn is_type(&self, name: &Name) -> bool {
        *self.meaning(name) != Meaning::Other
    }
}
