//! Follows the ways of selectors through the elements of a page. An element is compared with the selectors that name
//! something it has, not with all, so that a page takes time in proportion to its length and what it matches.

use std::collections::HashMap;

use trommel_html::{Page, StartTag, Tag};

use super::selector::{Compound, Condition};

/// Maximum looks at steps and their places for one page: some tenths of a second, and far more than real pages take.
const MAX_LOOKS: u64 = 1 << 28;

/// The ways to selected elements, as a tree: ways that begin with the same steps share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// Number of each condition.
    conditions: HashMap<Condition<'static>, u32>,
    /// Steps that an element which meets a condition is compared with, for each condition: those of whose conditions it
    /// is the rarest.
    keyed: Vec<Vec<u32>>,
    /// Steps without a condition.
    any: Vec<u32>,
    steps: Vec<Step>,
    /// Places of the tree, each behind the one before it.
    places: Vec<Place>,
}

/// Conditions on one element.
#[derive(Clone, Debug, Default)]
struct Step {
    conditions: Vec<u32>,
    /// Its places in the tree.
    places: Vec<u32>,
}

/// A step behind others.
#[derive(Clone, Debug)]
struct Place {
    /// The place before it; none for a first step.
    before: Option<u32>,
    /// True if a step follows.
    goes_on: bool,
    /// Numbers of the selectors that end here, and whether each keeps what it selects.
    ends: Vec<(u32, bool)>,
}

impl Ways {
    /// The ways of selectors, and whether each keeps what it selects.
    pub(super) fn new<'s>(selectors: impl Iterator<Item = (&'s [Vec<Compound>], bool)>) -> Self {
        let mut all = Self::default();
        let mut steps: HashMap<&Compound, u32> = HashMap::new();
        let mut places: HashMap<(Option<u32>, u32), u32> = HashMap::new();
        for (selector, (ways, is_kept)) in (0..).zip(selectors) {
            for way in ways {
                let mut before = None;
                for compound in way {
                    let step = *steps.entry(compound).or_insert_with(|| all.add(compound));
                    before = Some(*places.entry((before, step)).or_insert_with(|| all.add_place(before, step)));
                }
                if let Some(last) = before.and_then(|last| all.places.get_mut(last as usize)) {
                    last.ends.push((selector, is_kept));
                }
            }
        }
        let mut uses = vec![0_u32; all.conditions.len()];
        for condition in all.steps.iter().flat_map(|step| &step.conditions) {
            if let Some(uses) = uses.get_mut(*condition as usize) {
                *uses += 1;
            }
        }
        all.keyed = vec![Vec::new(); uses.len()];
        for (number, step) in (0..).zip(&all.steps) {
            let rarest = step.conditions.iter().min_by_key(|condition| uses.get(**condition as usize));
            match rarest.and_then(|rarest| all.keyed.get_mut(*rarest as usize)) {
                Some(keyed) => keyed.push(number),
                None => all.any.push(number),
            }
        }
        all
    }

    /// Adds a step, and returns its number.
    fn add(&mut self, compound: &Compound) -> u32 {
        let conditions = compound.iter().map(|condition| {
            let next = self.conditions.len() as u32;
            *self.conditions.entry(condition.clone()).or_insert(next)
        });
        let conditions = conditions.collect();
        self.steps.push(Step { conditions, places: Vec::new() });
        self.steps.len() as u32 - 1
    }

    /// Adds a place of a step, and returns its number.
    fn add_place(&mut self, before: Option<u32>, step: u32) -> u32 {
        let number = self.places.len() as u32;
        if let Some(before) = before.and_then(|before| self.places.get_mut(before as usize)) {
            before.goes_on = true;
        }
        if let Some(step) = self.steps.get_mut(step as usize) {
            step.places.push(number);
        }
        self.places.push(Place { before, goes_on: false, ends: Vec::new() });
        number
    }
}

/// A walk over the elements of a page, in their order.
pub(super) struct Walk<'w> {
    ways: &'w Ways,
    /// For each place, whether a selector for this page ends there, and then whether it keeps what it selects.
    ends: Vec<Option<bool>>,
    /// For each place, whether open elements lead up to its step, with it.
    reached: Vec<bool>,
    /// Places that open elements reached, in order.
    order: Vec<u32>,
    /// For each condition, the last element that met it.
    met: Vec<u32>,
    /// Number of the element that is looked at, from one on.
    element: u32,
    /// Steps that were compared with elements, and places of those that hold.
    looks: u64,
}

impl<'w> Walk<'w> {
    /// A walk by the ways of those selectors that are for the page.
    pub(super) fn new(ways: &'w Ways, are_ours: &[bool]) -> Self {
        let is_ours = |selector: u32| are_ours.get(selector as usize).copied().unwrap_or_default();
        let ends = ways.places.iter().map(|place| {
            let ours = place.ends.iter().filter(|(selector, _)| is_ours(*selector));
            ours.map(|(_, is_kept)| *is_kept).reduce(|one, other| one && other)
        });
        let (ends, reached) = (ends.collect(), vec![false; ways.places.len()]);
        Self { ways, ends, reached, order: Vec::new(), met: vec![0; ways.conditions.len()], element: 0, looks: 0 }
    }

