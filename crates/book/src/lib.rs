//! Opening books.

pub mod value;
