//! Table of all rules that change the model's choice. A decision record states the gain of each on labelled pages.

use super::addresses_and_facts::{keep_addresses, keep_facts};
use super::announced::{keep_announced_lists, keep_link_lists, keep_references, keep_see_also};
use super::beside_kept::{keep_dense_containers, keep_section_headings};
use super::boxes_teasers_strays::{drop_boxes, drop_strays, drop_teasers};
use super::controls_and_hidden_parts::{drop_consent, drop_contents, drop_controls, drop_invisible};
use super::copies::drop_copies;
use super::further_articles::drop_follow_ups;
use super::line_numbers::drop_line_numbers;
use super::list_controls::keep_counted_lists;
use super::list_records::decide_records;
use super::lists::{keep_documents, keep_framed};
use super::lone_text::{keep_article, keep_ends, keep_lone_text, keep_main_article};
use super::thread_labels::drop_thread_labels;
use super::topic::drop_off_topic;
use super::whole_units::{keep_code, keep_formulas, keep_tables, keep_terms};
use super::{ChosenPage, JudgedPage};

/// Rule that keeps or drops blocks against the model's choice, with the range of probabilities that it may overrule.
#[derive(Debug)]
pub struct Rule {
    /// Name of the rule, as documents state it.
    pub name: &'static str,
    /// Effect of the rule as a phrase, such as "drops tables of contents".
    pub does: &'static str,
    pub(super) apply: Apply,
    /// Lowest and highest probability of a block that the rule may change, both inclusive.
    pub(super) unsure: (f32, f32),
}

impl Rule {
    const fn between(mut self, least: f32, most: f32) -> Self {
        self.unsure = (least, most);
        self
    }
}

/// Range of all probabilities (0 to 1), for rules that apply regardless of the model.
// Rules on structure (copies, contents) hold however sure the model is.
pub(super) const ANY: (f32, f32) = (0.0, 1.0);

