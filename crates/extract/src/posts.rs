//! Posts: what several people wrote on one page, each with its author and its time, as far as the markup
//! says so.

use serde::{Deserialize, Serialize};
use trommel_html::{Attribute, Element, FactKind, NONE, Page, element_text};

use crate::metadata::{date_in, pen_name};

/// Words in the attributes of elements that hold a post, in several languages.
const POSTS: [&str; 19] = [
    "post", "posting", "postcontainer", "postbit", "message", "msg", "comment", "reply", "answer",
    "question", "entry", "hentry", "beitrag", "antwort", "kommentar", "commentaire", "comentario",
    "bericht", "reactie",
];
/// Words in the attributes of elements that name who wrote a post.
const AUTHORS: [&str; 16] = [
    "author", "username", "nickname", "nick", "poster", "postername", "byline", "commenter",
    "creator", "displayname", "screenname", "fn", "autor", "auteur", "auteurs", "pseudo",
];
/// Words in the attributes of elements that are about who wrote a post.
const WRITERS: [&str; 5] = ["user", "userinfo", "profile", "signature", "avatar"];
/// Words in the attributes of elements that say when.
const TIMES: [&str; 10] = [
    "date", "datetime", "time", "timestamp", "posted", "published", "postdate", "dateline",
    "datum", "fecha",
];
/// Bytes of an element that holds a name or a time.
const ELEMENT: usize = 600;
/// Most words of an element that names the author or the time of a post and is not the post.
const LABEL: u32 = 12;
/// Elements around a text in which its author and time are looked for where the element that says to be a
/// post does not hold them.
const AROUND: u8 = 3;

/// What one person wrote on a page on which several do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Post {
    /// Who wrote it, as the page shows the name.
    pub author: Option<String>,
    /// When: an ISO 8601 date, or date and time with the offset that the page gives.
    pub published: Option<String>,
    /// Its text, plain.
    pub text: String,
}

/// A post with the blocks that are its text.
#[derive(Debug, Default)]
pub(crate) struct FoundPost {
    pub(crate) author: Option<String>,
    pub(crate) published: Option<String>,
    /// Kept blocks, in order.
    pub(crate) blocks: Vec<u32>,
}

/// What is known of an element from what is in it.
#[derive(Clone, Copy, Debug)]
struct Inside {
    has_text: bool,
    words: u32,
    /// Elements that say to be a post and have text but nobody who wrote it.
    unsigned: u32,
    /// How many more elements around may hold the author of those.
    around: u8,
    author: u32,
    time: u32,
}

const NOTHING: Inside = Inside {
    has_text: false,
    words: 0,
    unsigned: 0,
    around: 0,
    author: NONE,
    time: NONE,
};

impl Inside {
    /// Takes in what is in a child; children come from the last to the first.
    fn add(&mut self, child: Self) {
        self.has_text |= child.has_text;
        self.words = self.words.saturating_add(child.words);
        self.unsigned += child.unsigned;
        self.around = self.around.max(child.around);
        for (own, first) in [
            (&mut self.author, child.author),
            (&mut self.time, child.time),
        ] {
            if first != NONE {
                *own = first;
            }
        }
    }

    fn is_signed(self) -> bool {
        self.author != NONE || self.time != NONE
    }
}

/// The posts of a page in its order, none if it has fewer than two. Of each element that says to be a post the
/// innermost is one that holds kept text and an author or a time, which no post within it holds.
pub(crate) fn posts(page: &Page, html: &str, kept: &[bool], month_first: bool) -> Vec<FoundPost> {
    let mut inside = vec![NOTHING; page.elements.len()];
    for (block, kept) in page.blocks.iter().zip(kept) {
        if let Some(own) = inside.get_mut(block.element as usize) {
            own.has_text |= *kept;
            own.words = own.words.saturating_add(block.words);
        }
    }
    for fact in page.facts.iter().rev() {
        let Some(own) = inside.get_mut(fact.element as usize) else {
            continue;
        };
        match fact.kind {
            FactKind::Author | FactKind::AuthorLink => own.author = fact.element,
            FactKind::Published | FactKind::Time => own.time = fact.element,
            _ => {}
        }
    }
    // The post that each element is, by its number from the last to the first.
    let mut found: Vec<(u32, Inside)> = Vec::new();
    let mut is_post = vec![false; page.elements.len()];
    for (at, element) in page.elements.iter().enumerate().rev() {
        let at = at as u32;
        let Some(mut own) = inside.get(at as usize).copied() else {
            continue;
        };
        let is_label = own.words <= LABEL && !own.is_signed();
        let is_author = is_label && says(page, element, &AUTHORS);
        let is_time = is_label && !is_author && says(page, element, &TIMES);
        if is_author || is_time {
            own = Inside {
                author: if is_author { at } else { NONE },
                time: if is_time { at } else { NONE },
                ..NOTHING
            };
        }
        // A name that microdata states is no text of a post either.
        if own.words <= LABEL && (own.author == at || own.time == at) {
            own.has_text = false;
        }
        let is_writer = says(page, element, &WRITERS);
        own.has_text &= !is_writer;
        let says_post = !is_author && !is_time && !is_writer && says(page, element, &POSTS);
        let is_one = says_post || own.unsigned == 1 && own.around > 0;
        if is_one && own.has_text && own.is_signed() {
            found.push((at, own));
            if let Some(flag) = is_post.get_mut(at as usize) {
                *flag = true;
            }
            continue;
        }
        if says_post && own.has_text && own.unsigned == 0 {
            (own.unsigned, own.around) = (1, AROUND);
        } else {
            own.around = own.around.saturating_sub(1);
        }
        if let Some(parent) = inside.get_mut(element.parent as usize) {
            parent.add(own);
        }
    }
    if found.len() < 2 {
        return Vec::new();
    }
    found.reverse();
    look_around(page, &mut found);
    let blocks = blocks(page, kept, &is_post, &found);
    let posts = found
        .iter()
        .zip(blocks)
        .map(|((_, own), blocks)| FoundPost {
            author: author(page, html, own.author),
            published: published(page, html, own.time, month_first),
            blocks,
        });
    let signed = |post: &FoundPost| post.author.is_some() || post.published.is_some();
    let posts: Vec<FoundPost> = posts
        .filter(|post| signed(post) && !post.blocks.is_empty())
        .collect();
    match posts.len() {
        0 | 1 => Vec::new(),
        _ => posts,
    }
}

