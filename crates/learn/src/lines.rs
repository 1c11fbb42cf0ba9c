//! Lines of text files that may be compressed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

/// The lines of a file, plain or gzip, that hold more than white space, each with its number from 1.
///
/// # Errors
/// If the file cannot be opened or its first bytes cannot be read; each line has its own error.
pub fn numbered_lines(path: &Path) -> io::Result<impl Iterator<Item = (usize, io::Result<String>)> + use<>> {
    let mut file = BufReader::new(File::open(path)?);
    let is_gzip = file.fill_buf()?.starts_with(&[0x1F, 0x8B]);
    let input: Box<dyn Read> = if is_gzip { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let is_blank = |line: &io::Result<String>| line.as_ref().is_ok_and(|text| text.trim().is_empty());
    Ok((1..).zip(BufReader::new(input).lines()).filter(move |(_, line)| !is_blank(line)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    #[test]
    fn lines_keep_their_numbers_plain_or_compressed() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, gzip) = (folder.path().join("a"), folder.path().join("b.gz"));
        let text = "one\n \n\nfour\n";
        std::fs::write(&plain, text).unwrap();
        // Two members, as `cat` makes them of two files.
        let mut file = File::create(&gzip).unwrap();
        for part in ["one\n \n", "\nfour\n"] {
            let mut member = GzEncoder::new(&mut file, Compression::fast());
            member.write_all(part.as_bytes()).unwrap();
            member.finish().unwrap();
        }
        for path in [plain, gzip] {
            let lines: Vec<(usize, String)> =
                numbered_lines(&path).unwrap().map(|(number, line)| (number, line.unwrap())).collect();
            assert_eq!(lines, [(1, "one".into()), (4, "four".into())]);
        }
        assert!(numbered_lines(&folder.path().join("c")).is_err());
    }
}
