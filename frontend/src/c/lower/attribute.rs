//! Attributes and names for the linker: which are modelled, which do not
//! matter, and which are refused.
//!
//! The list is one of what is known to be harmless: an attribute that is not
//! on it may change layout or meaning.

use std::rc::Rc;

use crate::c::ast::{
    Attribute, AttributeArguments, Declarator, InitDeclarator, Name, Parameter, Specifiers,
    StorageClass,
};
use crate::lower::layout::alignment_of;
use crate::lower::library::why_refused;
use crate::lower::program::{Lowered, Lowerer};
use crate::lower::types::{CType, Kind};

/// Attributes that are modelled where they have an effect; `pack` is what the parser makes of
/// `#pragma pack`.
const MODELLED: &[&str] = &[
    "aligned",
    "cleanup",
    "constructor",
    "destructor",
    "packed",
    "pack",
    "mode",
    "vector_size",
    "noreturn",
    "_Noreturn",
    "weak",
    "returns_twice",
];

/// Attributes that do not change what a program does: hints to the optimiser,
/// warnings, linkage of one program's parts, conventions of calls.
const HARMLESS: &[&str] = &[
    "access",
    "alloc_align",
    "alloc_size",
    "always_inline",
    "artificial",
    "assume_aligned",
    "availability",
    "cdecl",
    "cf_check",
    "cold",
    "common",
    "const",
    "convergent",
    "copy",
    "counted_by",
    "deprecated",
    "designated_init",
    "disable_sanitizer_instrumentation",
    "dllexport",
    "dllimport",
    "error",
    "expected_throw",
    "externally_visible",
    "fallthrough",
    "fastcall",
    "fd_arg",
    "fd_arg_read",
    "fd_arg_write",
    "flag_enum",
    "flatten",
    "force_align_arg_pointer",
    "format",
    "format_arg",
    "gcc_struct",
    "gnu_inline",
    "hot",
    "leaf",
    "likely",
    "malloc",
    "may_alias",
    "maybe_unused",
    "minsize",
    "ms_abi",
    "musttail",
    "no_icf",
    "no_instrument_function",
    "no_profile_instrument_function",
    "no_reorder",
    "no_split_stack",
    "no_stack_limit",
    "no_stack_protector",
    "nocf_check",
    "noclone",
    "nocommon",
    "nodiscard",
    "noescape",
    "noinline",
    "noipa",
    "nonnull",
    "nonnull_if_nonzero",
    "nonstring",
    "noplt",
    "nothrow",
    "null_terminated_string_arg",
    "optimize",
    "optnone",
    "patchable_function_entry",
    "pure",
    "regparm",
    "reproducible",
    "retain",
    "returns_nonnull",
    "section",
    "sentinel",
    "simd",
    "sseregparm",
    "stack_protect",
    "stdcall",
    "strict_flex_array",
    "symver",
    "sysv_abi",
    "tainted_args",
    "target",
    "target_clones",
    "thiscall",
    "tls_model",
    // An argument that is no such union is refused where it is passed.
    "transparent_union",
    "unavailable",
    "uninitialized",
    "unlikely",
    "unsequenced",
    "unused",
    "used",
    "visibility",
    "warn_if_not_aligned",
    "warn_unused",
    "warn_unused_result",
    "warning",
    "zero_call_used_regs",
];

/// Whether a list has an attribute of one of some names.
pub(super) fn has(attributes: &[Attribute], names: &[&str]) -> bool {
    attributes.iter().any(|attribute| names.contains(&&*attribute.name))
}

