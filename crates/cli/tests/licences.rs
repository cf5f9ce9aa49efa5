//! Everything the program is made of may be used under its licences.

use std::process::Command;

use serde_json::Value;

/// Licences that allow use under MIT or Apache-2.0.
const ALLOWED: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];

/// Whether a licence expression can be met by allowed licences alone.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ").replace(['(', ')'], "");
    // No expression in use nests deeper than alternatives of conjunctions, or the reverse.
    let met = |part: &str| part.split(" OR ").any(|one| ALLOWED.contains(&one.trim()));
    expression.split(" AND ").all(met)
        || expression
            .split(" OR ")
            .any(|part| part.split(" AND ").all(|one| ALLOWED.contains(&one.trim())))
}

#[test]
fn all_dependencies_are_free_to_use() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    assert!(packages.len() > 20);
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(is_allowed(licence), "{} is under {licence}", package["name"]);
    }
}

#[test]
fn expressions_are_read() {
    assert!(is_allowed("MIT OR GPL-3.0"));
    assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(is_allowed("Unlicense/MIT"));
    assert!(!is_allowed("GPL-3.0-or-later"));
    assert!(!is_allowed("MIT AND GPL-3.0"));
}
