//! dom_smoothie, a port of Mozilla's Readability.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    peers::run(|html| {
        let mut page = dom_smoothie::Readability::new(html, None, None).ok()?;
        page.parse()
            .ok()
            .map(|article| article.text_content.to_string())
    })
}
