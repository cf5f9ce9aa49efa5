//! Many workers that grow one book.

pub mod table;
