//! What the Rust peers share: FastWARC's reader in front, zstd JSON lines behind.

use std::{
    env,
    error::Error,
    fs::File,
    io::{BufReader, Read, Write},
};

use fastwarc::warc::iter::ArchiveIterator;

/// Runs `extract` over every response of the archive `argv[1]` and writes `{id, text}` lines to `argv[2]`.
/// Prints the number of pages and their bytes as JSON.
pub fn run(mut extract: impl FnMut(&str) -> Option<String>) -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(archive), Some(output)) = (arguments.next(), arguments.next()) else {
        return Err("arguments: ARCHIVE OUTPUT".into());
    };
    let mut output = zstd::stream::write::Encoder::new(File::create(output)?, 3)?;
    let (mut pages, mut bytes, mut texts) = (0_u64, 0_u64, 0_u64);
    for record in ArchiveIterator::new(BufReader::new(File::open(archive)?)) {
        let record = record?;
        let mut record = record.borrow_mut();
        if record.record_type().as_str() != "response" {
            continue;
        }
        let id = record.record_id().map(|id| id.into_owned());
        let mut body = Vec::new();
        if let Some(reader) = record.reader_mut() {
            reader.read_to_end(&mut body)?;
        }
        let body = after_header(&body);
        pages += 1;
        bytes += body.len() as u64;
        // None of these peers finds the charset; they are given what UTF-8 makes of the bytes.
        if let Some(text) = extract(&String::from_utf8_lossy(body)) {
            texts += 1;
            serde_json::to_writer(&mut output, &serde_json::json!({"id": id, "text": text}))?;
            output.write_all(b"\n")?;
        }
    }
    output.finish()?;
    println!("{{\"pages\": {pages}, \"bytes\": {bytes}, \"texts\": {texts}}}");
    Ok(())
}

/// What follows the HTTP header, if the reader left one there.
fn after_header(block: &[u8]) -> &[u8] {
    if !block.starts_with(b"HTTP/") {
        return block;
    }
    block
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .and_then(|at| block.get(at + 4..))
        .unwrap_or(block)
}
