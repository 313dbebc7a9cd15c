//! Bill of materials and licences of everything that is linked into the program and the Python module.

use super::{Dist, output, write};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file with all licences.
pub(super) const NOTICES: &str = "THIRD-PARTY-LICENCES.txt";

/// Packages that are distributed; everything else follows from them.
const ROOTS: [&str; 2] = ["outplay", "outplay-python"];

/// How names of files with a licence begin, in capitals.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// Directories of a package with licences of other authors' code in it.
const FOLDERS: [&str; 3] = ["", "zstd", "LICENSES"];

/// Licences that a package offers and this project does not take: it takes the other one.
const NOT_TAKEN: &str = "COPYING";

/// A package of the dependency graph.
struct Package {
    name: String,
    version: String,
    licence: String,
    authors: Vec<String>,
    /// Whether it comes from a registry.
    foreign: bool,
    folder: PathBuf,
    /// Identifiers of its dependencies.
    uses: Vec<String>,
}

impl Package {
    /// The package URL, which names it in a bill of materials.
    fn url(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }
}

/// Writes the bill of materials and the licences.
pub(super) fn write_both(dist: &Dist) -> Result<(), String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform"]).arg(platform()?);
    let text = output(cargo.current_dir(&dist.root))?;
    let metadata: Value = serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = linked(&metadata);
    let lock =
        fs::read_to_string(dist.root.join("Cargo.lock")).map_err(|error| format!("Cargo.lock: {error}"))?;
    let bill = bill_of_materials(&packages, &checksums(&lock), &dist.version);
    write(&dist.out.join(format!("outplay-{}.cdx.json", dist.version)), format!("{bill:#}\n"))?;
    write(&dist.out.join(NOTICES), notices(&packages)?)
}

/// The target triple of this toolchain.
fn platform() -> Result<String, String> {
    let about = output(Command::new("rustc").arg("-vV"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or_else(|| "rustc names no host".into())
}

/// Every package that the roots are linked with, by its identifier.
fn linked(metadata: &Value) -> BTreeMap<String, Package> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let array = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let by_id = |list: &Value| -> BTreeMap<String, Value> {
        array(list).into_iter().map(|entry| (text(&entry["id"]), entry)).collect()
    };
    let (all, nodes) = (by_id(&metadata["packages"]), by_id(&metadata["resolve"]["nodes"]));
    let is_root = |entry: &Value| ROOTS.contains(&entry["name"].as_str().unwrap_or_default());
    let mut left: Vec<String> =
        all.iter().filter(|(_, entry)| is_root(entry)).map(|(id, _)| id.clone()).collect();
    let mut found = BTreeMap::new();
    while let Some(id) = left.pop() {
        let (Some(about), Some(node), false) = (all.get(&id), nodes.get(&id), found.contains_key(&id)) else {
            continue;
        };
        // A dependency of kind null is linked; others are for building and testing.
        let is_linked = |entry: &Value| array(&entry["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        let uses: Vec<String> = array(&node["deps"])
            .iter()
            .filter(|entry| is_linked(entry))
            .map(|entry| text(&entry["pkg"]))
            .collect();
        left.extend(uses.iter().cloned());
        let manifest = PathBuf::from(text(&about["manifest_path"]));
        let package = Package {
            name: text(&about["name"]),
            version: text(&about["version"]),
            licence: text(&about["license"]),
            authors: array(&about["authors"]).iter().map(text).collect(),
            foreign: !about["source"].is_null(),
            folder: manifest.parent().unwrap_or(Path::new("")).to_path_buf(),
            uses,
        };
        found.insert(id, package);
    }
    found
}

/// The checksums of a lock file by package URL.
fn checksums(lock: &str) -> BTreeMap<String, String> {
    let field = |block: &str, name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""))?;
        Some(line.trim_end_matches('"').to_string())
    };
    let entry = |block: &str| {
        let url = format!("pkg:cargo/{}@{}", field(block, "name")?, field(block, "version")?);
        Some((url, field(block, "checksum")?))
    };
    lock.split("[[package]]\n").filter_map(entry).collect()
}