impl Lowerer<'_> {
    /// Refuses attributes that may change what a program does and are not modelled.
    pub fn check_attributes(&mut self, attributes: &[Attribute]) -> Lowered<()> {
        for attribute in attributes {
            let name = &*attribute.name;
            let known = MODELLED.contains(&name)
                || HARMLESS.contains(&name)
                || name.starts_with("no_sanitize")
                || name.starts_with("no_address_safety");
            if !known {
                let message = format!("the attribute '{name}' is not supported");
                return self.error(attribute.position, message);
            }
        }
        Ok(())
    }

    /// A type with the attributes that make another type of it. What is not
    /// supported is so where the type is used: headers declare many types.
    pub fn attributed(&mut self, ty: CType, attributes: &[Attribute]) -> CType {
        if has(attributes, &["vector_size"]) {
            return Kind::Unsupported("the attribute 'vector_size'").into();
        }
        let Some(mode) = attributes.iter().find(|a| &*a.name == "mode") else { return ty };
        match self.with_mode(&ty, &mode.arguments) {
            Some(kind) => CType { kind, ..ty },
            None => Kind::Unsupported("this use of the attribute 'mode'").into(),
        }
    }

    /// An integer type of the width that a machine mode names.
    fn with_mode(&self, ty: &CType, arguments: &AttributeArguments) -> Option<Kind> {
        let Kind::Int { signed, .. } = ty.kind else { return None };
        let AttributeArguments::Tokens(tokens) = arguments else { return None };
        let [name] = tokens.as_slice() else { return None };
        let name = name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name);
        let bits = match name {
            "QI" | "byte" => 8,
            "HI" => 16,
            "SI" => 32,
            "DI" => 64,
            "TI" => 128,
            "word" | "pointer" | "unwind_word" => self.module.target.pointer_bits,
            _ => return None,
        };
        Some(self.integers().of_width(bits, signed).kind)
    }

    /// The largest `aligned(n)` among lists of attributes, in bytes.
    pub fn aligned(&mut self, lists: &[&[Attribute]]) -> Result<Option<u64>, &'static str> {
        let mut result = None;
        for attribute in lists.iter().copied().flatten().filter(|a| &*a.name == "aligned") {
            let value = match &attribute.arguments {
                AttributeArguments::Expressions(arguments) => arguments
                    .first()
                    .and_then(|argument| self.constant(argument))
                    .and_then(|(value, _)| u64::try_from(value).ok())
                    .filter(|value| value.is_power_of_two()),
                // As aligned as any object of the target.
                _ => Some(16),
            };
            result = result.max(Some(value.ok_or("this use of the attribute 'aligned'")?));
        }
        Ok(result)
    }

    /// The type that a `typedef` names or a type name is: one of its own
    /// alignment if an attribute says so.
    pub fn aligned_type(
        &mut self,
        mut ty: CType,
        specifiers: &Specifiers,
        attributes: &[Attribute],
    ) -> CType {
        match self.aligned(&[&specifiers.attributes, attributes]) {
            Ok(Some(align)) if alignment_of(&self.module, &ty) != Some(align) => {
                ty.align = Some(align);
            }
            Ok(_) => {}
            Err(what) => return Kind::Unsupported(what).into(),
        }
        ty
    }

    /// Refuses what a parameter may not say.
    pub fn check_parameter(&mut self, parameter: &Parameter) -> Lowered<()> {
        if has(&parameter.specifiers.attributes, &["aligned"])
            || has(&parameter.declarator.attributes, &["aligned"])
        {
            return self.error(parameter.position, "'aligned' of a parameter is not supported");
        }
        Ok(())
    }

    /// Remembers the alignment of a variable that its declaration gives it.
    pub fn declare_alignment(
        &mut self,
        specifiers: &Specifiers,
        declarator: &InitDeclarator,
    ) -> Lowered<()> {
        let declarator = &declarator.declarator;
        let mut align = match self.aligned(&[&specifiers.attributes, &declarator.attributes]) {
            Ok(align) => align,
            Err(what) => {
                return self.error(declarator.position, format!("{what} is not supported"));
            }
        };
        for alignment in &specifiers.alignments {
            align = align.max(self.alignment_specifier(alignment)?);
        }
        if let (Some(align), Some(name)) = (align, &declarator.name)
            && let Some(scope) = self.scopes.last_mut()
        {
            scope.alignments.insert(name.clone(), align);
        }
        Ok(())
    }

    /// Whether a declaration is of what is weak and not defined here.
    fn is_weak_only(
        &self,
        specifiers: &Specifiers,
        declarator: &InitDeclarator,
        is_function: bool,
    ) -> bool {
        let Some(name) = &declarator.declarator.name else { return false };
        let is_undefined = if is_function {
            self.definition_of(name).is_none()
        } else {
            specifiers.storage == Some(StorageClass::Extern) && declarator.initializer.is_none()
        };
        is_undefined && says(specifiers, declarator, "weak")
    }

    /// Whether a function is declared that is weak, and that nothing defines: no unit of the program, nor a library, as the
    /// verdict says. Names that are kept for the C library and its threads, and those of its functions, are not taken for such.
    pub fn is_absent(&self, specifiers: &Specifiers, declarator: &InitDeclarator) -> bool {
        let Some(name) = &declarator.declarator.name else { return false };
        let is_of_library = name.starts_with('_') || name.starts_with("pthread_");
        !is_of_library
            && self.is_weak_only(specifiers, declarator, true)
            && !self.is_of_c_library(name)
    }

    /// Why what is declared cannot be used, if that is so.
    pub fn refusal(
        &self,
        specifiers: &Specifiers,
        declarator: &InitDeclarator,
        is_function: bool,
    ) -> Option<Rc<str>> {
        let name = declarator.declarator.name.as_ref()?;
        if why_refused(name).is_some()
            || ["__sigsetjmp_cancel", "__pthread_unwind_next"].contains(&&**name)
        {
            // A call says why, or is one of a cleanup handler, which never comes back.
            return None;
        }
        let is_defined = self.definition_of(name).is_some();
        if says(specifiers, declarator, "returns_twice") {
            return Some("non-local jumps are not supported".into());
        }
        if self.is_weak_only(specifiers, declarator, is_function) {
            return Some(
                format!("'{name}' is weak and not defined here: its address may be null").into(),
            );
        }
        let label = assembler_name(declarator)?;
        let is_renamed = label != **name
            && (is_defined || self.definition_of(&label).is_some() || !is_version(&label, name));
        is_renamed.then(|| renamed(name, &label).into())
    }

    /// Refuses an object that has another name for the linker. A local one in
    /// a register of that name is an object as any other.
    pub fn check_assembler_name(
        &mut self,
        specifiers: &Specifiers,
        declarator: &InitDeclarator,
    ) -> Lowered<()> {
        match (assembler_name(declarator), &declarator.declarator.name) {
            (Some(label), Some(name))
                if label != **name && specifiers.storage != Some(StorageClass::Register) =>
            {
                self.error(declarator.declarator.position, renamed(name, &label))
            }
            _ => Ok(()),
        }
    }

    /// Notes that a function runs before `main`, or at the end of the program.
    pub fn declare_constructor(
        &mut self,
        name: &Name,
        specifiers: &Specifiers,
        declarator: &Declarator,
    ) {
        let all = specifiers.attributes.iter().chain(&declarator.attributes);
        for attribute in all {
            let at_end = match &*attribute.name {
                "constructor" => false,
                "destructor" => true,
                _ => continue,
            };
            let priority = match &attribute.arguments {
                AttributeArguments::Expressions(arguments) => {
                    arguments.first().and_then(|argument| self.constant(argument))
                }
                _ => None,
            };
            // Those without a priority come after all others.
            let priority = priority.map_or(i128::MAX, |(priority, _)| priority);
            let entry = (priority, self.unit, name.to_string(), at_end);
            let constructors = &mut self.ends.constructors;
            match constructors
                .iter_mut()
                .find(|of| (of.1, &of.2, of.3) == (entry.1, &entry.2, at_end))
            {
                // A priority may stand in one of several declarations.
                Some(known) => known.0 = known.0.min(priority),
                None => constructors.push(entry),
            }
        }
    }

    /// Notes that a function never returns.
    pub fn declare_noreturn(&mut self, specifiers: &Specifiers, declarator: &InitDeclarator) {
        let names = &["noreturn", "_Noreturn"];
        if let Some(name) = &declarator.declarator.name
            && (specifiers.noreturn
                || has(&specifiers.attributes, names)
                || has(&declarator.declarator.attributes, names))
        {
            self.noreturn.insert(name.to_string());
        }
    }
}

/// Whether a declaration has an attribute.
fn says(specifiers: &Specifiers, declarator: &InitDeclarator, attribute: &str) -> bool {
    has(&specifiers.attributes, &[attribute])
        || has(&declarator.declarator.attributes, &[attribute])
}

fn assembler_name(declarator: &InitDeclarator) -> Option<String> {
    let label = declarator.asm_label.as_ref()?;
    Some(label.units.iter().filter_map(|&unit| char::from_u32(unit)).collect())
}

fn renamed(name: &str, label: &str) -> String {
    format!("'{name}' with the assembler name '{label}' is not supported")
}

/// Whether a name for the linker is that of a version of a library's function
/// which does the same: `__isoc99_sscanf`, `__xpg_strerror_r`, `lseek64`.
fn is_version(label: &str, name: &str) -> bool {
    label.strip_suffix("64") == Some(name)
        || label.starts_with("__") && label.ends_with(name) && label.len() > name.len() + 2
}
