//! Renders images that stand between the kept blocks, and resolves and escapes the addresses of links.

use std::collections::HashSet;

use rustc_hash::FxHashSet;
use trommel_html::{Element, NONE, Page, Tag};
use url::{ParseError, Url};

use super::MarkdownOptions;
use super::escape::{Context, escape};
use crate::links::base_of;
use crate::render::content::{KeptContent, Segment};
use crate::render::{AddressForm, traced, traced::OriginSource};

/// Attributes that hold the address of an image which a script loads late. They take precedence over `src`, which then
/// holds a placeholder.
const LATE_ADDRESSES: [&str; 4] = ["data-src", "data-original", "data-lazy-src", "data-full-src"];
/// Attributes that hold a list of addresses of an image, each with its width.
const ADDRESS_SETS: [&str; 3] = ["data-srcset", "data-lazy-srcset", "srcset"];
/// Maximum width or height in pixels of an image that is left out, as an icon or a tracking pixel.
// Buttons of 16 to 32 pixels, and pixels that count readers.
const MAX_ICON_PIXELS: u32 = 32;
/// Maximum number of elements around an image that are searched for a link.
const ANCESTORS: usize = 4;
/// Maximum number of blocks before and after an image that are searched for one that is not a caption. The image is
/// kept if these blocks are kept.
const MAX_CAPTION_BLOCKS: usize = 8;
/// Maximum bytes of the alternative text of an image.
const MAX_ALT_BYTES: usize = 500;

/// Images that belong to the kept blocks of a page, in page order.
#[derive(Debug)]
pub(super) struct Images<'a> {
    content: &'a KeptContent<'a>,
    links: Links<'a>,
    options: &'a MarkdownOptions,
    /// Address of the image that was written last; it is not written again directly after.
    last: String,
    /// Images still to write (element indices), in reverse page order, each with the link that contains only the image.
    left: Vec<(u32, Option<u32>)>,
    /// Index of the `picture` element that was read last, and the address found in that element.
    picture: (u32, Option<String>),
}

impl<'a> Images<'a> {
    /// Collects the images between two kept blocks, or between a kept block and the headline, even with dropped
    /// captions between them. Images within a line are not included. If the options want links but no images, only
    /// images that are the whole content of a link are included.
    pub fn new(content: &'a KeptContent<'a>, url: Option<&str>, options: &'a MarkdownOptions) -> Self {
        let page = content.page;
        let headline = headline_element(page);
        let kept: FxHashSet<usize> =
            content.segments.iter().flat_map(Segment::all_blocks).map(|block| block as usize).collect();
        let ends = kept.iter().min().copied().zip(kept.iter().max().copied());
        let (first, last) = ends.unwrap_or_default();
        let counts = |at: usize| {
            let is_headline = page.blocks.get(at).is_some_and(|block| {
                headline.is_some_and(|headline| page.path(block.element).any(|(at, _)| at == headline))
            });
            is_headline || kept.contains(&at)
        };
        let is_caption = |at: usize| {
            let block = page.blocks.get(at);
            let path = block.map(|block| page.path(block.element));
            path.is_some_and(|mut path| path.any(|(_, element)| element.tag == Tag::Figcaption))
        };
        // One post of a page is not looked for in all of it.
        let near = first.saturating_sub(MAX_CAPTION_BLOCKS + 1);
        let from = page.blocks.get(near).filter(|_| near > 0).map_or(0, |block| block.span.0);
        let until = page.blocks.get(last + MAX_CAPTION_BLOCKS + 1).map_or(u32::MAX, |block| block.span.0);
        let start = page.elements.partition_point(|element| element.start < from);
        let mut left = Vec::new();
        let mut next = near;
        for (at, element) in (0u32..).zip(&page.elements).skip(start).take_while(|(_, element)| element.start < until) {
            traced::take(1);
            if element.tag != Tag::Img || element.hidden || ends.is_none() {
                continue;
            }
            while page.blocks.get(next).is_some_and(|block| block.span.1 <= element.start) {
                next += 1;
            }
            let link = options.links.then(|| bare_link(page, at, next)).flatten();
            if link.is_none() && !options.images {
                continue;
            }
            let is_inside = page.blocks.get(next).is_some_and(|block| block.span.0 < element.start);
            let before = (0..next).rev().take(MAX_CAPTION_BLOCKS).find(|at| !is_caption(*at) || counts(*at));
            let after = (next..page.blocks.len()).take(MAX_CAPTION_BLOCKS).find(|at| !is_caption(*at) || counts(*at));
            // Both neighbours kept: an image between text and a menu may belong to the menu.
            let belongs = before.is_some_and(&counts) && after.is_none_or(&counts);
            if !is_inside && belongs {
                left.push((at, link));
            }
        }
        left.reverse();
        let links = Links::new(content, url, options.addresses);
        Self { content, links, options, last: String::new(), left, picture: (NONE, None) }
    }

