//! Where goto binaries are found: raw files, hybrid objects and executables
//! (ELF, Mach-O) with a `goto-cc` section, static archives of any of these.

use goblin::archive::Archive;
use goblin::elf::Elf;
use goblin::mach::{Mach, MachO, SingleArch};

use super::error::ReadError;

/// The first bytes of a raw goto binary.
pub(super) const MAGIC: &[u8] = b"\x7fGBF";

/// The name of the section that holds one.
const SECTION: &str = "goto-cc";

/// What a file is by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// The goto binary alone.
    Raw,
    /// An ELF object or executable.
    Elf,
    /// A Mach-O object or executable, possibly of several architectures.
    MachO,
    /// A static archive.
    Archive,
}

impl Container {
    /// What bytes are; `None` for none of these.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x7f, b'G', b'B', b'F', ..] => Some(Self::Raw),
            [0x7f, b'E', b'L', b'F', ..] => Some(Self::Elf),
            [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1..20, ..] => Some(Self::MachO),
            [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..] | [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..] => {
                Some(Self::MachO)
            }
            _ if bytes.starts_with(b"!<arch>\n") => Some(Self::Archive),
            _ => None,
        }
    }
}

/// Whether bytes look like a goto binary or something that may hold one.
#[must_use]
pub fn is_goto_binary(bytes: &[u8]) -> bool {
    Container::of(bytes).is_some()
}

/// A goto binary in a file: its name (for members of archives with theirs), its
/// bytes, and their offset in the file.
#[derive(Clone, Debug)]
pub struct Found<'b> {
    /// For messages.
    pub name: String,
    /// The raw goto binary.
    pub bytes: &'b [u8],
    /// Where it starts in the file.
    pub offset: usize,
}

/// The raw goto binaries in a file.
///
/// # Errors
/// If the container is damaged or holds none.
pub fn binaries<'b>(file: &str, bytes: &'b [u8]) -> Result<Vec<Found<'b>>, ReadError> {
    let damaged = |what: &str, error: goblin::error::Error| ReadError::Container {
        file: file.to_owned(),
        message: format!("damaged {what}: {error}"),
    };
    let found = |range: Option<(u64, u64)>, what: &str| match range {
        Some((start, size)) => section(file, bytes, 0, start, size).map(|found| vec![found]),
        None => Err(missing(file, what)),
    };
    match Container::of(bytes) {
        Some(Container::Raw) => Ok(vec![Found { name: file.to_owned(), bytes, offset: 0 }]),
        Some(Container::Elf) => {
            let elf = Elf::parse(bytes).map_err(|error| damaged("ELF file", error))?;
            found(elf_section(&elf), "ELF file")
        }
        Some(Container::MachO) => match Mach::parse(bytes)
            .map_err(|error| damaged("Mach-O file", error))?
        {
            Mach::Binary(object) => found(mach_section(&object), "Mach-O file"),
            Mach::Fat(fat) => {
                for arch in fat.iter_arches().flatten() {
                    let Some(start) = usize::try_from(arch.offset).ok() else { continue };
                    let Some(rest) = bytes.get(start..) else { continue };
                    // goto-cc hides the binary as an architecture of its own.
                    if rest.starts_with(MAGIC) {
                        let size = u64::from(arch.size);
                        return section(file, bytes, 0, u64::from(arch.offset), size)
                            .map(|found| vec![found]);
                    }
                }
                for (index, arch) in fat.into_iter().enumerate() {
                    let Ok(SingleArch::MachO(object)) = arch else { continue };
                    let base = fat.iter_arches().nth(index).and_then(Result::ok);
                    let base = base.map_or(0, |arch| u64::from(arch.offset));
                    if let Some((start, size)) = mach_section(&object) {
                        return section(file, bytes, base, start, size).map(|found| vec![found]);
                    }
                }
                Err(missing(file, "Mach-O file"))
            }
        },
        Some(Container::Archive) => {
            let archive = Archive::parse(bytes).map_err(|error| damaged("archive", error))?;
            let mut all = Vec::new();
            for index in 0..archive.len() {
                let Some(member) = archive.get_at(index) else { continue };
                let start = usize::try_from(member.offset).unwrap_or(usize::MAX);
                let end = start.saturating_add(member.size());
                let Some(content) = bytes.get(start..end) else {
                    return Err(ReadError::Container {
                        file: file.to_owned(),
                        message: "damaged archive: a member ends after the file".to_owned(),
                    });
                };
                let name = format!("{file}({})", member.extended_name());
                // Members without a goto binary come from other compilers; an archive has no archives.
                if matches!(Container::of(content), None | Some(Container::Archive)) {
                    continue;
                }
                for inner in binaries(&name, content)? {
                    all.push(Found { offset: inner.offset + start, ..inner });
                }
            }
            if all.is_empty() { Err(missing(file, "archive")) } else { Ok(all) }
        }
        None => Err(missing(file, "file")),
    }
}

fn missing(file: &str, what: &str) -> ReadError {
    let message = format!("this {what} holds no goto binary (no section '{SECTION}')");
    ReadError::Container { file: file.to_owned(), message }
}

fn section<'b>(
    file: &str,
    bytes: &'b [u8],
    base: u64,
    start: u64,
    size: u64,
) -> Result<Found<'b>, ReadError> {
    let start = base.checked_add(start).and_then(|start| usize::try_from(start).ok());
    let range =
        start.and_then(|start| Some((start, start.checked_add(usize::try_from(size).ok()?)?)));
    match range.and_then(|(start, end)| Some((start, bytes.get(start..end)?))) {
        Some((offset, bytes)) => Ok(Found { name: file.to_owned(), bytes, offset }),
        None => Err(ReadError::Container {
            file: file.to_owned(),
            message: format!("the section '{SECTION}' ends after the file"),
        }),
    }
}

/// Offset and size of the section.
fn elf_section(elf: &Elf<'_>) -> Option<(u64, u64)> {
    let section = elf
        .section_headers
        .iter()
        .find(|section| elf.shdr_strtab.get_at(section.sh_name) == Some(SECTION))?;
    Some((section.sh_offset, section.sh_size))
}

fn mach_section(object: &MachO<'_>) -> Option<(u64, u64)> {
    for sections in object.segments.sections() {
        for (section, _) in sections.flatten() {
            if section.name().is_ok_and(|name| name == SECTION) {
                return Some((u64::from(section.offset), section.size));
            }
        }
    }
    None
}
