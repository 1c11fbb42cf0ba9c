//! Fields: the blocks of a page whose whole path of names and classes is equal. A template gives the same
//! path to the same kind of thing, so the blocks of a field are content together or not at all.

use std::sync::OnceLock;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::Page;

/// The field of each block of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldIndex {
    /// Number of the field of each block; fields are numbered as they come.
    pub of_block: Vec<u32>,
    /// The number of fields.
    pub fields: u32,
}

impl FieldIndex {
    /// The fields of a page, in time linear in its elements and blocks.
    pub fn of(page: &Page) -> Self {
        // A parent comes before its children, so each path is one step on from a known one.
        let mut paths: Vec<u64> = Vec::with_capacity(page.elements.len());
        for element in &page.elements {
            let around = paths.get(element.parent as usize).copied().unwrap_or(0);
            // A step of Fx: paths are looked up in this page alone.
            let path = (around.rotate_left(5) ^ element.signature).wrapping_mul(0x517c_c1b7_2722_0a95);
            paths.push(path);
        }
        let mut known: FxHashMap<u64, u32> = FxHashMap::with_capacity_and_hasher(page.blocks.len() / 2, FxBuildHasher);
        let mut before = None;
        let mut of_block = Vec::with_capacity(page.blocks.len());
        for block in &page.blocks {
            let path = paths.get(block.element as usize).copied().unwrap_or(0);
            // Neighbours often are of one field.
            let field = match before {
                Some((known, field)) if known == path => field,
                _ => {
                    let next = known.len() as u32;
                    *known.entry(path).or_insert(next)
                }
            };
            before = Some((path, field));
            of_block.push(field);
        }
        Self { of_block, fields: known.len() as u32 }
    }
}

/// The fields of a page, found when somebody first asks for them. They follow from its elements and blocks
/// alone, so two pages never differ by them.
#[derive(Debug, Default)]
pub(crate) struct FoundOnce(OnceLock<FieldIndex>);

impl Clone for FoundOnce {
    /// A copy may be changed, so its fields are found anew.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for FoundOnce {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Page {
    /// The fields of the page: found once, in time linear in its elements and blocks.
    pub fn fields(&self) -> &FieldIndex {
        self.fields.0.get_or_init(|| FieldIndex::of(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Limits, ScanEngine};

    #[test]
    fn blocks_of_one_path_are_a_field() {
        let page = ScanEngine.read(
            "<ul class=a><li>one</li><li>two</li></ul><ul class=b><li>three</li></ul><p>four five</p>\
             <ul class=a><li>six</li></ul>",
            &Limits::default(),
        );
        let fields = page.fields();
        assert_eq!(fields.of_block, [0, 0, 1, 2, 0]);
        assert_eq!(fields.fields, 3);
        let mut fewer = page.clone();
        fewer.blocks.truncate(2);
        assert_eq!(fewer.fields().of_block, [0, 0]);
        assert_eq!(Page::default().fields(), &FieldIndex::default());
    }
}
