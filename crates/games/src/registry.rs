//! Registry.
