//! How the program is linked: smaller, where the linker can make it so.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    // Addresses that are relocated when the program starts take a megabyte without it. Linkers that
    // do not know the option ignore it.
    println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    if links_with_lld() {
        // Functions that were compiled several times to the same code are kept once.
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Whether the toolchain has the linker that Rust 1.90 and later use on this platform, and nothing
/// else was asked for.
fn links_with_lld() -> bool {
    let target = variable("TARGET");
    if target != "x86_64-unknown-linux-gnu"
        || !variable("RUSTC_LINKER").is_empty()
        || !variable("CARGO_ENCODED_RUSTFLAGS").is_empty()
    {
        return false;
    }
    let sysroot = Command::new(variable("RUSTC")).args(["--print", "sysroot"]).output();
    let Ok(output) = sysroot else { return false };
    let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let linker: PathBuf = [&sysroot, "lib/rustlib", &target, "bin/gcc-ld/ld.lld"].iter().collect();
    linker.exists()
}
