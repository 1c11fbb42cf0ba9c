//! Shows the elements around a block as a path in the form of style sheets.

use trommel_html::{Attribute, Element, Page};

/// Elements shown, the innermost ones: pages nest hundreds deep, and a path a block must stay short.
const ELEMENTS: usize = 6;
/// Tokens shown of each element.
const TOKENS: usize = 4;

/// The elements around the element `index`, outermost first: `article.post › div#text › p`. `html`
/// and `body` are left out; `…` stands for outer ones beyond the sixth.
pub fn path(page: &Page, index: u32) -> String {
    let mut around = page.path(index).filter(|(_, element)| !matches!(page.name(element), "html" | "body"));
    let mut names: Vec<String> = around.by_ref().take(ELEMENTS).map(|(_, element)| name(page, element)).collect();
    if around.next().is_some() {
        names.push("…".to_owned());
    }
    names.reverse();
    names.join(" › ")
}

fn name(page: &Page, element: &Element) -> String {
    let mut name = page.name(element).to_owned();
    let shown = page.attribute_words(element).iter().filter_map(|token| match token.attribute {
        Attribute::Id => Some(('#', token)),
        Attribute::Class => Some(('.', token)),
        Attribute::Role | Attribute::Itemprop => None,
    });
    for (mark, token) in shown.take(TOKENS) {
        name.push(mark);
        name.push_str(page.word_text(token));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn of_first(html: &str) -> String {
        let page = ScanEngine.read(html, &Limits::default());
        path(&page, page.blocks[0].element)
    }

    #[test]
    fn names_classes_and_ids() {
        let html = "<body><div id=main class='post-body wide odd tall'><p itemprop=text><b>bold</b>";
        assert_eq!(of_first(html), "div#main.post.body.wide › p › b");
        assert_eq!(of_first("bare"), "");
    }

    #[test]
    fn long_paths_keep_their_inner_end() {
        let html = format!("{}<p>deep", "<div>".repeat(400));
        assert_eq!(of_first(&html), "… › div › div › div › div › div › p");
    }
}
