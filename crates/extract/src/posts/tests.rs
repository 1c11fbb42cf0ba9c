//! Posts of pages made by hand.

use super::*;
use trommel_html::{Engine, Limits, ScanEngine};

type Shown = (Option<String>, Option<String>, String);

fn of(html: &str) -> Vec<Shown> {
    of_kept(html, |_| true)
}

/// Author, time and text of the posts of a page of which the blocks with some texts are kept.
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
fn posts_have_author_and_time() {
    let html = "<div id=post-1 class='post even'><div class=post-head><a class=username>ann_77</a> \
        <time datetime=2024-05-01T10:00>yesterday</time></div><div class=post-body><p>How deep?<p>Thanks.</div></div>\
        <div id=post-2 class='post odd'><div class=post-head><a class=username>Bob</a> <span class=date>2 May 2024</span></div>\
        <div class=post-body>Two fathoms.</div></div>";
    assert_eq!(
        of(html),
        [post("ann_77", "2024-05-01T10:00:00", "How deep? Thanks."), post("Bob", "2024-05-02", "Two fathoms."),]
    );
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
fn the_author_may_stand_beside_the_text() {
    let row = |name: &str, text: &str| {
        format!("<tr><td class=poster><b>{name}</b></td><td><div class=message>{text}</div></td></tr>")
    };
    let html = format!("<table>{}{}</table>", row("ann", "One."), row("bob", "Two."));
    assert_eq!(of(&html), [post("ann", "", "One."), post("bob", "", "Two.")]);
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
    assert_eq!(of(&html), [post("ann", "2024-05-01", "One."), post("bob", "2024-05-02", "Two."),]);
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
    assert_eq!(of(&html), [post("Ann Roe", time, "By the river."), post("Bob", time, "No."),]);
}

#[test]
fn an_article_and_its_comments_are_apart() {
    let html = "<article class=post><p class=byline>by Jane Roe<p>The mill stands.<ul class=comments>\
        <li class=comment><span class=author>ann</span><p>Nice.<li class=comment><span class=author>bob</span><p>No.\
        </ul></article>";
    assert_eq!(of(html), [post("Jane Roe", "", "The mill stands."), post("ann", "", "Nice."), post("bob", "", "No."),]);
}

#[test]
fn one_post_is_none_and_neither_is_what_nobody_signed() {
    assert_eq!(of("<div class=post><b class=author>ann</b><p>One.</div>"), []);
    assert_eq!(of("<p class=post>One.<p class=post>Two."), []);
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
fn repeated_parts_need_no_word_that_says_what_they_are() {
    let part = |name: &str, day: u32, text: &str| {
        format!(
            "<div class=x1><div class=x2><a href=/u/{name}>{name}</a> <span title='2024-05-0{day} 10:00'>{day} days ago</span>\
             </div><div class=x3><p>{text}</p></div></div>"
        )
    };
    let html = part("ann", 1, "How deep?") + &part("bob", 2, "Two fathoms.");
    let expected =
        [post("ann", "2024-05-01T10:00:00", "How deep?"), post("bob", "2024-05-02T10:00:00", "Two fathoms.")];
    assert_eq!(of(&html), expected);
    // Not where one person wrote all of them, nor where there is one.
    assert_eq!(of(&html.replace("bob", "ann")), []);
    assert_eq!(of(&part("ann", 1, "How deep?")), []);
}

#[test]
fn a_row_may_say_who_and_when_and_the_next_what() {
    let rows = |name: &str, day: u32, text: &str| {
        format!(
            "<tr><td><a href='profile.php?u={name}'>{name}</a> <span class=when>{day} May 2024, 10:00</span></tr>\
             <tr><td><p>{text}</tr>"
        )
    };
    let html = format!(
        "<table>{}{}{}</table>",
        rows("ann", 1, "How deep?"),
        rows("bob", 2, "Two fathoms."),
        rows("cyd", 3, "Thanks.")
    );
    assert_eq!(
        of(&html),
        [
            post("ann", "2024-05-01T10:00:00", "How deep?"),
            post("bob", "2024-05-02T10:00:00", "Two fathoms."),
            post("cyd", "2024-05-03T10:00:00", "Thanks."),
        ]
    );
}

#[test]
fn answers_stand_in_what_they_answer() {
    let html = "<li class=comment><div><b class=author>ann</b> <time datetime=2024-05-01>then</time><p>One.</div>\
        <ul><li class=comment><div><b class=author>bob</b> <time datetime=2024-05-02>then</time><p>Two.</div>\
        <ul><li class=comment><div><b class=author>cyd</b> <time datetime=2024-05-03>then</time><p>Three.</div></ul></ul>";
    assert_eq!(
        of(html),
        [post("ann", "2024-05-01", "One."), post("bob", "2024-05-02", "Two."), post("cyd", "2024-05-03", "Three."),]
    );
}

#[test]
fn dates_in_numbers_stand_as_those_that_leave_no_doubt() {
    let post_of = |name: &str, day: &str| {
        format!(
            "<div class=post><a href=/u/{name}>{name}</a> <span class=date>{day}/2024</span><p>Text of {name}.</div>"
        )
    };
    let html = post_of("ann", "5/6") + &post_of("bob", "5/16");
    let days: Vec<_> = of(&html).into_iter().map(|post| post.1.unwrap()).collect();
    assert_eq!(days, ["2024-05-06", "2024-05-16"]);
    let html = post_of("ann", "5/6") + &post_of("bob", "16/6");
    let days: Vec<_> = of(&html).into_iter().map(|post| post.1.unwrap()).collect();
    assert_eq!(days, ["2024-06-05", "2024-06-16"]);
}

#[test]
fn words_about_other_pages_are_no_posts() {
    let card = |name: &str, day: u32| {
        format!(
            "<article class=post><h2><a href=/news/{name}>The mill of {name} turns</a></h2><a rel=author href=/author/{name}>{name}</a>\
             <time datetime=2024-05-0{day}>then</time><p>It has not turned for years, as {name} says.</article>"
        )
    };
    let html = card("ann", 1) + &card("bob", 2) + &card("cyd", 3);
    assert_eq!(of(&html), []);
    // The title of a post leads to its own place.
    let html = html.replace("/news/", "/t/1#");
    assert_eq!(of(&html).len(), 3);
}

#[test]
fn what_one_person_wrote_at_one_time_is_no_thread() {
    let part = |text: &str| format!("<div class=post-body><b class=author>Jane Roe</b><p>{text}</div>");
    assert_eq!(of(&(part("One.") + &part("Two."))), []);
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
