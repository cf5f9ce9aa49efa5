//! Opening books.

mod error;
pub mod node;
pub mod store;
pub mod value;

pub use error::{BookError, Result};