    /// Calls `add` for each image before byte `start` of the page that is not yet written, with its element, origin and
    /// Markdown.
    pub fn write_before(&mut self, start: u32, mut add: impl FnMut(u32, OriginSource, &str)) {
        let page = self.content.page;
        let is_before = |at: u32| page.element(at).is_some_and(|element| element.start < start);
        while let Some((at, link)) = self.left.pop_if(|(at, _)| is_before(*at) && traced::take(1)) {
            let Some(element) = page.element(at) else { continue };
            let Some(image) = self.image(element) else { continue };
            let address = link.and_then(|link| self.links.take(link));
            let text = match &address {
                Some(address) => format!("[{image}]({address})"),
                None if !self.options.images => continue,
                None => image,
            };
            let around = address.and(link).and_then(|link| page.element(link)).unwrap_or(element);
            let end = element.start_tag_end(self.content.html).unwrap_or(element.start);
            add(at, OriginSource::Image(around.start, end), &text);
        }
    }

    fn image(&mut self, element: &Element) -> Option<String> {
        let html = self.content.html;
        let pixels = |name: &str| element.attribute(html, name)?.trim().parse::<u32>().ok();
        let is_icon =
            ["width", "height"].iter().any(|name| pixels(name).is_some_and(|pixels| pixels <= MAX_ICON_PIXELS));
        if is_icon {
            return None;
        }
        let address = [&LATE_ADDRESSES[..], &["src"]]
            .into_iter()
            .filter_map(|names| element.first_attribute(html, names))
            .map(|address| address.trim().to_owned())
            .find(|address| is_address(address))
            .or_else(|| widest(&element.first_attribute(html, &ADDRESS_SETS)?))
            .or_else(|| self.of_picture(element))?;
        let address = self.links.destination(&address)?;
        // What shows where scripts are off repeats what is loaded late.
        // Pages repeat an image in `noscript`.
        if self.last == address {
            return None;
        }
        self.last.clone_from(&address);
        let alt = alternative(element, html).unwrap_or_default();
        Some(format!("!{}", written_link(&alt, &address)))
    }

    /// Returns the address in the `source` elements of the `picture` around an image, for images without an address.
    /// Each `picture` is read once for all of its images.
    fn of_picture(&mut self, image: &Element) -> Option<String> {
        let (page, html) = (self.content.page, self.content.html);
        let around = page.element(image.parent).filter(|around| page.name(around) == "picture")?;
        if self.picture.0 != image.parent {
            traced::take((around.end - image.parent) as usize);
            let inside = (image.parent + 1..around.end).filter_map(|at| page.element(at));
            let sets = inside.filter_map(|source| source.first_attribute(html, &ADDRESS_SETS));
            self.picture = (image.parent, sets.filter_map(|set| widest(&set)).next());
        }
        self.picture.1.clone()
    }
}

/// Returns the alternative text of an image, on one line.
pub(super) fn alternative(image: &Element, html: &str) -> Option<String> {
    let alt = image.attribute(html, "alt")?;
    let alt: Vec<&str> = alt.split_whitespace().collect();
    let mut alt = alt.join(" ");
    while alt.len() > MAX_ALT_BYTES {
        alt.pop();
    }
    Some(alt)
}

/// Returns the link around an image if the link contains no text. `next` is the first block that ends after the image.
fn bare_link(page: &Page, image: u32, next: usize) -> Option<u32> {
    let around = page.path(image).skip(1).take(ANCESTORS);
    let (link, element) = around.filter(|(_, element)| element.tag == Tag::A).last()?;
    let is_in = |at: usize| {
        let block = page.blocks.get(at);
        block.is_some_and(|block| block.element >= link && block.element < element.end)
    };
    let has_text = is_in(next) || next.checked_sub(1).is_some_and(is_in);
    (!has_text).then_some(link)
}