/// A bill of materials in CycloneDX 1.5.
fn bill_of_materials(
    packages: &BTreeMap<String, Package>,
    checksums: &BTreeMap<String, String>,
    version: &str,
) -> Value {
    let component = |package: &Package| {
        let mut entry = json!({
            "type": "library",
            "bom-ref": package.url(),
            "name": package.name,
            "version": package.version,
            "purl": package.url(),
            // Old packages separate alternatives with a slash, which SPDX does not know.
            "licenses": [{ "expression": package.licence.replace('/', " OR ") }],
        });
        if let Some(sum) = checksums.get(&package.url()) {
            entry["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        entry
    };
    let url_of = |id: &String| packages.get(id).map(Package::url);
    let uses = |package: &Package| json!({ "ref": package.url(), "dependsOn": package.uses.iter().filter_map(url_of).collect::<Vec<_>>() });
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": { "type": "application", "bom-ref": "outplay", "name": "outplay", "version": version }
        },
        "components": packages.values().map(component).collect::<Vec<_>>(),
        "dependencies": packages.values().map(uses).collect::<Vec<_>>(),
    })
}

/// The text of every licence, each once, with the packages that have it.
fn notices(packages: &BTreeMap<String, Package>) -> Result<String, String> {
    let mut text = String::from(
        "outplay is linked with the packages below and with the Rust standard library (MIT OR Apache-2.0).\n\
         Where a package offers several licences, outplay takes one that is not under the GPL.\n\n",
    );
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages.values().filter(|package| package.foreign) {
        let label = format!("{} {}", package.name, package.version);
        let files = licence_files(&package.folder);
        let mut line = format!("{label}: {}", package.licence);
        if files.is_empty() {
            // Its licence is one of those below; the manifest has the authors.
            let authors =
                if package.authors.is_empty() { "its authors".into() } else { package.authors.join(", ") };
            line += &format!(" (no licence file; copyright {authors})");
        }
        text += &format!("{line}\n");
        for file in files {
            let bytes =
                fs::read(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
            let found = String::from_utf8_lossy(&bytes).replace('\r', "");
            texts.entry(found.trim_end().to_string()).or_default().insert(label.clone());
        }
    }
    for (found, owners) in texts {
        let owners = owners.into_iter().collect::<Vec<_>>().join(", ");
        text += &format!("\n{}\n{owners}\n\n{found}\n", "=".repeat(80));
    }
    Ok(text)
}

/// The files of a package that have licences.
fn licence_files(folder: &Path) -> Vec<PathBuf> {
    let named = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let is_taken = !(path.parent() != Some(folder) && name == NOT_TAKEN);
        path.is_file() && is_taken && NAMES.iter().any(|start| name.starts_with(start))
    };
    let folders = FOLDERS.iter().filter_map(|below| super::list(&folder.join(below)).ok());
    folders.flatten().filter(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> Value {
        let package = |name: &str, source: Value| {
            json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0", "authors": [],
                    "source": source, "manifest_path": format!("/nowhere/{name}/Cargo.toml") })
        };
        let uses = |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        json!({
            "packages": [package("outplay", Value::Null), package("linked", json!("registry")),
                         package("built-with", json!("registry")), package("other", json!("registry"))],
            "resolve": { "nodes": [
                { "id": "outplay", "deps": [uses("linked", Value::Null), uses("built-with", json!("build"))] },
                { "id": "linked", "deps": [] }, { "id": "built-with", "deps": [] }, { "id": "other", "deps": [] },
            ] },
        })
    }

    #[test]
    fn what_is_linked_is_listed_with_licence_and_checksum() {
        let packages = linked(&metadata());
        assert_eq!(packages.keys().collect::<Vec<_>>(), ["linked", "outplay"]);
        let lock = "version = 4\n\n[[package]]\nname = \"linked\"\nversion = \"1.0.0\"\nsource = \"r\"\nchecksum = \"ab\"\n";
        let bill = bill_of_materials(&packages, &checksums(lock), "1.0.0");
        assert_eq!(bill["components"][0]["purl"], "pkg:cargo/linked@1.0.0");
        assert_eq!(bill["components"][0]["hashes"][0]["content"], "ab");
        assert_eq!(bill["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(bill["dependencies"][1]["dependsOn"], json!(["pkg:cargo/linked@1.0.0"]));
        assert!(notices(&packages).expect("nothing is read").contains("linked 1.0.0: MIT/Apache-2.0"));
    }

    #[test]
    fn files_with_licences_are_found_by_their_names() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let names: Vec<_> =
            licence_files(&root).iter().filter_map(|path| Some(path.file_name()?.to_owned())).collect();
        assert_eq!(names, ["LICENSE-APACHE", "LICENSE-MIT"]);
    }
}