/// Stage at which a rule applies, with the function that changes the flags of a page's blocks.
#[derive(Debug)]
pub(super) enum Apply {
    /// Stage after the model chose blocks, and before the content policy (the user's choice of comments and roles).
    Judged(fn(&JudgedPage<'_>, &mut [bool])),
    /// Stage after the content policy (the user's choice of roles), on the text and on comments that are kept apart.
    Chosen(fn(&ChosenPage<'_>, &mut [bool])),
}

const fn judged(name: &'static str, does: &'static str, apply: fn(&JudgedPage<'_>, &mut [bool])) -> Rule {
    Rule { name, does, apply: Apply::Judged(apply), unsure: ANY }
}

const fn chosen(name: &'static str, does: &'static str, apply: fn(&ChosenPage<'_>, &mut [bool])) -> Rule {
    Rule { name, does, apply: Apply::Chosen(apply), unsure: ANY }
}

/// All rules that change which blocks the model chose, in the order in which they apply.
// The order matters: what the first rules keep may complete a list or a table, and what the last ones drop must stay
// dropped.
pub static RULES: [Rule; 32] = [
    judged("consent", "drops what consent platforms add to a page", |judged, kept| drop_consent(judged.page, kept)),
    judged("dense containers", "keeps doubtful blocks of the container of nearly all kept text", |judged, kept| {
        if judged.keeps_doubtful {
            keep_dense_containers(judged.page, judged.probabilities, judged.in_comments, kept);
        }
    }),
    judged("main article", "keeps a short page's only article in place of text outside of it", |judged, kept| {
        keep_main_article(judged.page, kept)
    }),
    judged("article", "keeps doubtful blocks of a short page's only article", |judged, kept| {
        keep_article(judged.page, judged.headline, kept)
    })
    .between(0.25, 1.0),
    judged("facts", "keeps doubtful facts about a product, an event or a job", |judged, kept| {
        if judged.has_facts {
            keep_facts(judged.page, judged.headline, judged.in_comments, kept)
        }
    })
    .between(0.3, 1.0),
    judged("formulas", "keeps formulas that are set apart beside kept blocks", |judged, kept| {
        keep_formulas(judged.page, kept)
    }),
    judged("strays", "drops single blocks of a field that is not kept elsewhere", |judged, kept| {
        drop_strays(judged.page, judged.fields, kept)
    })
    // A stray above .7 is more often text that differs from its field.
    .between(0.0, 0.7),
    judged("section headings", "keeps headings right above what is kept", |judged, kept| {
        keep_section_headings(judged.page, judged.headline, kept)
    })
    // Of headings below .1 only 36 in 190 were text.
    .between(0.1, 1.0),
    judged("thread labels", "drops dates, counts and other labels that repeat in a thread", |judged, kept| {
        if judged.is_thread {
            drop_thread_labels(judged.page, kept);
        }
    }),
    judged("boxes", "drops doubtful boxes between kept paragraphs of one element", |judged, kept| {
        drop_boxes(judged.page, judged.probabilities, judged.is_article, kept)
    }),
    judged("teasers", "drops cards with a linked title that are behind an article or foreign to it", |judged, kept| {
        if judged.is_article {
            drop_teasers(judged.page, kept);
        }
    }),
    judged("off topic", "drops parts behind the text that share hardly a word with it", |judged, kept| {
        // Each post of a thread may have a subject of its own.
        if !judged.is_thread {
            drop_off_topic(judged.page, kept);
        }
    }),
    judged(
        "records",
        "keeps doubtful blocks of a list's records, and drops controls in them and doubtful blocks around them",
        decide_records,
    ),
    judged("addresses", "keeps addresses on pages that keep a time of day", |judged, kept| {
        keep_addresses(judged.page, judged.probabilities, kept)
    }),
    judged("terms", "keeps terms of definitions that are kept", |judged, kept| keep_terms(judged.page, kept)),
    judged("ends", "keeps a paragraph in a container of its own behind or before the text", |judged, kept| {
        keep_ends(judged.page, judged.probabilities, judged.in_comments, judged.is_listing, kept)
    }),
    judged("lone text", "keeps all or the likeliest part of a page that would have no text", |judged, kept| {
        // A page whose text comes from its data is not without text.
        if !judged.keeps_embedded && !judged.has_threshold {
            keep_lone_text(judged.page, judged.probabilities, kept);
        }
    }),
    chosen("first article", "drops articles that follow the first, if asked to", |chosen, kept| {
        if chosen.only_first_article {
            drop_follow_ups(chosen.page, chosen.html, kept);
        }
    }),
    chosen("copies", "drops blocks that repeat earlier text in other markup", |chosen, kept| {
        drop_copies(chosen.page, chosen.fields, kept)
    }),
    chosen("counted lists", "keeps lists of results behind a count of them", |chosen, kept| {
        keep_counted_lists(chosen.page, kept)
    }),
    chosen(
        "controls",
        "drops buttons, links to a heading or to edit it, counts of lists, and other labels of controls",
        |chosen, kept| drop_controls(chosen.page, chosen.html, kept),
    ),
    chosen("code", "keeps all of a piece of code of which a part is kept", |chosen, kept| keep_code(chosen.page, kept)),
    chosen("documents", "keeps lists of links to documents", |chosen, kept| {
        keep_documents(chosen.page, chosen.html, chosen.fields, chosen.probabilities, kept)
    }),
    chosen("tables", "keeps all of a table of which most is kept", |chosen, kept| {
        keep_tables(chosen.page, chosen.html, kept)
    }),
    chosen("framed", "keeps whole parts between kept blocks of one container", |chosen, kept| {
        keep_framed(chosen.page, chosen.roles, kept)
    }),
    chosen("announced lists", "keeps lists that a kept sentence before them announces with a colon", |chosen, kept| {
        keep_announced_lists(chosen.page, kept)
    }),
    chosen("link lists", "keeps lists of links below a kept heading", |chosen, kept| {
        keep_link_lists(chosen.page, chosen.html, chosen.url, kept)
    }),
    chosen("see also", "keeps what a text says is to be seen as well", |chosen, kept| keep_see_also(chosen.page, kept)),
    chosen("references", "keeps lists of references behind kept text", |chosen, kept| {
        keep_references(chosen.page, kept)
    }),
    chosen("invisible", "drops short parts that the page does not show", |chosen, kept| {
        drop_invisible(chosen.page, chosen.html, kept)
    }),
    chosen("line numbers", "drops the numbers of lines beside code", |chosen, kept| {
        drop_line_numbers(chosen.page, kept)
    }),
    chosen("contents", "drops tables of contents", |chosen, kept| drop_contents(chosen.page, chosen.html, kept)),
];
