use crate::{Engine, Limits, LolEngine, NotationKind, ScanEngine};

/// Returns the text of each block, with its formulas in `[` and `]`, and those set apart in `{` and `}`.
fn shown(html: &str) -> Vec<String> {
    let page = ScanEngine.read(html, &Limits::default());
    assert_eq!(page, LolEngine.read(html, &Limits::default()), "{html}");
    page.blocks
        .iter()
        .map(|block| {
            let mut text = page.text(block).to_owned();
            let formulas: Vec<_> = page.notations(block).collect();
            for notation in formulas.iter().rev() {
                let (open, close) = match notation.kind {
                    NotationKind::Formula => ("[", "]"),
                    NotationKind::DisplayFormula => ("{", "}"),
                    _ => continue,
                };
                text.insert_str(notation.text.1 as usize, close);
                text.insert_str(notation.text.0 as usize, open);
            }
            text
        })
        .collect()
}

#[test]
fn the_source_of_a_formula_is_text_and_what_shows_it_is_not() {
    let katex = "<p>If <span class=katex><span class=katex-mathml><math><semantics><mi>g</mi>\
        <annotation encoding='application/x-tex'>g_1</annotation></semantics></math></span>\
        <span class=katex-html aria-hidden=true><span class=base>g<span>1</span></span></span></span> is.";
    assert_eq!(shown(katex), ["If [g_1] is."]);
    let wiki = "<dl><dd><span class=mwe-math-element><span class='mwe-math-mathml-display' \
        style='display: none;'><math display=block alttext='{\\displaystyle x^{2}}'><mi>x</mi></math></span>\
        <img class=mwe-math-fallback-image-display alt='{\\displaystyle x^{2}}'></span>,</dd></dl>";
    assert_eq!(shown(wiki), ["{x^{2}},"]);
    let jax2 = "<p>so <span class=MathJax_Preview>E</span><span class=MathJax id=MathJax-Element-1-Frame>\
        <nobr><span>E</span><span>u</span></nobr></span><script type='math/tex'>E_u</script> (a)</p>\
        <div class=MathJax_Display><span class=MathJax><span>B=1</span></span></div>\
        <script type='math/tex; mode=display'>\nB = 1\n</script><p>b";
    assert_eq!(shown(jax2), ["so [E_u] (a)", "{B = 1}", "b"]);
    let alone = "<p>so <span class=MathJax data-mathml='<math><msub><mi>E</mi><mi>u</mi></msub></math>'>\
        <span>E</span></span> (a)";
    assert_eq!(shown(alone), ["so [E u] (a)"]);
    let jax3 = "<p>of <mjx-container class=MathJax jax=SVG><svg><g></g></svg><mjx-assistive-mml><math>\
        <mi>x</mi></math></mjx-assistive-mml></mjx-container> and";
    assert_eq!(shown(jax3), ["of [x] and"]);
}

#[test]
fn attributes_and_images_give_the_source() {
    assert_eq!(shown("<p>a <span data-tex='x^2'>x<sup>2</sup></span> b"), ["a [x^2] b"]);
    assert_eq!(shown("<p>a <span class=tex data-expr='\\pi'>π</span> b"), ["a [\\pi] b"]);
    assert_eq!(shown("<p>a <span data-math=true>x y</span> b"), ["a x y b"]);
    assert_eq!(shown("<p>a <img class=latex src=x.png alt='x^2'> b <img class=photo alt='x^2'> c"), ["a [x^2] b c"]);
    assert_eq!(
        shown("<p>a <img src='https://latex.codecogs.com/gif.latex?%5Cfrac%7B1%7D%7B2%7D'> b"),
        ["a [\\frac{1}{2}] b"]
    );
    assert_eq!(
        shown("<p>a <math alttext='x squared plus one more'><msup><mi>x</mi><mn>2</mn></msup></math>"),
        ["a [x^2]"]
    );
}

#[test]
fn what_is_never_closed_swallows_nothing() {
    assert_eq!(shown("<p>a <math><mi>x<p>b"), ["a [x]", "b"]);
    assert_eq!(shown("<p>a <span class=MathJax><span>x<p>b"), ["a [x]", "b"]);
    assert_eq!(shown("<p>a <mjx-container><mjx-math><mjx-mi>x<p>b"), ["a [x]", "b"]);
    assert_eq!(shown("<math><mtext><b>if</b></mtext><mi>x</mi></math> y"), ["[if x] y"]);
}

#[test]
fn formulas_of_mathjax_3_are_read_from_what_is_read_aloud() {
    let laid_out = "<mjx-math><mjx-mi><mjx-c class='mjx-c1D465 x'></mjx-c></mjx-mi></mjx-math>";
    let aloud = "<mjx-assistive-mml><math><mi>p</mi><mo>=</mo><mi>q</mi></math></mjx-assistive-mml>";
    assert_eq!(shown(&format!("<p>a <mjx-container>{laid_out}{aloud}</mjx-container> b")), ["a [p = q] b"]);
    assert_eq!(shown(&format!("<p>a <mjx-container>{laid_out}</mjx-container> b")), ["a b"]);
}
