//! Panics of redb, turned into errors.
//!
//! redb trusts its pages: an index that points outside of one, for instance, is a panic. A damaged
//! file is not a fault of the program, so such a panic ends at the border of the store.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{BookError, Result};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread, now, is turned into an error by a store. A panic hook that
/// reports faults of the program should not report this one.
pub fn catches_panics() -> bool {
    GUARDED.get()
}

/// Does something with a file that may be damaged.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = GUARDED.replace(true);
    // After a panic the store is only dropped, or fails again.
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(before);
    outcome.unwrap_or_else(|_| {
        Err(BookError::Corrupt("the structure of its file is not valid".to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        assert!(!catches_panics());
        let inside = guarded(|| Ok(catches_panics())).unwrap();
        assert!(inside && !catches_panics());
        let caught = guarded::<()>(|| panic!("a page"));
        assert!(matches!(caught, Err(BookError::Corrupt(_))) && !catches_panics());
    }
}
