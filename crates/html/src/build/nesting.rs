//! Finds the open elements that a tag ends (HTML standard, 13.2.6.4).

use super::{Builder, OpenElement, OpenState, blocks::narrow};
use crate::markup::Tag;
use crate::page::{NONE, has_style};

/// An end tag of any heading ends an open one, whatever its level.
// As in the standard, because pages often open `h2` and close `h3`.
const HEADINGS: [Tag; 6] = [Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6];

impl Builder {
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        let end = self.page.elements.len() as u32;
        let Some(top) = self.stack.pop() else { return };
        if let Some(element) = self.page.elements.get_mut(top.element as usize) {
            element.end = end;
        }
        if !top.state.contains(OpenState::ENDED) {
            self.closed(top);
        }
    }

    /// Updates the state when an open element ends, by its end tag or with the element around it.
    #[inline]
    pub(super) fn closed(&mut self, open: OpenElement) {
        self.open[open.tag as usize] -= 1;
        let is_styled = || self.styles.is_some() && has_style(open.style);
        if open.state.intersects(OpenState::NOTED_END) || !self.open_notations.is_empty() || is_styled() {
            self.closed_noted(open);
        }
    }

    /// Finishes an element whose state or text was noted.
    #[inline(never)]
    fn closed_noted(&mut self, open: OpenElement) {
        self.keep_space -= u32::from(open.state.contains(OpenState::KEEPS_SPACE));
        self.keep_lines -= u32::from(open.state.contains(OpenState::KEEPS_LINES));
        let is_link = open.state.contains(OpenState::LINK);
        if is_link {
            self.link_ends();
        }
        if open.state.contains(OpenState::APART) {
            self.fold.part_lines();
        }
        if open.state.intersects(OpenState::QUOTED | OpenState::READING) {
            self.end_sign(open);
        }
        if let Some(styles) = &mut self.styles {
            styles.end(open.style, open.element, is_link);
            styles.write(narrow(self.page.text.len() + self.fold.len()), &mut self.page.styles);
        }
        if !self.open_notations.is_empty() {
            self.close_notation(open.element);
        }
    }

    /// Ends the innermost open element of that name, if one is in scope.
    pub(super) fn end_element(&mut self, tag: Tag, name: &[u8]) {
        let heading = tag.is_heading();
        let open =
            if heading { HEADINGS.iter().any(|tag| self.open[*tag as usize] > 0) } else { self.open[tag as usize] > 0 };
        if !open {
            return;
        }
        let number = if tag == Tag::Other { self.intern(name) } else { 0 };
        let mut inside_block = false;
        let len = self.stack.len();
        let lowest = len.saturating_sub(self.reach());
        for at in (lowest..len).rev() {
            self.steps += 1;
            let Some(open) = self.stack.get(at).copied() else { return };
            let same = open.tag == tag && open.name == number || heading && open.tag.is_heading();
            if same && !open.state.contains(OpenState::ENDED) {
                // `<b><p>text</b>`: ending the `p` here would cut the paragraph, and the standard would reopen `b` in
                // it.
                if tag.is_inline() && inside_block {
                    self.closed(open);
                    if let Some(open) = self.stack.get_mut(at) {
                        open.state |= OpenState::ENDED;
                    }
                } else {
                    self.truncate(at);
                }
                return;
            }
            // Code set as a block is inline by its tag and a block by its layout.
            let is_inline = open.tag.is_inline() || open.state.contains(OpenState::IN_LINE);
            inside_block |= !is_inline || open.state.contains(OpenState::KEEPS_SPACE);
            let table_part = matches!(
                tag,
                Tag::Table | Tag::Td | Tag::Th | Tag::Tr | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Caption
            );
            // End tags inside of a table cell must not end what is around the table; table parts reach to their own
            // table.
            let is_barrier = if table_part { open.tag == Tag::Table } else { open.tag.is_scope() };
            if is_barrier {
                return;
            }
        }
    }

    /// Returns whether the end tag of a `code` ends one that is set as a block.
    pub(super) fn ends_block_of_code(&mut self) -> bool {
        if self.keep_space == 0 || self.open[Tag::Code as usize] == 0 {
            return false;
        }
        let nearest = self.nearest(|tag| tag == Tag::Code);
        let open = nearest.and_then(|at| self.stack.get(at));
        open.is_some_and(|open| open.state.contains(OpenState::KEEPS_SPACE))
    }

    pub(super) fn truncate(&mut self, len: usize) {
        while self.stack.len() > len {
            self.pop();
        }
    }

    /// Ends the elements that the start of `tag` ends by implication (HTML standard, 13.2.6.4).
    #[inline(never)]
    pub(super) fn imply_ends(&mut self, tag: Tag) {
        use Tag::*;
        match tag {
            // A list inside of an item is a barrier, so its items do not end the item around it.
            Li => self.end_nearest(&[Li], ends_item_scope),
            Dd | Dt => self.end_nearest(&[Dd, Dt], ends_item_scope),
            Td | Th => self.end_inside(&[Tr, Tbody, Thead, Tfoot, Table]),
            Tr => self.end_inside(&[Tbody, Thead, Tfoot, Table]),
            Tbody | Thead | Tfoot | Caption | Colgroup => self.end_inside(&[Table]),
            Button => self.end_nearest(&[Button], Tag::is_scope),
            Rt | Rp => self.end_nearest(&[Rt, Rp], |tag| tag == Ruby || tag.is_scope()),
            _ => {}
        }
        if tag.closes_p() {
            self.end_nearest(&[P], |tag| tag == Button || tag.is_scope());
        }
        // Headings do not nest: the standard ends one where the next begins, but only if nothing is between.
        if tag.is_heading() && self.stack.last().is_some_and(|open| open.tag.is_heading()) {
            self.truncate(self.stack.len() - 1);
        }
    }

    /// Ends the heading directly before the start of `tag`. A tag that cannot be a part of a heading shows that its end
    /// tag is missing.
    #[inline(never)]
    pub(super) fn end_heading_above(&mut self, tag: Tag) {
        use Tag::*;
        // A `div` in a heading may be its second line.
        let is_part = matches!(tag, Div | Header | Hgroup | Address | Center) || tag.is_heading();
        let around = self.stack.last().map_or(NONE, |open| open.container);
        let is_text = self.current.as_ref().is_some_and(|current| current.container == around);
        if is_part || !is_text || !self.page.element(around).is_some_and(|element| element.tag.is_heading()) {
            return;
        }
        let nearest = self.nearest(Tag::is_heading);
        if let Some(at) = nearest.filter(|at| self.stack.get(*at).is_some_and(|open| open.element == around)) {
            self.flush();
            self.truncate(at);
        }
    }

    /// Ends the innermost open element among `tags`, unless a barrier is nearer.
    fn end_nearest(&mut self, tags: &[Tag], is_barrier: impl Fn(Tag) -> bool) {
        if tags.iter().all(|tag| self.open[*tag as usize] == 0) {
            return;
        }
        let nearest = self.nearest(|tag| tags.contains(&tag) || is_barrier(tag));
        if let Some(at) = nearest
            && self.stack.get(at).is_some_and(|open| tags.contains(&open.tag))
        {
            self.truncate(at);
        }
    }

    /// Place of the innermost open element that is wanted.
    fn nearest(&mut self, is_wanted: impl Fn(Tag) -> bool) -> Option<usize> {
        let lowest = self.stack.len().saturating_sub(self.reach());
        let near = self.stack.get(lowest..).unwrap_or_default();
        let found = near.iter().rposition(|open| is_wanted(open.tag));
        self.steps += (near.len() - found.unwrap_or(0)) as u64;
        found.map(|at| lowest + at)
    }

    /// Ends everything inside the innermost open element among `contexts`, all of them parts of a
    /// table (HTML standard, "clear the stack back to a table context").
    pub(super) fn end_inside(&mut self, contexts: &[Tag]) {
        // Table tags without a table mean nothing, and must not search the whole stack each time.
        if self.open[Tag::Table as usize] == 0 {
            return;
        }
        if let Some(at) = self.nearest(|tag| contexts.contains(&tag)) {
            self.truncate(at + 1);
        }
    }
}

/// Returns whether an open list item is out of reach beyond this element: a list or another special one.
fn ends_item_scope(tag: Tag) -> bool {
    !tag.is_inline() && !matches!(tag, Tag::Address | Tag::Div | Tag::P | Tag::Other)
}

/// Elements whose end tag may be left out, so that counting starts against ends says nothing.
pub(super) fn has_optional_end(tag: Tag) -> bool {
    use Tag::*;
    matches!(tag, P | Li | Dt | Dd | Td | Th | Tr | Tbody | Thead | Tfoot | Option | Optgroup | Rp | Rt)
}
