//! Phase 2: values spread inside the slice, from conversions alone.

pub mod memory;
pub mod sweep;
