//! How the program is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Addresses that are relocated when the program starts take a megabyte without it. Linkers that
    // do not know the option ignore it.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
