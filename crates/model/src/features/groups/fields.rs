//! Features of a field as one thing: a list of ingredients, a kind of card, a menu. Its blocks are short.
//! Their number, their likeness and quantities at their beginnings show what they are.

use trommel_html::{FieldIndex, Page};

use crate::features::facts::shape::Shape;
use crate::features::group::{Fact, Group, owned, rows};
use crate::features::log::log;
use crate::features::scratch::Scratch;

const NAMES: [&str; 9] = [
    "fields.log_blocks", "fields.log_words_per_block", "fields.word_share", "fields.uneven", "fields.numbers",
    "fields.sentences", "fields.link_density", "fields.inputs", "fields.spread",
];

/// Sums over the blocks of a field.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    blocks: u32,
    words: u32,
    // Sums of squares need more digits than f32 has, or the variance of long texts would be noise.
    squares: f64,
    link_words: u32,
    numbers: u32,
    sentences: u32,
    inputs: u32,
    first: usize,
    last: usize,
}

/// Features of the fields of a page.
pub(crate) struct FieldFeatures<'a> {
    index: &'a FieldIndex,
    rows: Scratch<[f32; NAMES.len()]>,
}

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Shapes],
    columns: |_| owned(&NAMES),
    on: |facts, _| {
        let fields = FieldFeatures::of(facts.page, &facts.shapes);
        rows(move |at| fields.row(at))
    },
};

/// Returns whether a text begins with a quantity: a digit of any script, or a fraction.
fn begins_with_number(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(byte) if byte.is_ascii() => byte.is_ascii_digit(),
        _ => text.chars().next().is_some_and(char::is_numeric),
    }
}

impl<'a> FieldFeatures<'a> {
    fn of(page: &'a Page, shapes: &[Shape]) -> Self {
        let index = page.fields();
        let mut sums = Scratch::filled(index.fields as usize, Sum::default());
        let mut words = 0;
        let blocks = page.blocks.iter().zip(shapes).zip(&index.of_block);
        for (at, ((block, shape), field)) in blocks.enumerate() {
            words += block.words;
            let Some(sum) = sums.get_mut(*field as usize) else { continue };
            if sum.blocks == 0 {
                sum.first = at;
            }
            sum.last = at;
            sum.blocks += 1;
            sum.words += block.words;
            sum.squares += f64::from(block.words).powi(2);
            sum.link_words += block.link_words;
            // Ingredients begin with a quantity, which tells their list from a menu of lines as short.
            sum.numbers += u32::from(begins_with_number(page.text(block)));
            sum.sentences += u32::from(shape.ends_sentence);
            sum.inputs += u32::from(block.inputs > 0);
        }
        Self { index, rows: sums.iter().map(|sum| sum.row(words)).collect() }
    }

    fn row(&self, at: usize) -> [f32; NAMES.len()] {
        let field = self.index.of_block.get(at);
        let row = field.and_then(|field| self.rows.get(*field as usize));
        row.copied().unwrap_or_default()
    }
}

impl Sum {
    fn row(&self, page_words: u32) -> [f32; NAMES.len()] {
        let blocks = f64::from(self.blocks.max(1));
        let mean = f64::from(self.words) / blocks;
        // Rounding can leave a small negative number, which has no root.
        let variance = (self.squares / blocks - mean * mean).max(0.0);
        let share = |part: u32| part as f32 / self.blocks.max(1) as f32;
        [
            log(self.blocks),
            log(mean),
            self.words as f32 / page_words.max(1) as f32,
            (variance.sqrt() / mean.max(1.0)) as f32,
            share(self.numbers),
            share(self.sentences),
            self.link_words as f32 / self.words.max(1) as f32,
            share(self.inputs),
            // Fields that are spread over a page are labels of cards; dense ones are lists.
            log((self.last - self.first + 1) as f64 / blocks),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn a_list_is_one_thing() {
        let page = ScanEngine.read(
            "<ul><li>2 cups flour<li>½ onion<li><a href=x>salt</a></ul><p>Mix it all.</p><p>Bake.</p>",
            &Limits::default(),
        );
        let shapes: Vec<Shape> = page.blocks.iter().map(|b| Shape::of(page.text(b))).collect();
        let fields = FieldFeatures::of(&page, &shapes);
        // The link is an element of its own path.
        assert_eq!(fields.index.of_block, [0, 0, 1, 2, 2]);
        let list = fields.row(1);
        assert_eq!(list[0], log(2u32));
        assert_eq!(list[1], log(2.5));
        assert_eq!(list[2], 0.5);
        assert!((list[3] - 0.2).abs() < 1e-6);
        assert_eq!(list[4..8], [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(list[8], log(1u32));
        assert_eq!(fields.row(2)[6], 1.0);
        assert_eq!(fields.row(3)[4..6], [0.0, 1.0]);
        assert_eq!(fields.row(9), [0.0; 9]);
    }
}
