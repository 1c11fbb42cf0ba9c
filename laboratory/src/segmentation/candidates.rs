//! Elements that may be blocks: one for each different content, with what is known of it.

use trommel_html::{NONE, Page, Tag};

/// Contents of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ElementContent {
    /// Blocks of text.
    pub blocks: u32,
    /// Their characters.
    pub chars: u32,
    /// Their words.
    pub words: u32,
    /// Those of them in links.
    pub link_words: u32,
    /// Images and other embedded things.
    pub images: u32,
    /// Fields and buttons of forms.
    pub inputs: u32,
    /// Links.
    pub links: u32,
}

impl ElementContent {
    fn add(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.chars += other.chars;
        self.words += other.words;
        self.link_words += other.link_words;
        self.images += other.images;
        self.inputs += other.inputs;
        self.links += other.links;
    }

    /// Returns whether both hold the same things, given that one is inside the other.
    fn is_same(&self, other: &Self) -> bool {
        (self.blocks, self.images, self.inputs) == (other.blocks, other.images, other.inputs)
    }

    /// Returns whether there is nothing to be seen.
    pub fn is_empty(&self) -> bool {
        self.blocks == 0 && self.images == 0 && self.inputs == 0
    }

    /// Share of the words that stand in links.
    pub fn link_density(&self) -> f32 {
        self.link_words as f32 / self.words.max(1) as f32
    }
}

/// A chain of elements, each the only one with content inside the one before.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Indices of the elements, the outermost first; at least one.
    pub elements: Vec<u32>,
    /// The candidate around it, by its place in the list.
    pub parent: Option<usize>,
    /// Candidates right inside.
    pub children: Vec<usize>,
    /// Its contents.
    pub content: ElementContent,
}

impl Candidate {
    /// The outermost element.
    pub fn element(&self) -> u32 {
        self.elements.first().copied().unwrap_or(NONE)
    }
}

/// Contents of each element, by its index. Linear in the page.
fn contents(page: &Page) -> Vec<ElementContent> {
    let mut contents = vec![ElementContent::default(); page.elements.len()];
    for (element, element_content) in page.elements.iter().zip(&mut contents) {
        match element.tag {
            Tag::Img | Tag::Object | Tag::Embed | Tag::Video | Tag::Canvas => element_content.images = 1,
            Tag::Input | Tag::Button | Tag::Select | Tag::Textarea => element_content.inputs = 1,
            Tag::A => element_content.links = 1,
            _ => {}
        }
    }
    for block in &page.blocks {
        if let Some(element_content) = contents.get_mut(block.element as usize) {
            element_content.blocks += 1;
            element_content.chars += block.chars;
            element_content.words += block.words;
            element_content.link_words += block.link_words;
        }
    }
    for at in (0..contents.len()).rev() {
        let element_content = contents.get(at).copied().unwrap_or_default();
        let parent = page.elements.get(at).map_or(NONE, |element| element.parent);
        if let Some(around) = contents.get_mut(parent as usize) {
            around.add(&element_content);
        }
    }
    contents
}

/// The candidates of a page in document order. Hidden elements are left out. Linear in the page.
pub fn candidates(page: &Page) -> Vec<Candidate> {
    let contents = contents(page);
    let mut found: Vec<Candidate> = Vec::new();
    let mut of_element: Vec<Option<usize>> = Vec::with_capacity(page.elements.len());
    for (at, (element, content)) in (0u32..).zip(page.elements.iter().zip(&contents)) {
        let around = of_element.get(element.parent as usize).copied().flatten();
        if element.hidden || content.is_empty() {
            of_element.push(None);
            continue;
        }
        let same =
            around.filter(|around| found.get(*around).is_some_and(|candidate| candidate.content.is_same(content)));
        if let Some(candidate) = same.and_then(|same| found.get_mut(same)) {
            candidate.elements.push(at);
            of_element.push(same);
            continue;
        }
        let number = found.len();
        if let Some(parent) = around.and_then(|around| found.get_mut(around)) {
            parent.children.push(number);
        }
        found.push(Candidate { elements: vec![at], parent: around, children: Vec::new(), content: *content });
        of_element.push(Some(number));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn elements_with_the_same_content_are_one_candidate() {
        let html = "<body><div><div><h1>a b</h1><p>c</p></div></div><ul hidden><li>d</ul>\
                    <div><a href=x><img></a></div></body>";
        let page = ScanEngine.read(html, &Limits::default());
        let found = candidates(&page);
        let names: Vec<String> = found
            .iter()
            .map(|candidate| {
                let elements = candidate.elements.iter().filter_map(|at| page.element(*at));
                elements.map(|element| page.name(element)).collect::<Vec<_>>().join(">")
            })
            .collect();
        assert_eq!(names, ["body", "div>div", "h1", "p", "div>a>img"]);
        assert_eq!(found[0].children, [1, 4]);
        assert_eq!(found[1].children, [2, 3]);
        assert_eq!((found[1].content.words, found[1].content.blocks), (3, 2));
        assert_eq!((found[4].content.images, found[4].content.links), (1, 1));
        assert_eq!(found[3].parent, Some(1));
    }
}