    /// Returns whether it took so many looks that later elements have the choices of those around them.
    pub(super) fn is_cut(&self) -> bool {
        self.looks > MAX_LOOKS
    }

    /// The choice for each element: its own, or that of the nearest element around it with one. Then that for what
    /// stands outside of every element.
    pub(super) fn choices(&mut self, page: &Page, html: &str) -> (Vec<Option<bool>>, Option<bool>) {
        let mut choices: Vec<Option<bool>> = Vec::with_capacity(page.elements.len());
        let mut outside = None;
        // Every page has `html` and `body`, even if it does not write them.
        for tag in [Tag::Html, Tag::Body] {
            if page.elements.iter().all(|element| element.tag != tag) {
                let tag = StartTag { name: tag.name().to_owned(), ..StartTag::default() };
                outside = self.enter(&tag).or(outside);
            }
        }
        // Open elements, each with the number of places that were reached before it.
        let mut open: Vec<(u32, usize)> = Vec::new();
        for (at, element) in (0..).zip(&page.elements) {
            while let Some((_, before)) = open.pop_if(|(last, _)| *last != element.parent) {
                self.leave(before);
            }
            open.push((at, self.order.len()));
            let own = if self.is_cut() {
                None
            } else {
                let tag = element.start_tag(html);
                let unwritten = || StartTag { name: page.name(element).to_owned(), ..StartTag::default() };
                self.enter(&tag.unwrap_or_else(unwritten))
            };
            let around = choices.get(element.parent as usize).copied().unwrap_or(outside);
            choices.push(own.or(around));
        }
        (choices, outside)
    }

    /// The choice of an element by itself. Ways that it is a step of go on inside of it.
    fn enter(&mut self, tag: &StartTag) -> Option<bool> {
        self.element += 1;
        let ways = self.ways;
        let mut met = Vec::new();
        of_tag(tag, |condition| {
            let Some(number) = ways.conditions.get(&condition) else { return };
            if let Some(last) = self.met.get_mut(*number as usize).filter(|last| **last != self.element) {
                *last = self.element;
                met.push(*number);
            }
        });
        let mut own: Option<bool> = None;
        let before = self.order.len();
        let keyed = met.iter().flat_map(|number| ways.keyed.get(*number as usize).into_iter().flatten());
        for step in keyed.chain(&ways.any).filter_map(|number| ways.steps.get(*number as usize)) {
            self.looks += 1;
            let is_met = |number: &u32| self.met.get(*number as usize) == Some(&self.element);
            if !step.conditions.iter().all(is_met) {
                continue;
            }
            self.looks += step.places.len() as u64;
            for number in &step.places {
                let Some(place) = ways.places.get(*number as usize) else { continue };
                if !place.before.is_none_or(|before| self.has_reached(before)) {
                    continue;
                }
                if let Some(is_kept) = self.ends.get(*number as usize).copied().flatten() {
                    own = Some(own.unwrap_or(true) && is_kept);
                }
                if place.goes_on && !self.has_reached(*number) {
                    self.order.push(*number);
                }
            }
        }
        // Only now, as one element is not two steps of a way.
        self.mark(before, true);
        own
    }

    fn has_reached(&self, place: u32) -> bool {
        self.reached.get(place as usize).copied().unwrap_or_default()
    }

    /// Marks places that were reached, from a number of them on.
    fn mark(&mut self, before: usize, is_reached: bool) {
        for number in self.order.get(before..).unwrap_or_default() {
            if let Some(reached) = self.reached.get_mut(*number as usize) {
                *reached = is_reached;
            }
        }
    }

    /// Takes back what an element reached that ends. `before` is the number of places that were reached before it.
    fn leave(&mut self, before: usize) {
        self.mark(before, false);
        self.order.truncate(before);
    }
}

/// Gives each condition that an element meets.
fn of_tag<'t>(tag: &'t StartTag, mut take: impl FnMut(Condition<'t>)) {
    take(Condition::Name(tag.name.as_str().into()));
    for (name, value) in &tag.attributes {
        take(Condition::Attribute(name.as_str().into()));
        take(Condition::Value(name.as_str().into(), value.as_str().into()));
        if name == "class" {
            value.split_ascii_whitespace().for_each(|class| take(Condition::Class(class.into())));
        }
    }
}

#[cfg(test)]
mod tests {
    use trommel_html::{Engine, Limits, ScanEngine};

    use super::super::Selector;
    use super::*;

    fn ways(selectors: &[(Selector, bool)]) -> Ways {
        Ways::new(selectors.iter().map(|(selector, is_kept)| (selector.ways.as_slice(), *is_kept)))
    }

    fn of_texts(texts: &[String]) -> Vec<(Selector, bool)> {
        texts.iter().map(|text| (text.parse().unwrap(), false)).collect()
    }

