//! Content over visual blocks: ours, since VIPS itself divides a page and chooses nothing. The largest coherent
//! block near the middle of the page is content, and with it those that are set like it in the same column.
//! Spatial and text features are those of Song, Liu, Wen and Ma, Learning Block Importance Models for Web Pages
//! (WWW 2004), as far as a choice by rule needs them.

use trommel_html::Page;

use crate::layout::{PageLayout, Rect, block_nodes};
use crate::vips::{VisualBlock, vips};

/// Degree of coherence of a block that is chosen as a whole.
const COHERENT: u8 = 8;
/// Share of the characters in links above which a block is a list of links.
const LINKED: f32 = 0.5;
/// Share of the narrower of two blocks that has to lie in the column of the other.
const SAME_COLUMN: f32 = 0.7;

/// Visible features of a visual block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockFeatures {
    /// Its box.
    pub rect: Rect,
    /// Middle of the box from left to right, as a share of the page's width.
    pub center_x: f32,
    /// Middle of the box from top to bottom, as a share of the page's height.
    pub center_y: f32,
    /// Share of the page's width.
    pub width: f32,
    /// Share of the page's height.
    pub height: f32,
    /// Font size of most of its characters, in CSS pixels.
    pub font_size: f32,
    /// Font weight of most of its characters.
    pub font_weight: u16,
    /// Characters but white space.
    pub chars: u32,
    /// Those of them in links.
    pub link_chars: u32,
    /// Links.
    pub links: u32,
    /// Images.
    pub images: u32,
    /// Their area as a share of the page's.
    pub image_area: f32,
    /// Fields and buttons.
    pub controls: u32,
}

impl BlockFeatures {
    /// Share of the characters that stand in links.
    pub fn link_density(&self) -> f32 {
        self.link_chars as f32 / self.chars.max(1) as f32
    }

    /// Characters outside of links, less the farther the block lies from the middle column.
    fn weight(&self) -> f32 {
        let off = (self.center_x - 0.5).abs().min(0.5);
        self.chars.saturating_sub(self.link_chars) as f32 * (1.0 - off)
    }

    /// Returns whether it is set like `other` and stands in its column.
    fn is_like(&self, other: &Self) -> bool {
        let overlap = self.rect.right().min(other.rect.right()) - self.rect.x.max(other.rect.x);
        let narrower = self.rect.width.min(other.rect.width).max(1);
        self.link_density() < LINKED
            && (self.font_size - other.font_size).abs() < 1.0
            && self.font_weight == other.font_weight
            && overlap as f32 >= SAME_COLUMN * narrower as f32
    }
}

/// Computes the features of visual blocks of one page.
#[derive(Clone, Debug)]
pub struct BlockFeatureReader<'a> {
    layout: &'a PageLayout,
    ends: Vec<u32>,
    in_link: Vec<bool>,
    page: Rect,
}

impl<'a> BlockFeatureReader<'a> {
    /// A reader for a page.
    pub fn new(layout: &'a PageLayout) -> Self {
        let mut in_link: Vec<bool> = Vec::with_capacity(layout.nodes.len());
        for node in &layout.nodes {
            let around = node.parent.and_then(|parent| in_link.get(parent as usize));
            let around = around.copied().unwrap_or_default();
            in_link.push(around || node.name == "a");
        }
        Self { layout, ends: layout.ends(), in_link, page: layout.rect() }
    }

    /// The features of a block.
    pub fn features(&self, block: &VisualBlock) -> BlockFeatures {
        let (width, height) = (self.page.width.max(1) as f32, self.page.height.max(1) as f32);
        let rect = block.rect;
        let mut features = BlockFeatures {
            rect,
            center_x: (rect.x as f32 + rect.width as f32 / 2.0) / width,
            center_y: (rect.y as f32 + rect.height as f32 / 2.0) / height,
            width: rect.width as f32 / width,
            height: rect.height as f32 / height,
            ..BlockFeatures::default()
        };
        let mut fonts: Vec<((f32, u16), u32)> = Vec::new();
        for at in self.nodes(block) {
            let Some(node) = self.layout.nodes.get(at as usize) else {
                continue;
            };
            match node.name.as_str() {
                "a" => features.links += 1,
                "img" => {
                    features.images += 1;
                    features.image_area += node.rect.area() as f32 / (width * height);
                }
                "input" | "button" | "select" | "textarea" => features.controls += 1,
                _ => {}
            }
            if !node.is_text || node.is_invisible {
                continue;
            }
            features.chars += node.chars;
            if self.in_link.get(at as usize).copied().unwrap_or_default() {
                features.link_chars += node.chars;
            }
            let font = (node.font_size, node.font_weight);
            match fonts.iter_mut().find(|(known, _)| *known == font) {
                Some((_, chars)) => *chars += node.chars,
                None => fonts.push((font, node.chars)),
            }
        }
        if let Some(((size, weight), _)) = fonts.into_iter().max_by_key(|(_, chars)| *chars) {
            (features.font_size, features.font_weight) = (size, weight);
        }
        features
    }

    /// The nodes of a block.
    pub fn nodes(&self, block: &VisualBlock) -> impl Iterator<Item = u32> {
        block.roots.iter().flat_map(|root| *root..self.ends.get(*root as usize).copied().unwrap_or(*root))
    }
}

/// Returns whether each node of the layout is content.
pub fn content_nodes(layout: &PageLayout) -> Vec<bool> {
    let mut kept = vec![false; layout.nodes.len()];
    let reader = BlockFeatureReader::new(layout);
    let coarse: Vec<(VisualBlock, BlockFeatures)> =
        vips(layout, COHERENT).leaves().map(|block| (block.clone(), reader.features(block))).collect();
    let weight = |block: &&(VisualBlock, BlockFeatures)| block.1.weight();
    let Some((_, best)) = coarse.iter().max_by(|a, b| weight(a).total_cmp(&weight(b))) else {
        return kept;
    };
    for (block, features) in &coarse {
        if features == best || features.is_like(best) {
            for at in reader.nodes(block) {
                if let Some(cell) = kept.get_mut(at as usize) {
                    *cell = true;
                }
            }
        }
    }
    // Lists of links inside are no content.
    for block in
        vips(layout, crate::vips::MAX_DEGREE).blocks.iter().filter(|visual_block| visual_block.parent.is_some())
    {
        let features = reader.features(block);
        if features.links >= 3 && features.link_density() > LINKED {
            for at in reader.nodes(block) {
                if let Some(cell) = kept.get_mut(at as usize) {
                    *cell = false;
                }
            }
        }
    }
    kept
}

/// Returns whether each block of text is content: if most of its characters are.
pub fn visual_content(page: &Page, layout: &PageLayout) -> Vec<bool> {
    let kept = content_nodes(layout);
    block_nodes(page, layout)
        .into_iter()
        .map(|nodes| {
            let (mut content, mut all) = (0, 0);
            for at in nodes {
                let chars = layout.nodes.get(at as usize).map_or(0, |node| node.chars);
                all += chars;
                if kept.get(at as usize) == Some(&true) {
                    content += chars;
                }
            }
            2 * content > all
        })
        .collect()
}
