//! Contents of a package of the program (program, manual pages, completions, documents), independent of the package
//! format.

use super::{Dist, fresh, list, output, packages, write};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Documents that every package has, and the example that README.md runs.
const DOCUMENTS: [&str; 6] = [
    "README.md",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    packages::NOTICES,
    "examples/my_engine.py",
];

/// A shell with completions.
#[derive(Clone, Copy)]
pub(super) enum Shell {
    Bash,
    Fish,
    Zsh,
}

impl Shell {
    fn name(self) -> &'static str {
        match self {
            Shell::Bash => "bash",
            Shell::Fish => "fish",
            Shell::Zsh => "zsh",
        }
    }

    /// The name under which the shell looks for the completions.
    pub(super) fn file(self) -> &'static str {
        match self {
            Shell::Bash => "outplay",
            Shell::Fish => "outplay.fish",
            Shell::Zsh => "_outplay",
        }
    }
}

/// What a file is.
pub(super) enum Place<'a> {
    Program,
    /// A page of the manual with its directory, as in `man1/outplay.1`.
    Manual(&'a str),
    Completion(Shell),
    Document(&'a str),
}

/// The program and what it says about itself.
pub(super) struct Contents {
    program: PathBuf,
    /// Directory of the manual pages.
    manual: PathBuf,
    completions: Vec<(Shell, String)>,
    documents: Vec<(&'static str, Vec<u8>)>,
    /// The oldest glibc that has all symbols the program uses.
    pub(super) glibc: String,
}

impl Contents {
    pub(super) fn new(dist: &Dist) -> Result<Contents, String> {
        let program = dist.program();
        let run = |words: &[&str]| output(Command::new(&program).args(words));
        let manual = fresh(&dist.build.join("stage").join("man"))?;
        run(&["man", "--dir", &manual.display().to_string()])
            .or_else(|_| write(&manual.join("outplay.1"), run(&["man"])?).map(|()| String::new()))?;
        let mut completions = Vec::new();
        for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
            completions.push((shell, run(&["completions", shell.name()])?));
        }
        let mut documents = Vec::new();
        for name in DOCUMENTS {
            let path = if name == packages::NOTICES { dist.out.join(name) } else { dist.root.join(name) };
            let text = fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            documents.push((name, text));
        }
        let symbols = output(Command::new("objdump").arg("-T").arg(&program))?;
        let glibc = newest_glibc(&symbols).ok_or("the program uses no versioned symbol of glibc")?;
        Ok(Contents { program, manual, completions, documents, glibc })
    }

    /// Writes everything below a directory, each file where `place` puts it.
    pub(super) fn write(&self, folder: &Path, place: impl Fn(Place<'_>) -> String) -> Result<(), String> {
        let program = folder.join(place(Place::Program));
        let bytes = fs::read(&self.program).map_err(|error| format!("cannot read the program: {error}"))?;
        write(&program, bytes)?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
            .map_err(|error| format!("cannot change {}: {error}", program.display()))?;
        for page in list(&self.manual)? {
            let name = page.file_name().unwrap_or_default().to_string_lossy();
            let text = fs::read(&page).map_err(|error| format!("cannot read {}: {error}", page.display()))?;
            write(&folder.join(place(Place::Manual(&in_section(&name)))), text)?;
        }
        for (shell, text) in &self.completions {
            write(&folder.join(place(Place::Completion(*shell))), text)?;
        }
        self.documents
            .iter()
            .try_for_each(|(name, text)| write(&folder.join(place(Place::Document(name))), text))
    }
}

/// A page of the manual in the directory of its section, where `man` looks for it.
fn in_section(page: &str) -> String {
    let section = page.rsplit('.').next().unwrap_or("1");
    format!("man{section}/{page}")
}

/// The newest version of glibc among the symbols that `objdump -T` prints.
fn newest_glibc(symbols: &str) -> Option<String> {
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let version: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let numbers: Vec<u32> = version.split('.').filter_map(|number| number.parse().ok()).collect();
        (!numbers.is_empty()).then_some((numbers, version))
    });
    versions.max().map(|(_, version)| version)
}

#[cfg(test)]
mod tests {
    #[test]
    fn pages_lie_in_the_directory_of_their_section() {
        assert_eq!(super::in_section("outplay-solve.1"), "man1/outplay-solve.1");
        assert_eq!(super::in_section("outplay-exit-codes.7"), "man7/outplay-exit-codes.7");
    }

    #[test]
    fn the_newest_symbol_decides() {
        let symbols = "0000 DF *UND* 0000 (GLIBC_2.9) poll\n0000 DF *UND* 0000 (GLIBC_2.34) dlsym\n\
                       0000 DF *UND* 0000 (GLIBC_2.2.5) write\n0000 DF *UND* 0000 (GCC_3.0) _Unwind_Resume\n";
        assert_eq!(super::newest_glibc(symbols).as_deref(), Some("2.34"));
        assert_eq!(super::newest_glibc("(GLIBC_PRIVATE) nothing"), None);
    }
}
