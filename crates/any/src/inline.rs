//! A value of any small type, without an allocation.
//!
//! Positions and moves are copied, compared and hashed millions of times a second, so that a box
//! for each would cost more than the rules. The type's own comparison and hash are called, because
//! bytes between fields have no value.
#![allow(unsafe_code)]

use std::any::{TypeId, type_name};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem::MaybeUninit;

/// What can be kept: what the rules require of positions and moves.
pub trait Value: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static {}

impl<T: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static> Value for T {}

/// What is done with a value whose type is not known.
struct Functions {
    type_id: fn() -> TypeId,
    type_name: fn() -> &'static str,
    eq: unsafe fn(*const u8, *const u8) -> bool,
    hash: unsafe fn(*const u8, &mut dyn Hasher),
    debug: unsafe fn(*const u8, &mut fmt::Formatter<'_>) -> fmt::Result,
}

/// The functions of a type.
///
/// # Safety
/// The pointers must point to values of type `T`.
struct Of<T>(std::marker::PhantomData<T>);

impl<T: Value> Of<T> {
    const FUNCTIONS: Functions = Functions {
        type_id: TypeId::of::<T>,
        type_name: type_name::<T>,
        // SAFETY: by the contract above, as in the next two.
        eq: |a, b| unsafe { *a.cast::<T>() == *b.cast::<T>() },
        hash: |value, mut state| unsafe { (*value.cast::<T>()).hash(&mut state) },
        debug: |value, f| unsafe { (*value.cast::<T>()).fmt(f) },
    };
}

/// A value of a type that is copied and takes at most `WORDS` times eight bytes.
///
/// ```
/// use nutcracker_any::Inline;
///
/// let position = Inline::<2>::new([1_u8, 2, 3]);
/// assert_eq!(position, Inline::new([1_u8, 2, 3]));
/// assert_eq!(position.get::<[u8; 3]>(), &[1, 2, 3]);
/// ```
#[derive(Clone, Copy)]
pub struct Inline<const WORDS: usize> {
    functions: &'static Functions,
    bytes: [MaybeUninit<u64>; WORDS],
}

impl<const WORDS: usize> Inline<WORDS> {
    /// Keeps a value. A type that is too large does not compile.
    #[inline]
    pub fn new<T: Value>(value: T) -> Self {
        const {
            assert!(size_of::<T>() <= 8 * WORDS, "the type is too large to be kept inline");
            assert!(align_of::<T>() <= align_of::<u64>(), "the type has too large an alignment");
        }
        let mut bytes = [MaybeUninit::uninit(); WORDS];
        // SAFETY: size and alignment were compared above; the array is not borrowed elsewhere.
        unsafe { bytes.as_mut_ptr().cast::<T>().write(value) };
        Inline { functions: &Of::<T>::FUNCTIONS, bytes }
    }

    /// The value.
    ///
    /// # Panics
    /// If it is of another type: a position was given to the wrong game.
    #[inline]
    pub fn get<T: Value>(&self) -> &T {
        assert!(
            (self.functions.type_id)() == TypeId::of::<T>(),
            "a {} was taken for a {}",
            (self.functions.type_name)(),
            type_name::<T>()
        );
        // SAFETY: `new` wrote a value of this type, which needs no drop since it is `Copy`.
        unsafe { &*self.bytes.as_ptr().cast::<T>() }
    }

    fn pointer(&self) -> *const u8 {
        self.bytes.as_ptr().cast()
    }
}

impl<const WORDS: usize> PartialEq for Inline<WORDS> {
    fn eq(&self, other: &Self) -> bool {
        (self.functions.type_id)() == (other.functions.type_id)()
            // SAFETY: both are values of the type whose functions these are.
            && unsafe { (self.functions.eq)(self.pointer(), other.pointer()) }
    }
}

impl<const WORDS: usize> Eq for Inline<WORDS> {}

impl<const WORDS: usize> Hash for Inline<WORDS> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // SAFETY: the value is of the type whose functions these are.
        unsafe { (self.functions.hash)(self.pointer(), state) }
    }
}

impl<const WORDS: usize> fmt::Debug for Inline<WORDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the value is of the type whose functions these are.
        unsafe { (self.functions.debug)(self.pointer(), f) }
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, RandomState};

    use super::*;

    /// With bytes between its fields that have no value.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    struct Sparse {
        small: u8,
        large: u64,
        choice: Option<u16>,
    }

    #[test]
    fn compared_hashed_and_written_as_the_value_is() {
        let build = RandomState::new();
        let values = [(1, 2, None), (1, 2, Some(3)), (1, 4, None), (5, 2, None)]
            .map(|(small, large, choice)| Sparse { small, large, choice });
        for a in values {
            for b in values {
                assert_eq!(Inline::<3>::new(a) == Inline::new(b), a == b);
            }
            assert_eq!(build.hash_one(Inline::<3>::new(a)), build.hash_one(a));
            assert_eq!(format!("{:?}", Inline::<3>::new(a)), format!("{a:?}"));
            assert_eq!(*Inline::<3>::new(a).get::<Sparse>(), a);
        }
        assert_ne!(Inline::<1>::new(1_u8), Inline::new(1_u16));
    }

    #[test]
    #[should_panic(expected = "a u8 was taken for a u16")]
    fn another_type_is_refused() {
        Inline::<1>::new(1_u8).get::<u16>();
    }
}
