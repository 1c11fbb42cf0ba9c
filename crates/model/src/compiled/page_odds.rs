//! The log odds of the blocks of a page, batch by batch. Trees are asked only about blocks about which the first
//! part of the model is in doubt, if the model says what doubt is: these blocks wait until they fill a batch.

use crate::features::{Columns, LANES, Lanes, Scratch};

use super::Compiled;

/// The log odds of the blocks that have come.
pub(crate) struct PageOdds<'m> {
    compiled: &'m Compiled,
    /// Log odds of each block; NaN until it is judged.
    odds: Vec<f32>,
    waiting: WaitingBlocks,
    /// Share of the scorer of pages other than articles and threads; 0 without one.
    list_share: f32,
}

/// Blocks that wait for the trees.
#[derive(Default)]
struct WaitingBlocks {
    /// Their columns; empty if none has waited yet.
    values: Scratch<Lanes>,
    /// Their numbers among the log odds, by lanes.
    blocks: Scratch<u32>,
}

impl<'m> PageOdds<'m> {
    /// Creates the log odds of `blocks` blocks, none of them computed.
    pub fn new(compiled: &'m Compiled, blocks: usize) -> Self {
        Self { compiled, odds: vec![f32::NAN; blocks], waiting: WaitingBlocks::default(), list_share: 0.0 }
    }

    /// Sets the share (0..=1) of the scorer of pages other than articles and threads, before the first block is added.
    pub fn set_list_share(&mut self, share: f32) {
        self.list_share = share;
    }

    /// Adds the blocks of a batch.
    pub fn add(&mut self, columns: &Columns) {
        let (values, lanes) = (columns.values(), columns.blocks().len().min(LANES));
        let Compiled { parts, band, .. } = self.compiled;
        let mut sums = [0.0; LANES];
        let mut first = None;
        // Of the trees that are asked later, if at all.
        let mut put_off = 0.0;
        for (share, part) in parts {
            if band.is_some() && part.is_trees() {
                put_off += share;
                continue;
            }
            let part_odds = self.compiled.log_odds(part, values, lanes);
            first.get_or_insert(part_odds);
            for (sum, value) in sums.iter_mut().zip(part_odds) {
                *sum += share * value;
            }
        }
        let lists = self.compiled.lists.as_ref().filter(|_| self.list_share > 0.0);
        let rest = self.rest();
        if let Some(lists) = lists {
            let list_odds = self.compiled.log_odds(lists, values, lanes);
            for (sum, value) in sums.iter_mut().zip(list_odds) {
                *sum = rest * *sum + self.list_share * value;
            }
        }
        let blocks = columns.blocks();
        let (Some(band), Some(first)) = (band, first) else {
            for (block, sum) in blocks.iter().zip(sums) {
                self.set(*block, sum);
            }
            return;
        };
        let mut doubtful = [0; LANES];
        let mut len = 0;
        for (lane, ((sum, first), block)) in sums.iter().zip(first).zip(blocks).enumerate() {
            // What is no number is in doubt.
            let is_sure = first.abs() >= *band;
            // Where the first part is not in doubt, it stands for the trees.
            self.set(*block, if is_sure { sum + rest * put_off * first } else { *sum });
            if let Some(place) = doubtful.get_mut(len) {
                *place = lane;
                len += usize::from(!is_sure);
            }
        }
        let mut rest = doubtful.get(..len).unwrap_or_default();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(LANES - self.waiting.blocks.len()));
            self.wait(values, now, blocks);
            rest = later;
            if self.waiting.blocks.len() == LANES {
                self.ask_trees();
            }
        }
    }

    /// Share of the parts that judge all pages.
    fn rest(&self) -> f32 {
        1.0 - self.list_share
    }

    /// The log odds of a block, no number if none are known. Those of blocks that wait are not complete.
    pub fn get(&self, block: u32) -> f32 {
        self.odds.get(block as usize).copied().unwrap_or(f32::NAN)
    }

    /// Sets the log odds of a block.
    pub fn set(&mut self, block: u32, odds: f32) {
        if let Some(known) = self.odds.get_mut(block as usize) {
            *known = odds;
        }
    }

    /// Lets these lanes wait; there is room for them.
    fn wait(&mut self, values: &[Lanes], lanes: &[usize], numbers: &[u32]) {
        let WaitingBlocks { values: waiting, blocks } = &mut self.waiting;
        if waiting.is_empty() {
            *waiting = Scratch::stale(values.len(), [0.0; LANES]);
        }
        for slot in &self.compiled.tree_slots {
            if let (Some(waiting_lanes), Some(values)) = (waiting.get_mut(*slot), values.get(*slot)) {
                let places = waiting_lanes.get_mut(blocks.len()..).unwrap_or_default();
                for (place, lane) in places.iter_mut().zip(lanes) {
                    // Lanes are numbered below 64.
                    *place = values[lane % LANES];
                }
            }
        }
        blocks.extend(lanes.iter().filter_map(|lane| numbers.get(*lane)).copied());
    }

    /// Adds the log odds of the trees to the waiting blocks.
    fn ask_trees(&mut self) {
        let rest = self.rest();
        let WaitingBlocks { values, blocks } = &mut self.waiting;
        let compiled = self.compiled;
        let mut trees = [0.0; LANES];
        for (share, part) in compiled.parts.iter().filter(|(_, part)| part.is_trees()) {
            let part_odds = compiled.log_odds(part, values, blocks.len());
            for (sum, value) in trees.iter_mut().zip(part_odds) {
                *sum += share * value;
            }
        }
        for (at, trees) in blocks.iter().zip(trees) {
            if let Some(odds) = self.odds.get_mut(*at as usize) {
                *odds += rest * trees;
            }
        }
        blocks.clear();
    }

    /// Asks the trees about the blocks that wait.
    pub fn complete(&mut self) {
        if !self.waiting.blocks.is_empty() {
            self.ask_trees();
        }
    }

    /// The log odds of all blocks.
    pub fn finish(mut self) -> Vec<f32> {
        self.complete();
        self.odds
    }
}