/// Returns whether an attribute holds an image's address: not empty, a fragment or the image itself (`data:`).
fn is_address(address: &str) -> bool {
    !address.is_empty() && !address.starts_with("data:") && !address.starts_with('#')
}

/// Returns the address of the widest image in a `srcset`, read as the HTML standard says: an address ends at white
/// space, or at a comma before white space.
fn widest(set: &str) -> Option<String> {
    let mut widest: Option<(&str, f32)> = None;
    let mut rest = set;
    loop {
        rest = rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
        if rest.is_empty() {
            return widest.map(|(address, _)| address.to_owned());
        }
        let (word, behind) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
        let address = word.trim_end_matches(',');
        let (size, behind) =
            if address.len() < word.len() { ("", behind) } else { behind.split_once(',').unwrap_or((behind, "")) };
        rest = behind;
        let size: Option<f32> = match size.trim() {
            "" => Some(1.0),
            size => size.trim_end_matches(['w', 'x']).parse().ok(),
        };
        if let Some(size) = size
            && is_address(address)
            && widest.is_none_or(|(_, known)| known < size)
        {
            widest = Some((address, size));
        }
    }
}

/// Returns the index of the first visible `h1` element, which is taken for the headline.
fn headline_element(page: &Page) -> Option<u32> {
    let mut elements = (0u32..).zip(&page.elements);
    elements.find(|(_, element)| element.tag == Tag::H1 && !element.hidden).map(|(at, _)| at)
}

/// Maximum bytes of the address of a link or an image.
const MAX_ADDRESS_BYTES: usize = 2048;
/// Maximum bytes of all addresses in the Markdown of a page: a factor of the bytes of the page, plus a constant. Each
/// link repeats the base address, so a short page with a long base could otherwise give Markdown of any length.
const MAX_ADDRESS_TOTAL: (usize, usize) = (4, 1 << 16);

/// Links of a page as escaped addresses, each returned once: if an `a` is around several blocks, for the first.
#[derive(Debug)]
pub(super) struct Links<'a> {
    content: &'a KeptContent<'a>,
    base: Option<Url>,
    form: AddressForm,
    used: HashSet<u32>,
    /// Number of bytes of addresses that may still be written.
    room: usize,
}

impl<'a> Links<'a> {
    /// Prepares the links of a page whose address is `url`.
    pub fn new(content: &'a KeptContent<'a>, url: Option<&str>, form: AddressForm) -> Self {
        Self {
            content,
            base: base_of(content.page, url),
            form,
            used: HashSet::new(),
            room: content.html.len().saturating_mul(MAX_ADDRESS_TOTAL.0) + MAX_ADDRESS_TOTAL.1,
        }
    }

    /// Returns an address as a Markdown destination; `None` if it cannot be resolved or the limit is reached.
    pub fn destination(&mut self, address: &str) -> Option<String> {
        let destination = destination(address, self.base.as_ref(), self.form)?;
        self.room = self.room.checked_sub(destination.len())?;
        Some(destination)
    }

    /// Returns a Markdown link to an address that appears in the text, with the address as its text.
    pub fn written(&mut self, address: &str) -> Option<String> {
        let destination = self.destination(address)?;
        Some(written_link(address, &destination))
    }

    /// Returns the target of an `a` element as a Markdown destination. `None` if it cannot be resolved, is not a
    /// network address, was returned before, or the limit on bytes of addresses is reached.
    pub fn take(&mut self, element: u32) -> Option<String> {
        // A card that is one link would else give the same address with each of its lines.
        if !self.used.insert(element) {
            return None;
        }
        let page = self.content.page;
        let href = page.element(element)?.attribute(self.content.html, "href")?;
        match href.trim() {
            // The page itself, as a place of its own.
            "" => Some("#".to_owned()),
            href => self.destination(href),
        }
    }
}

/// Returns a Markdown link with a plain text, which is escaped here, and a Markdown destination.
pub(super) fn written_link(text: &str, address: &str) -> String {
    let context = Context { link: true, line_break: " ", ..Context::default() };
    let mut out = String::from("[");
    escape(text, 0, text.len(), context, &mut out);
    out.push_str("](");
    out.push_str(address);
    out.push(')');
    out
}

