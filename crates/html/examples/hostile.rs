//! Writes the hostile pages of the tests, each at its full size, into a folder, and prints a line for
//! each: file name, name, number of repetitions, and the texts that must come out, divided by tabs.

#[path = "../../../tests/hostile.rs"]
mod hostile;

use std::io;
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| io::Error::other("usage: hostile FOLDER"))?;
    for (at, shape) in hostile::SHAPES.iter().enumerate() {
        let file = format!("{at:02}.html");
        std::fs::write(folder.join(&file), (shape.page)(shape.size))?;
        let texts = [&[hostile::BEFORE, hostile::AFTER], shape.texts].concat();
        println!("{file}\t{}\t{}\t{}", shape.name, shape.size, texts.join("\t"));
    }
    Ok(())
}
