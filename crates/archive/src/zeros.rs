//! Finds runs of zeros in stored bytes, where a disk or a download lost a part of a file.

/// Zeros in a row from which on a run counts: the least that disks lose. Compressed bytes hold such runs
/// only where the plain bytes repeat one value for long.
const MIN_RUN_BYTES: u64 = 512;
/// Bytes that are looked at together.
const STEP: usize = 64;
/// Zeros in a row that are too few to have been a gzip member: header, empty body and trailer.
const MIN_MEMBER_BYTES: u64 = 20;
/// Sizes of the blocks that tapes and disks are written in.
const SECTOR: u64 = 512;
/// Size of the blocks that tar writes, of which the last is filled up.
pub(crate) const TAR_BLOCK: u64 = 10_240;

/// Returns whether zeros up to the stored offset `end` are padding rather than a hole: too few to have been a member,
/// or fewer than a block and up to the end of one. More than a sector may be filled up only at the end of the file.
pub(crate) fn is_padding(zeros: u64, end: u64, ends_file: bool) -> bool {
    let block = if ends_file { TAR_BLOCK } else { SECTOR };
    zeros < MIN_MEMBER_BYTES || zeros < block && end.is_multiple_of(SECTOR)
}

/// Finds the runs of zeros in bytes that come piece by piece.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ZeroRuns {
    /// Stored offset of the next byte.
    position: u64,
    /// Zeros directly before it.
    run: u64,
    /// The beginning of the first long run.
    first: Option<u64>,
    /// Bytes of all long runs that have ended.
    total: u64,
}

impl ZeroRuns {
    /// Begins anew at a stored offset.
    pub(crate) fn begin(&mut self, position: u64) {
        *self = ZeroRuns { position, ..ZeroRuns::default() };
    }

    /// Looks at the bytes that come next.
    pub(crate) fn see(&mut self, bytes: &[u8]) {
        for step in bytes.chunks(STEP) {
            let length = step.len() as u64;
            if step.iter().all(|byte| *byte == 0) {
                self.run += length;
            } else {
                let lead = step.iter().take_while(|byte| **byte == 0).count();
                self.run += lead as u64;
                self.end_run(self.position + lead as u64);
                self.run = step.iter().rev().take_while(|byte| **byte == 0).count() as u64;
            }
            self.position += length;
        }
    }

    fn end_run(&mut self, end: u64) {
        if self.run >= MIN_RUN_BYTES {
            self.first.get_or_insert(end - self.run);
            self.total += self.run;
        }
        self.run = 0;
    }

    /// The beginning of the first long run, and the bytes of all; none if there is no such run.
    pub(crate) fn finish(mut self) -> Option<(u64, u64)> {
        self.end_run(self.position);
        Some((self.first?, self.total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_found_whatever_the_pieces() {
        let mut bytes = vec![1; 100];
        bytes.extend([0; 511]);
        bytes.extend([2; 77]);
        bytes.extend([0; 512]);
        bytes.push(3);
        bytes.extend([0; 1000]);
        for piece in [1, 7, 63, 64, 65, 600, 5000] {
            let mut runs = ZeroRuns::default();
            runs.begin(5);
            for part in bytes.chunks(piece) {
                runs.see(part);
            }
            assert_eq!(runs.finish(), Some((5 + 688, 1512)), "{piece}");
            runs.begin(5);
            runs.see(&bytes[..680]);
            assert_eq!(runs.finish(), None, "{piece}");
        }
    }

    #[test]
    fn padding_fills_a_block_up() {
        assert!(is_padding(19, 1000, false));
        assert!(!is_padding(20, 1000, false));
        assert!(is_padding(511, 1024, false) && !is_padding(512, 1024, false));
        assert!(is_padding(10_239, 20_480, true) && !is_padding(10_240, 20_480, true));
        assert!(!is_padding(700, 1000, true));
    }
}
