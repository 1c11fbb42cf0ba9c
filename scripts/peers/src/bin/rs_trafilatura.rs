//! rs-trafilatura, a port of trafilatura with a page type classifier.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    peers::run(|html| {
        rs_trafilatura::extract(html)
            .ok()
            .map(|page| page.content_text)
    })
}
