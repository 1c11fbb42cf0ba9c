//! Prints the main text of one HTML file as Markdown, with what is known about the page above it.
//!
//!     cargo run --release -p trommel --example page -- page.html https://example.org/page

use std::{env, error::Error, fs};

use trommel::{Extractor, Hints, Settings};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let file = arguments.next().ok_or("usage: page FILE [URL]")?;
    let url = arguments.next();
    let page = fs::read(&file)?;

    let settings = Settings::from_json(r#"{"model": "fast", "text": "markdown"}"#)?;
    let extractor = Extractor::new(&settings)?;
    let hints = Hints { url: url.as_deref(), ..Hints::default() };
    let document = extractor.document(&page, &hints);

    println!("title:      {}", document.title.unwrap_or_default());
    println!("authors:    {}", document.author.join(", "));
    println!("published:  {}", document.published.unwrap_or_default());
    println!("language:   {}", document.lang.unwrap_or_default());
    println!("confidence: {:.2}", document.confidence);
    println!("\n{}", document.text);
    Ok(())
}
