//! Several machines, here threads of the test with connections of their own, write the files that
//! one machine writes; and each notices what is wrong with another.

mod carrier;
mod checkpoints;
mod faults;
mod files;
mod machines;
mod monitor;
mod relay;
mod trace;