/// Looks for the author or time that a post lacks in the elements around it that hold no other post.
fn look_around(page: &Page, found: &mut [(u32, Inside)]) {
    let starts: Vec<u32> = found.iter().map(|(at, _)| *at).collect();
    for (number, (at, own)) in found.iter_mut().enumerate() {
        let before = number.checked_sub(1).and_then(|before| starts.get(before));
        let after = starts.get(number + 1);
        let end = page.element(*at).map_or(*at, |element| element.end);
        for (around, element) in page.path(*at).skip(1).take(AROUND.into()) {
            let has_another = before.is_some_and(|before| *before >= around)
                || after.is_some_and(|after| *after < element.end);
            if has_another || own.author != NONE && own.time != NONE {
                break;
            }
            for inner in (around + 1..*at).chain(end..element.end) {
                let Some(element) = page.element(inner) else {
                    break;
                };
                let is_label = element.end - inner <= LABEL;
                if own.author == NONE && is_label && says(page, element, &AUTHORS) {
                    own.author = inner;
                } else if own.time == NONE && is_label && says(page, element, &TIMES) {
                    own.time = inner;
                }
            }
        }
    }
}

/// The kept blocks of each post, without those that only say who wrote it, or when.
fn blocks(page: &Page, kept: &[bool], is_post: &[bool], found: &[(u32, Inside)]) -> Vec<Vec<u32>> {
    // The innermost post around each element.
    let mut post_of = vec![NONE; page.elements.len()];
    for (at, element) in page.elements.iter().enumerate() {
        let own = match is_post.get(at) {
            Some(true) => at as u32,
            _ => post_of
                .get(element.parent as usize)
                .copied()
                .unwrap_or(NONE),
        };
        if let Some(place) = post_of.get_mut(at) {
            *place = own;
        }
    }
    let mut blocks = vec![Vec::new(); found.len()];
    for (block, (own, kept)) in (0u32..).zip(page.blocks.iter().zip(kept)) {
        let post = post_of.get(own.element as usize).copied();
        let Some(post) = post.filter(|post| *kept && *post != NONE) else {
            continue;
        };
        let Ok(at) = found.binary_search_by_key(&post, |(at, _)| *at) else {
            continue;
        };
        let Some((_, inside)) = found.get(at) else {
            continue;
        };
        let says = |place: u32| {
            let within = page
                .element(place)
                .is_some_and(|element| (place..element.end).contains(&own.element));
            within && place != post
        };
        if !says(inside.author)
            && !says(inside.time)
            && let Some(blocks) = blocks.get_mut(at)
        {
            blocks.push(block);
        }
    }
    blocks
}

fn author(page: &Page, html: &str, at: u32) -> Option<String> {
    let element = page.element(at)?;
    // Microdata: the name in the author, or what it states.
    let within = |fact: &&trommel_html::StatedFact| (at..element.end).contains(&fact.element);
    let stated = |kind| {
        let mut facts = page.facts.iter().filter(within);
        facts.find(|fact| fact.kind == kind)
    };
    let fact = stated(FactKind::Name).or_else(|| stated(FactKind::Author));
    match fact {
        Some(fact) if !fact.value.is_empty() => pen_name(&fact.value),
        Some(fact) => pen_name(&element_text(html, fact.start, ELEMENT)),
        None => pen_name(&element_text(html, element.start, ELEMENT)),
    }
}

