//! Finds long runs of bytes without white space, 64 bytes at a time.

use std::hint::black_box;

use crate::vectors::{ByteTask, Compare, Vectors};

/// Start of the first run of at least `least` (1 to 64) bytes without ASCII white space, at `from` or
/// behind it. Of a run that began before, only the part behind counts.
pub fn long_run(text: &[u8], from: usize, least: u32) -> Option<usize> {
    Vectors::default().run(LongRunSearch { text, from, least })
}

struct LongRunSearch<'a> {
    text: &'a [u8],
    from: usize,
    least: u32,
}

impl ByteTask for LongRunSearch<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> Option<usize> {
        let least = self.least as usize;
        // Where the run begins that goes on at `at`.
        let (mut start, mut at) = (self.from, self.from);
        while let Some(rest) = self.text.get(at..)
            && !rest.is_empty()
        {
            let chunk = match rest.first_chunk::<64>() {
                Some(chunk) => form.load(chunk),
                None => {
                    // What stands behind the text ends a run as white space does.
                    let mut chunk = [b' '; 64];
                    if let Some(part) = chunk.get_mut(..rest.len()) {
                        part.copy_from_slice(rest);
                    }
                    form.load(&chunk)
                }
            };
            // A number before it is shifted: else the compiler shifts vectors, bit by bit.
            let spaces = black_box(form.space(chunk));
            if at + spaces.trailing_zeros() as usize - start >= least {
                return Some(start);
            }
            // Bits stay where a run of twice, four times ... as many begins.
            let (mut runs, mut length) = (!spaces, 1);
            while length < self.least {
                let more = length.min(self.least - length);
                runs &= runs >> more;
                length += more;
            }
            if runs != 0 {
                return Some(at + runs.trailing_zeros() as usize);
            }
            if spaces != 0 {
                start = at + 64 - spaces.leading_zeros() as usize;
            }
            at += 64;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_those_of_the_plain_loop() {
        let mut state = 7u64;
        for round in 0..3000 {
            let len = round % 300;
            let rarely = 2 + round as u64 % 90;
            let text: Vec<u8> = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    match (state >> 33) % rarely {
                        0 => b" \t\n\r\x0C"[(state >> 45) as usize % 5],
                        other => b"ab\x0b\0\x80\xc3\xa9"[other as usize % 7],
                    }
                })
                .collect();
            let from = (state >> 50) as usize % (len + 2);
            for least in [1, 2, 25, 60, 64] {
                let ends = |start: usize| text[start..].iter().position(u8::is_ascii_whitespace);
                let is_long = |start: &usize| ends(*start).unwrap_or(len - start) >= least as usize;
                let expected = (from..len).find(is_long);
                assert_eq!(long_run(&text, from, least), expected, "{text:?} {from} {least}");
            }
        }
    }
}
