//! The bounds of numbers in the settings.

use std::num::NonZeroUsize;

use serde::{Deserialize, Deserializer, de::Error as _};
use trommel_text::ByteSize;

use super::{Settings, SettingsError};

const K: u64 = 1 << 10;
const M: u64 = 1 << 20;
const G: u64 = 1 << 30;

/// Maximum number of worker threads; more are probably a typing error.
pub const MAX_JOBS: usize = 1024;

/// Reads a number of workers.
pub(super) fn jobs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<NonZeroUsize>, D::Error> {
    let Some(jobs) = Option::<i64>::deserialize(deserializer)? else { return Ok(None) };
    match usize::try_from(jobs) {
        Ok(jobs @ 1..=MAX_JOBS) => Ok(NonZeroUsize::new(jobs)),
        Ok(0) => Err(D::Error::custom("at least one worker is needed; by default there is one a core")),
        Ok(_) => Err(D::Error::custom(format_args!("at most {MAX_JOBS} workers"))),
        Err(_) => Err(D::Error::custom("expected a number of workers")),
    }
}

impl Settings {
    /// Refuses numbers that cannot be meant.
    ///
    /// # Errors
    /// [`SettingsError::Invalid`] for the first of them.
    pub(super) fn check_bounds(&self) -> Result<(), SettingsError> {
        let (limits, output, filters) = (&self.limits, &self.output, &self.filters);
        if let Some(jobs) = limits.jobs.filter(|jobs| jobs.get() > MAX_JOBS) {
            let message = format!("{jobs} is not between 1 and {MAX_JOBS}");
            return Err(SettingsError::invalid("limits.jobs", message));
        }
        let duplicates = &filters.duplicates;
        let memory = (duplicates.exact || duplicates.near).then_some(duplicates.memory);
        // A page takes some dozen times its bytes, so that less memory holds no usual page. Places in a page are
        // numbers of 32 bits. More memory than the most is in no machine.
        for (key, given, least, most) in [
            ("limits.max_memory", limits.max_memory, 16 * M, 512 * G),
            ("limits.max_record", Some(limits.max_record), K, 4 * G),
            ("limits.max_payload", Some(limits.max_payload), K, 4 * G),
            ("output.split_size", output.split_size, K, 1024 * G),
            ("output.checkpoint", Some(output.checkpoint), K, 64 * G),
            ("filters.duplicates.memory", memory, K, 512 * G),
            ("sites.size", Some(self.sites.size), M, 512 * G),
        ] {
            let Some(ByteSize(bytes)) = given else { continue };
            let (bound, relation) = match bytes {
                bytes if bytes < least => (least, "less than the least,"),
                bytes if bytes > most => (most, "more than the most,"),
                _ => continue,
            };
            let unit = if bytes == 1 { "byte" } else { "bytes" };
            let bound = ByteSize(bound);
            let message =
                format!("{bytes} {unit} is {relation} {bound}; sizes are in bytes, or have a unit as in 512M");
            return Err(SettingsError::invalid(key, message));
        }
        for (least_name, least, most_name, most) in [
            ("min_words", filters.min_words, "max_words", filters.max_words),
            ("min_chars", filters.min_chars, "max_chars", filters.max_chars),
        ] {
            if let (Some(least), Some(most)) = (least, most)
                && least > most
            {
                let message = format!("{least} is more than {most_name} = {most}: no document could be kept");
                let key = format!("filters.{least_name}");
                return Err(SettingsError::invalid(&key, message));
            }
        }
        Ok(())
    }
}
