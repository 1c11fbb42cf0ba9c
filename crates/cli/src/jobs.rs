//! The number of workers as people write it.

use std::num::NonZeroUsize;

use trommel_pipeline::MOST_JOBS;

/// # Errors
/// In plain words, if it is no number of workers.
pub fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    let number: usize = text
        .parse()
        .map_err(|_| "expected a number of workers".to_owned())?;
    match NonZeroUsize::new(number) {
        None => Err("at least one worker is needed; without -j there is one a core".to_owned()),
        Some(_) if number > MOST_JOBS => Err(format!("at most {MOST_JOBS} workers")),
        Some(jobs) => Ok(jobs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_cannot_be_meant_are_refused() {
        assert_eq!(jobs("3").unwrap().get(), 3);
        for (text, words) in [
            ("0", "at least one"),
            ("1000000", "at most"),
            ("x", "number"),
        ] {
            assert!(jobs(text).unwrap_err().contains(words), "{text}");
        }
    }
}
