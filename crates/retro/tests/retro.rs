//! Solvers, files and check, in one program: it compiles the solvers for each game once.

mod agree;
mod check;
mod common;
mod endure;
mod experiment;
mod fleet;
mod format_1;
mod metrics;
mod parts;
mod progress;
mod rows;
mod signatures;
mod solvers;
mod work_files;
