//! Posts of pages made by hand.

use super::*;
use trommel_html::{Engine, Limits, ScanEngine};

type Shown = (Option<String>, Option<String>, String);

fn of(html: &str) -> Vec<Shown> {
    of_kept(html, |_| true)
}

/// Returns author, time and text of the posts of a page on which the blocks that `is_kept` accepts are kept.
fn of_kept(html: &str, is_kept: impl Fn(&str) -> bool) -> Vec<Shown> {
    let page = ScanEngine.read(html, &Limits::default());
    let kept: Vec<bool> = page.blocks.iter().map(|block| is_kept(page.text(block))).collect();
    let found = posts(&page, html, Some("https://forum.example/t/1"), &kept, false);
    let text = |post: &FoundPost| {
        let blocks = post.blocks.iter().filter_map(|at| page.blocks.get(*at as usize));
        blocks.map(|block| page.text(block)).collect::<Vec<_>>().join(" ")
    };
    found.iter().map(|post| (post.author.clone(), post.published.clone(), text(post))).collect()
}

fn post(author: &str, published: &str, text: &str) -> Shown {
    let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    (filled(author), filled(published), text.to_owned())
}

#[test]
fn posts_are_those_of_the_rows() {
    crate::rows::check("src/posts/pages.txt", |_, html| {
        let shown = |(author, published, text): Shown| {
            format!("{} | {} | {text}", author.unwrap_or_default(), published.unwrap_or_default())
        };
        of(html).into_iter().map(shown).collect::<Vec<_>>().join("\n")
    });
}

#[test]
fn a_thread_of_which_one_post_is_kept_gives_that_post() {
    let text = |name: &str| format!("What {name} says of the mill").repeat(5);
    let part = |number: u32, name: &str| {
        format!(
            "<div id=post-{number} class='post'><div class=post-head><a class=username>{name}</a> \
             <time datetime=2024-05-0{number}>then</time></div><p>{}</div>",
            text(name)
        )
    };
    let html = [part(1, "ann"), part(2, "bob"), part(3, "cid")].concat();
    assert_eq!(of(&html).len(), 3);
    assert_eq!(of_kept(&html, |text| text.contains("What bob")), [post("bob", "2024-05-02", &text("bob"))]);
    // What stands alone is no thread.
    assert!(of(&part(1, "ann")).is_empty());
}

#[test]
fn words_about_users_are_no_reason_to_pass_over_what_they_wrote() {
    let post_of = |name: &str, day: u32, text: &str| {
        format!(
            "<article class='message message--post' data-author={name}><section class=message-user itemprop=author itemscope>\
             <a class=avatar href=/members/{name}/>A</a><h4><a href=/members/{name}/ class=username>{name}</a></h4>\
             <dl><dt>Joined<dd>May 3, 2010</dl></section><div class=message-main>\
             <a href=#p{day}><time datetime=2024-05-0{day}T10:00:00Z>then</time></a>\
             <div class='message-userContent'><p>{text}</div>\
             <div class=message-lastEdit>Last edited: <time datetime=2024-06-01>1 June 2024</time></div></div></article>"
        )
    };
    let html = post_of("ann", 1, "How deep is it?") + &post_of("bob", 2, "Two fathoms.");
    let html = html.replace(
        "Two fathoms.",
        "<blockquote><a href=/members/ann/>ann</a> said, 4 May 2024:<p>How deep is it?</blockquote>Two fathoms.",
    );
    let texts: Vec<Shown> = of_kept(&html, |text| text.ends_with(['?', '.']));
    assert_eq!(
        texts,
        [
            post("ann", "2024-05-01T10:00:00Z", "How deep is it?"),
            post("bob", "2024-05-02T10:00:00Z", "How deep is it? Two fathoms."),
        ]
    );
}

#[test]
fn a_thread_may_have_more_times_than_facts_are_kept() {
    let post_of = |at: u32| {
        format!(
            "<div class=c><a href=/u/u{at}>u{at}</a><time itemprop=datePublished datetime=2024-05-01T10:00:00Z>then</time><p>Text.</div>"
        )
    };
    let html: String = (0..1000).map(post_of).collect();
    let found = of(&html);
    assert_eq!(found.len(), 1000);
    assert_eq!(found[999].1.as_deref(), Some("2024-05-01T10:00:00Z"));
}

#[test]
fn time_is_linear_in_the_page() {
    let deep = "<div class=comment><a href=/u/a>a</a><time datetime=2024-05-01>x</time><p>One two.";
    let flat = format!("{deep}</div>");
    let rows = "<tr><td><a href=/u/a>a</a><time datetime=2024-05-01>x</time></tr><tr><td>One two.</tr>";
    let pages = [deep.repeat(20_000), flat.repeat(20_000), format!("<table>{}", rows.repeat(20_000))];
    for html in pages {
        let start = std::time::Instant::now();
        of(&html);
        assert!(start.elapsed().as_secs() < 10, "{}", &html[..40]);
    }
}
