//! The widths of pointers and of `long`: LP64, or ILP32 as in programs that were preprocessed for 32 bits.
//!
//! Of a source that goes through the preprocessor, the options of the compiler say it (`-m32`). A preprocessed one has
//! lost them; what its headers made of `size_t` and its kin has not: it is `unsigned int` for no machine whose pointers
//! have 64 bits.

use rustc_hash::FxHashMap;
use sapa_ir::goto::TargetInfo;

use crate::c::ast::{ExternalDeclaration, StorageClass, TranslationUnit, TypeSpecifier};
use crate::diagnostic::{Diagnostic, Severity};
use crate::position::SourceLocation;

/// What C programs may be compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataModel {
    /// Pointers and `long` have 64 bits.
    Lp64,
    /// Pointers and `long` have 32 bits.
    Ilp32,
}

/// Integer types that are as wide as pointers, whatever the machine.
const AS_POINTERS: &[&str] = &[
    "size_t",
    "ssize_t",
    "__ssize_t",
    "ptrdiff_t",
    "intptr_t",
    "__intptr_t",
    "uintptr_t",
    "__kernel_size_t",
];

impl DataModel {
    /// The machine: Linux on x86.
    #[must_use]
    pub fn target(self) -> TargetInfo {
        match self {
            Self::Lp64 => TargetInfo::LP64,
            Self::Ilp32 => TargetInfo::ILP32,
        }
    }

    /// The compiler's option for it.
    #[must_use]
    pub fn option(self) -> &'static str {
        match self {
            Self::Lp64 => "-m64",
            Self::Ilp32 => "-m32",
        }
    }

    /// What a word of the compiler's command line says, if it is one of these options.
    #[must_use]
    pub fn of_option(word: &std::ffi::OsStr) -> Option<Self> {
        [Self::Lp64, Self::Ilp32].into_iter().find(|model| word == model.option())
    }

    /// Where a program shows that it was preprocessed for 32 bits.
    pub(crate) fn shown_as_32_bits(unit: &TranslationUnit) -> Option<Shown> {
        // Whether typedef names are `int` or `unsigned int`.
        let mut ints: FxHashMap<&str, bool> = FxHashMap::default();
        for item in &unit.items {
            let ExternalDeclaration::Declaration(declaration) = item else { continue };
            let specifiers = &declaration.specifiers;
            if specifiers.storage != Some(StorageClass::Typedef) {
                continue;
            }
            let is_int = match &specifiers.base {
                TypeSpecifier::Int | TypeSpecifier::UnsignedInt => true,
                TypeSpecifier::Named(name) => ints.get(&**name).copied().unwrap_or(false),
                _ => false,
            };
            for declarator in declaration.declarators.iter().map(|declared| &declared.declarator) {
                let Some(name) = &declarator.name else { continue };
                // An attribute may make it another type: `__attribute__((mode(DI)))`.
                let is_plain = declarator.derived.is_empty()
                    && declarator.attributes.is_empty()
                    && specifiers.attributes.is_empty();
                if is_int && is_plain && AS_POINTERS.contains(&&**name) {
                    let place = unit.files.locate(declarator.position);
                    return Some(Shown { name: (**name).to_owned(), place });
                }
                ints.insert(name, is_int && is_plain);
            }
        }
        None
    }
}

/// A type as wide as a pointer that is `int` or `unsigned int`, which have 32 bits.
pub(crate) struct Shown {
    name: String,
    place: SourceLocation,
}

/// What is known of the machine that a C source is for.
pub(crate) enum Machine {
    /// The compiler's options say it; and what the source shows.
    Said(DataModel, Option<Shown>),
    /// It was preprocessed for 32 bits, as the source shows.
    Shown(Shown),
    /// It was preprocessed here without a word of the machine, and so for 64 bits.
    Usual,
    /// Nothing: it was preprocessed elsewhere.
    Unknown,
}

/// The machine of a program.
pub(crate) struct Agreed {
    pub model: DataModel,
    /// What the verdict takes for granted.
    pub note: Option<String>,
    pub warning: Option<Diagnostic>,
}

/// What the machine of all sources together is: what is said, else what is shown, else LP64.
///
/// # Errors
/// If that of one source is not that of another.
pub(crate) fn agreed<'m>(
    machines: impl Iterator<Item = &'m Machine> + Clone,
) -> Result<Agreed, Diagnostic> {
    let said = |model: DataModel| {
        machines.clone().any(|machine| matches!(machine, Machine::Said(said, _) if *said == model))
    };
    let usual = machines.clone().any(|machine| matches!(machine, Machine::Usual));
    let shown = machines.clone().find_map(|machine| match machine {
        Machine::Said(_, shown) => shown.as_ref(),
        Machine::Shown(shown) => Some(shown),
        Machine::Usual | Machine::Unknown => None,
    });
    let is_64 = said(DataModel::Lp64) || usual;
    if said(DataModel::Ilp32) && is_64 {
        let message = "some of the C files are read for pointers of 32 bits (-m32), and others for 64; give \
                       '--data-model ILP32' or '--data-model LP64', which is for all";
        return Err(Diagnostic::new(Severity::Error, None, message));
    }
    let Some(Shown { name, place }) = shown else {
        let model = if said(DataModel::Ilp32) { DataModel::Ilp32 } else { DataModel::Lp64 };
        return Ok(Agreed { model, note: None, warning: None });
    };
    let shows = format!("'{name}' has 32 bits here, as on machines whose pointers have (ILP32)");
    let at = |severity, message| Diagnostic::new(severity, Some(place.clone()), message);
    if said(DataModel::Ilp32) {
        return Ok(Agreed { model: DataModel::Ilp32, note: None, warning: None });
    }
    if said(DataModel::Lp64) {
        let message = format!("{shows}, and the program is read for pointers of 64 bits");
        let warning = Some(at(Severity::Warning, message));
        return Ok(Agreed { model: DataModel::Lp64, note: None, warning });
    }
    if usual {
        let message = format!(
            "{shows}, and another file was preprocessed for 64; give '--data-model ILP32' or '--data-model LP64', \
             which is for all"
        );
        return Err(at(Severity::Error, message));
    }
    let note = format!("assuming pointers of 32 bits (ILP32), as the type '{name}' has 32");
    Ok(Agreed { model: DataModel::Ilp32, note: Some(note), warning: None })
}