    /// The choice of each element for itself, by looking at every way from the outermost element on.
    fn plainly(selectors: &[(Selector, bool)], page: &Page, html: &str) -> Vec<Option<bool>> {
        let holds = |compound: &Compound, tag: &StartTag| {
            compound.iter().all(|condition| {
                let mut is_met = false;
                of_tag(tag, |other| is_met |= other == *condition);
                is_met
            })
        };
        let tags: Vec<StartTag> = page.elements.iter().map(|element| element.start_tag(html).unwrap()).collect();
        let path = |at: usize| {
            let mut path: Vec<usize> = page.path(at as u32).map(|(at, _)| at as usize).collect();
            path.reverse();
            path
        };
        let selects = |way: &[Compound], at: usize| {
            let (last, before) = way.split_last().unwrap();
            let mut left = before.iter().peekable();
            for around in path(at).into_iter().filter(|around| *around != at) {
                left.next_if(|step| holds(step, &tags[around]));
            }
            left.next().is_none() && holds(last, &tags[at])
        };
        (0..tags.len())
            .map(|at| {
                let ours = selectors.iter().filter(|(selector, _)| selector.ways.iter().any(|way| selects(way, at)));
                ours.map(|(_, is_kept)| *is_kept).reduce(|one, other| one && other)
            })
            .collect()
    }

    #[test]
    fn ways_lead_where_a_look_at_each_of_them_leads() {
        let mut state = 7_u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % most) as usize
        };
        const STEPS: [&str; 9] = ["div", "p", "*", ".a", ".b", "div.a.b", "[x]", "[x='1']", "#i.a"];
        const TAGS: [&str; 7] = [
            "<div>", "<div class=a>", "<div class='b a'>", "<div x=1 x=2>", "<div x=2>", "<div id=i class=a>", "</div>",
        ];
        let (mut chosen, mut not) = (0, 0);
        for _ in 0..300 {
            let selectors: Vec<(Selector, bool)> = (0..=below(6))
                .map(|_| {
                    let way = (0..=below(3)).map(|_| STEPS[below(9)]).collect::<Vec<_>>().join(" ");
                    (way.parse().unwrap(), below(2) == 0)
                })
                .collect();
            let tags: String = (0..30).map(|_| TAGS[below(7)]).collect();
            let html = format!("<html><body>{tags}<p>t");
            let page = ScanEngine.read(&html, &Limits::default());
            let all = ways(&selectors);
            let (found, _) = Walk::new(&all, &vec![true; selectors.len()]).choices(&page, &html);
            let mut expected = plainly(&selectors, &page, &html);
            for at in 0..expected.len() {
                let around = expected.get(page.elements[at].parent as usize).copied().flatten();
                expected[at] = expected[at].or(around);
            }
            assert_eq!(found, expected, "{selectors:?} {html}");
            chosen += found.iter().flatten().count();
            not += found.iter().filter(|choice| choice.is_none()).count();
        }
        assert!(chosen > 1000 && not > 1000, "{chosen} {not}");
    }

    fn looks(selectors: &[String], html: &str) -> u64 {
        let selectors = of_texts(selectors);
        let all = ways(&selectors);
        let page = ScanEngine.read(html, &Limits::default());
        let mut walk = Walk::new(&all, &vec![true; selectors.len()]);
        walk.choices(&page, html);
        assert!(!walk.is_cut());
        walk.looks
    }

    #[test]
    fn elements_are_compared_with_the_selectors_of_what_they_have() {
        let many = |text: fn(usize) -> String| (0..1000).map(text).collect::<Vec<_>>();
        let classes = "a ".repeat(20_000);
        let tag = format!("<body><p class='{classes}'>x");
        assert!(looks(&[".a".repeat(2000) + ".z"], &tag) <= 4);
        assert!(looks(&many(|at| format!(".b{at}")), &tag) <= 4);
        assert!(looks(&many(|at| format!("p.a.b{at}")), &tag) <= 4);
        let page = format!("<body>{}", "<div a b c class='a b c'><p>x</div>".repeat(2000));
        // Two looks at each `div`: the step, and its one place for all selectors.
        assert!(looks(&many(|at| format!("div p.a[b].c{at}, div #i{at}")), &page) <= 4000);
        // And at its places behind other steps.
        assert!(looks(&many(|at| format!("[x{at}] div.a")), &page) <= 1001 * 2000);
    }

    #[test]
    fn a_walk_that_takes_too_many_looks_is_cut() {
        let selectors = of_texts(&["p".to_owned()]);
        let all = ways(&selectors);
        let html = "<body><p>a<p>b";
        let page = ScanEngine.read(html, &Limits::default());
        let mut walk = Walk::new(&all, &[true]);
        walk.looks = MAX_LOOKS - 1;
        assert_eq!(walk.choices(&page, html).0, [None, Some(false), None]);
        assert!(walk.is_cut());
    }
}
