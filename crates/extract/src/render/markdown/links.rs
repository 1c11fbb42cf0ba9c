//! Resolves and escapes the addresses of links.

use std::collections::HashSet;

use url::{ParseError, Url};

use super::escape::{Context, escape};
use crate::links::base_of;
use crate::render::content::KeptContent;
use crate::render::options::AddressForm;

/// Maximum bytes of an address.
const MAX_ADDRESS_BYTES: usize = 2048;
/// Bytes of addresses for each byte of the page, and for any page. Each link repeats the base, so without a
/// bound a short page with a long base would give Markdown without measure.
const MAX_ADDRESS_TOTAL: (usize, usize) = (4, 1 << 16);

/// The links of a page, each written once: an `a` around several blocks links the first of them.
#[derive(Debug)]
pub(super) struct Links<'a> {
    content: &'a KeptContent<'a>,
    base: Option<Url>,
    form: AddressForm,
    used: HashSet<u32>,
    /// Bytes of addresses that may still be written.
    room: usize,
}

impl<'a> Links<'a> {
    /// The links of a page with this address.
    pub fn new(content: &'a KeptContent<'a>, url: Option<&str>, form: AddressForm) -> Self {
        Self {
            content,
            base: base_of(content.page, url),
            form,
            used: HashSet::new(),
            room: content.html.len().saturating_mul(MAX_ADDRESS_TOTAL.0) + MAX_ADDRESS_TOTAL.1,
        }
    }

    /// An address of the page as a Markdown destination; `None` as for links.
    pub fn destination(&mut self, address: &str) -> Option<String> {
        let destination = destination(address, self.base.as_ref(), self.form)?;
        self.room = self.room.checked_sub(destination.len())?;
        Some(destination)
    }

    /// An address that a text says, as a link to it.
    pub fn written(&mut self, address: &str) -> Option<String> {
        let destination = self.destination(address)?;
        Some(written_link(address, &destination))
    }

    /// The target of the `a` element as a Markdown destination. None if it cannot be resolved, is not a place
    /// on a network, was given before, or the page has used up its share of addresses.
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

/// A link with a text that is no Markdown yet.
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

/// An address as Markdown reads it.
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
