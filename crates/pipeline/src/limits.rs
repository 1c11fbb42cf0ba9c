//! Bounds within which the numbers of a plan make sense, wherever they were given.

use crate::Plan;
use trommel_filters::FilterSettings;

const K: u64 = 1 << 10;
const M: u64 = 1 << 20;
const G: u64 = 1 << 30;

/// Most worker threads: more are a slip of the hand.
pub const MOST_JOBS: usize = 1024;

/// A number that cannot be meant.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// A size in bytes is too small or too large.
    #[error(
        "{name}: {given} {unit} is {relation} {}; sizes are in bytes, or have a unit as in 512M",
        size(*bound),
        unit = if *given == 1 { "byte" } else { "bytes" },
        relation = if given < bound { "less than the least," } else { "more than the most," }
    )]
    Size {
        /// The option.
        name: &'static str,
        /// What was asked for.
        given: u64,
        /// The bound.
        bound: u64,
    },
    /// A count is zero or too large.
    #[error("{name}: {given} is not between 1 and {most}")]
    Count {
        /// The option.
        name: &'static str,
        /// What was asked for.
        given: usize,
        /// The bound.
        most: usize,
    },
    /// Nothing can be between the two bounds.
    #[error("{least_name} = {least} is more than {most_name} = {most}: no document could be kept")]
    Crossed {
        /// The lower bound.
        least_name: &'static str,
        /// Its value.
        least: u64,
        /// The upper bound.
        most_name: &'static str,
        /// Its value.
        most: u64,
    },
}

impl Plan {
    /// Checks the numbers of the plan, and of `filters`, the settings of its filters. They are to be
    /// checked before [`within`](Self::within) makes some of them
    /// smaller.
    ///
    /// # Errors
    /// The first that cannot be meant.
    pub fn check(&self, filters: &FilterSettings) -> Result<(), LimitError> {
        let jobs = self.jobs.get();
        if jobs > MOST_JOBS {
            return Err(LimitError::Count {
                name: "jobs",
                given: jobs,
                most: MOST_JOBS,
            });
        }
        // A page takes some dozen times its bytes, so that less memory holds no usual page. Places in a
        // page are numbers of 32 bits. More memory than the most is in no machine.
        for (name, given, least, most) in [
            ("max-memory", self.max_memory, 16 * M, 512 * G),
            ("max-record", Some(self.max_record), K, 4 * G),
            ("max-payload", Some(self.max_payload), K, 4 * G),
            ("split-size", self.output.split, K, 1024 * G),
            ("checkpoint", Some(self.frame), K, 64 * G),
            (
                "filters.duplicates.memory",
                memory_of_duplicates(filters),
                K,
                512 * G,
            ),
        ] {
            let given = given.unwrap_or(least);
            if let Some(bound) = [least, most]
                .into_iter()
                .find(|&bound| given.clamp(least, most) == bound && given != bound)
            {
                return Err(LimitError::Size { name, given, bound });
            }
        }
        for (least_name, least, most_name, most) in [
            (
                "min_words", filters.min_words, "max_words", filters.max_words,
            ),
            (
                "min_chars", filters.min_chars, "max_chars", filters.max_chars,
            ),
        ] {
            if let (Some(least), Some(most)) = (least, most)
                && least > most
            {
                return Err(LimitError::Crossed {
                    least_name,
                    least,
                    most_name,
                    most,
                });
            }
        }
        Ok(())
    }
}

fn memory_of_duplicates(filters: &FilterSettings) -> Option<u64> {
    let duplicates = &filters.duplicates;
    (duplicates.exact || duplicates.near).then_some(duplicates.memory.0)
}

/// As people write it.
fn size(bytes: u64) -> String {
    let units = [(G, "G"), (M, "M"), (K, "K")];
    let fit = units
        .iter()
        .find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    fit.map_or_else(
        || bytes.to_string(),
        |(unit, name)| format!("{}{name}", bytes / unit),
    )
}
