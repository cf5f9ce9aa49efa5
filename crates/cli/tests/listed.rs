//! No test file is left out of its test program.

use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The entries of a directory, none where there is no such directory.
fn entries(dir: &Path) -> Vec<PathBuf> {
    let Ok(found) = fs::read_dir(dir) else { return Vec::new() };
    found.map(|entry| entry.expect("a readable directory").path()).collect()
}

/// Cargo compiles no file of `tests` by itself under `autotests = false`: a file that no module
/// list names would silently never run.
#[test]
fn every_test_file_is_compiled() {
    let mut checked = 0;
    for dir in entries(&crates()) {
        let manifest = fs::read_to_string(dir.join("Cargo.toml")).unwrap_or_default();
        if !manifest.lines().any(|line| line == "autotests = false") {
            continue;
        }
        let files: Vec<PathBuf> = entries(&dir.join("tests"))
            .into_iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
            .collect();
        let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
        let (programs, modules): (Vec<_>, Vec<_>) = files
            .into_iter()
            .partition(|path| manifest.contains(&format!("path = \"tests/{}\"", name(path))));
        let lists: Vec<String> =
            programs.iter().map(|path| fs::read_to_string(path).expect("a file")).collect();
        for path in modules {
            let module = format!("mod {};", path.file_stem().expect("a name").to_string_lossy());
            let listed = lists.iter().any(|list| list.lines().any(|line| line == module));
            assert!(listed, "{} is compiled by no test program", path.display());
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} files were found");
}

/// Source files below a directory.
fn sources(dir: &Path) -> Vec<PathBuf> {
    let (dirs, files): (Vec<_>, Vec<_>) = entries(dir).into_iter().partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    files.chain(dirs.iter().flat_map(|dir| sources(dir))).collect()
}

#[test]
fn the_architecture_names_every_file() {
    let text = fs::read_to_string(crates().join("../ARCHITECTURE.md")).expect("a document");
    let mut section = "";
    let mut named = Vec::new();
    for line in text.lines() {
        if let Some(dir) = line.strip_prefix("crates/").and_then(|rest| rest.strip_suffix("/src/"))
        {
            section = dir;
        } else if let Some(file) = line.strip_prefix("  ").and_then(|l| l.split_whitespace().next())
        {
            named.push(format!("{section}/src/{file}"));
        }
    }
    let mut missing = Vec::new();
    for dir in entries(&crates()) {
        for path in sources(&dir.join("src")) {
            let path = path.strip_prefix(crates()).expect("below crates").to_string_lossy();
            if !path.ends_with("/tests.rs") && !named.contains(&path.replace('\\', "/")) {
                missing.push(path.into_owned());
            }
        }
    }
    assert!(missing.is_empty(), "ARCHITECTURE.md does not name {missing:?}");
}