fn destination(href: &str, base: Option<&Url>, form: AddressForm) -> Option<String> {
    if href.len() > MAX_ADDRESS_BYTES {
        return None;
    }
    if let Some(name) = href.strip_prefix('#') {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '%' | '~');
        return (!name.is_empty() && name.chars().all(plain)).then(|| href.to_owned());
    }
    if form == AddressForm::AsWritten && Url::parse(href) == Err(ParseError::RelativeUrlWithoutBase) {
        // Neither nothing nor a line end is an address in Markdown.
        let is_address = !href.is_empty() && !href.contains(char::is_control);
        return is_address.then(|| escaped(&href.replace(' ', "%20")));
    }
    let url = Url::options().base_url(base).parse(href).ok()?;
    let text = url.as_str();
    let known = match url.scheme() {
        "http" | "https" | "ftp" => true,
        "mailto" | "tel" => text.bytes().all(|b| b.is_ascii_graphic() && b != b'<' && b != b'>'),
        _ => false,
    };
    if !known || text.len() > 2 * MAX_ADDRESS_BYTES {
        return None;
    }
    Some(escaped(text))
}

/// Returns an address with escapes for the signs that are markup in a Markdown destination.
fn escaped(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    // A backslash or a reference like `&copy;` would be decoded, a bracket end the address.
    let has_references = address.contains(';');
    let mut rest = address;
    let is_sign = |byte: u8| matches!(byte, b'\\' | b'&' | b'(' | b')' | b'<' | b'>');
    while let Some(at) = rest.bytes().position(is_sign) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        if has_references || !from.starts_with('&') {
            out.push('\\');
        }
        let (sign, behind) = from.split_at(1);
        out.push_str(sign);
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_of_a_set_is_taken() {
        let set = "a.jpg 300w, https://b.example/x,y.jpg 1200w, c.jpg 600w";
        assert_eq!(widest(set).as_deref(), Some("https://b.example/x,y.jpg"));
        assert_eq!(widest("a.jpg, b.jpg 2x").as_deref(), Some("b.jpg"));
        assert_eq!(widest("a.jpg 300w,b.jpg 600w").as_deref(), Some("b.jpg"));
        assert_eq!(widest(" , a.jpg").as_deref(), Some("a.jpg"));
        assert_eq!(widest("data:image/gif;base64,xx 1x"), None);
    }

    fn to(href: &str) -> Option<String> {
        destination(href, Some(&Url::parse("https://a.example/b/c?d").unwrap()), AddressForm::Absolute)
    }

    #[test]
    fn addresses_are_absolute_and_safe() {
        assert_eq!(to("../x y?q=1&r").as_deref(), Some("https://a.example/x%20y?q=1&r"));
        // Places of the page itself stay such.
        assert_eq!(to("#n").as_deref(), Some("#n"));
        assert_eq!(to("//b.example/(x)").as_deref(), Some("https://b.example/\\(x\\)"));
        assert_eq!(to("?a&copy;").as_deref(), Some("https://a.example/b/c?a\\&copy;"));
        assert_eq!(to("mailto:a@b.example").as_deref(), Some("mailto:a@b.example"));
        for href in ["javascript:void(0)", "JaVaScript:x", "data:text/html,x", "mailto:a b", "http://"] {
            assert_eq!(to(href), None, "{href}");
        }
        assert_eq!(destination("/x", None, AddressForm::Absolute), None);
        assert_eq!(to(&"x".repeat(3000)), None);
    }

    #[test]
    fn addresses_as_written_stay_relative() {
        let base = Url::parse("https://a.example/b/c?d").unwrap();
        for base in [None, Some(&base)] {
            let to = |href: &str| destination(href, base, AddressForm::AsWritten);
            for href in ["../x?q=1&r", "y.html#z", "/x", "//b.example/x", "?p=2", "#n", "https://c.example/"] {
                assert_eq!(to(href).as_deref(), Some(href), "{href}");
            }
            assert_eq!(to("a b(1).html").as_deref(), Some("a%20b\\(1\\).html"));
            for href in ["", "#", "javascript:void(0)", "data:text/html,x", "a\nb"] {
                assert_eq!(to(href), None, "{href}");
            }
        }
    }
}