fn published(page: &Page, html: &str, at: u32, month_first: bool) -> Option<String> {
    let element = page.element(at)?;
    let within = |kind: FactKind| matches!(kind, FactKind::Published | FactKind::Time);
    let mut facts = page.facts.iter();
    let fact = facts.find(|fact| within(fact.kind) && (at..element.end).contains(&fact.element));
    fact.and_then(|fact| date_in(&fact.value, month_first))
        .or_else(|| date_in(&element_text(html, element.start, ELEMENT), month_first))
}

/// Whether one of the words is among those of the element's attributes.
fn says(page: &Page, element: &Element, words: &[&str]) -> bool {
    page.attribute_words(element)
        .iter()
        .filter(|word| word.attribute != Attribute::Role)
        .any(|word| words.contains(&page.word_text(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn of(html: &str) -> Vec<(Option<String>, Option<String>, String)> {
        let page = ScanEngine.read(html, &Limits::default());
        let kept = vec![true; page.blocks.len()];
        let found = posts(&page, html, &kept, false);
        let text = |post: &FoundPost| {
            let blocks = post
                .blocks
                .iter()
                .filter_map(|at| page.blocks.get(*at as usize));
            blocks
                .map(|block| page.text(block))
                .collect::<Vec<_>>()
                .join(" ")
        };
        found
            .iter()
            .map(|post| (post.author.clone(), post.published.clone(), text(post)))
            .collect()
    }

    fn post(author: &str, published: &str, text: &str) -> (Option<String>, Option<String>, String) {
        let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        (filled(author), filled(published), text.to_owned())
    }

    #[test]
    fn posts_have_author_and_time() {
        let html = "<div id=post-1 class='post even'><div class=post-head><a class=username>ann_77</a> \
            <time datetime=2024-05-01T10:00>yesterday</time></div><div class=post-body><p>How deep?<p>Thanks.</div></div>\
            <div id=post-2 class='post odd'><div class=post-head><a class=username>Bob</a> <span class=date>2 May 2024</span></div>\
            <div class=post-body>Two fathoms.</div></div>";
        assert_eq!(
            of(html),
            [
                post("ann_77", "2024-05-01T10:00:00", "How deep? Thanks."),
                post("Bob", "2024-05-02", "Two fathoms."),
            ]
        );
    }

    #[test]
    fn the_author_may_stand_beside_the_text() {
        let row = |name: &str, text: &str| {
            format!(
                "<tr><td class=poster><b>{name}</b></td><td><div class=message>{text}</div></td></tr>"
            )
        };
        let html = format!(
            "<table>{}{}</table>",
            row("ann", "One."),
            row("bob", "Two.")
        );
        assert_eq!(
            of(&html),
            [post("ann", "", "One."), post("bob", "", "Two.")]
        );
    }

    #[test]
    fn who_wrote_a_post_that_says_when_may_stand_beside_it() {
        let post_of = |name: &str, day: u32, text: &str| {
            format!(
                "<article class=message><div class=message-user><h4 class=message-name><a class='username '>{name}</a></h4>\
                 <h5>Member</h5></div><div class=message-main><time datetime=2024-05-0{day}>then</time><p>{text}</div></article>"
            )
        };
        let html = post_of("ann", 1, "One.") + &post_of("bob", 2, "Two.");
        assert_eq!(
            of(&html),
            [
                post("ann", "2024-05-01", "One."),
                post("bob", "2024-05-02", "Two."),
            ]
        );
    }

    #[test]
    fn microdata_names_the_author_within_the_author() {
        let answer = |name: &str, text: &str| {
            format!(
                "<div itemprop=suggestedAnswer class=answer><div itemprop=text><p>{text}</p></div>\
                 <div itemprop=author itemscope><span itemprop=name>{name}</span> 1,204 points</div>\
                 <time itemprop=dateCreated datetime='2024-01-02T03:04:05Z'>then</time></div>"
            )
        };
        let html = answer("Ann Roe", "By the river.") + &answer("Bob", "No.");
        let time = "2024-01-02T03:04:05Z";
        assert_eq!(
            of(&html),
            [
                post("Ann Roe", time, "By the river."),
                post("Bob", time, "No."),
            ]
        );
    }

    #[test]
    fn an_article_and_its_comments_are_apart() {
        let html = "<article class=post><p class=byline>by Jane Roe<p>The mill stands.<ul class=comments>\
            <li class=comment><span class=author>ann</span><p>Nice.<li class=comment><span class=author>bob</span><p>No.\
            </ul></article>";
        assert_eq!(
            of(html),
            [
                post("Jane Roe", "", "The mill stands."),
                post("ann", "", "Nice."),
                post("bob", "", "No."),
            ]
        );
    }

    #[test]
    fn one_post_is_none_and_neither_is_what_nobody_signed() {
        assert_eq!(
            of("<div class=post><b class=author>ann</b><p>One.</div>"),
            []
        );
        assert_eq!(of("<p class=post>One.<p class=post>Two."), []);
    }
}
