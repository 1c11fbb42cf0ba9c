//! Fuzzes model files: a file that can be read gives one finite probability for each block of a page, and can be
//! written and read again.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use trommel_html::{Engine, Limits, LolEngine, Page};
use trommel_model::Model;

const HTML: &str = "<title>Mill</title><div class='nav'><a href=/>Home</a></div>\
    <h1>The mill</h1><script type='application/ld+json'>{\"@type\":\"Article\",\"articleBody\":\"The wheel is \
    made of oak, and the stones came from the hill across the river.\"}</script><article><p>The mill stands by the river, and its wheel has turned there.\
    <ul><li>one<li>two</ul><table><tr><td>1<td>2</table></article><div id=comments><p>I like it.</div>";

fuzz_target!(|data: &[u8]| {
    static PAGE: OnceLock<Page> = OnceLock::new();
    let Ok(model) = Model::from_bytes(data) else {
        return;
    };
    let page = PAGE.get_or_init(|| LolEngine.read(HTML, &Limits::default()));
    let url = Some("http://mill.example/a/b.html");
    for judged in [model.judge(page, url), model.judge_with_comments(page, url)] {
        assert_eq!(judged.probabilities.len(), page.blocks.len());
        assert!(judged.probabilities.iter().all(|p| (0.0..=1.0).contains(p)));
        assert!(judged.embedded.iter().all(|embedded| (0.0..=1.0).contains(&embedded.probability)));
    }
    let _ = model.reasons();
    let bytes = model.to_bytes().expect("a model can be written");
    assert!(Model::from_bytes(&bytes).is_ok());
});
