//! Chooses the memory allocator, and when the allocator returns memory to the system.
//!
//! All `unsafe` of this crate is here: mimalloc's options have no safe wrapper.

#![allow(unsafe_code)]

// Pages are read by one thread and freed by another, and each needs a few hundred kilobytes for a
// moment: the system's allocator gives them back and has them cleared anew every time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Number of mimalloc's option `purge_delay`, as in `mimalloc.h` of versions 2 and 3.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
/// Milliseconds after which mimalloc returns unused memory to the system. The default, a second, keeps the memory of
/// all large pages processed in a second; a few milliseconds would cost 4 % more CPU time.
const MILLISECONDS: std::ffi::c_long = 100;
/// Milliseconds after which a service returns unused memory to the system: 0 means at once.
// The allocator gives back only while it is asked for more, so a page that nothing follows stays for as long as the
// service rests: many clients at once had peaks of 265 MB, with this 216. It costs a twentieth of the CPU time of a
// request.
const OF_SERVICE: std::ffi::c_long = 0;

/// Sets how soon the allocator returns memory to the system, unless the variable `MIMALLOC_PURGE_DELAY` sets it.
pub fn begin(is_service: bool) {
    let delay = if is_service { OF_SERVICE } else { MILLISECONDS };
    // SAFETY: the function takes two numbers and may be called at any time; of an option that it does not
    // know it takes no notice.
    unsafe { libmimalloc_sys::mi_option_set_default(PURGE_DELAY, delay) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delay() -> std::ffi::c_long {
        // SAFETY: as above.
        unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) }
    }

    #[test]
    fn memory_is_given_back_sooner() {
        // Nothing else has this value, so the number is that of the option.
        assert_eq!(delay(), 1000);
        begin(false);
        assert_eq!(delay(), MILLISECONDS);
        begin(true);
        assert_eq!(delay(), OF_SERVICE);
    }
}
