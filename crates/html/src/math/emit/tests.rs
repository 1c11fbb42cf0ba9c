use super::tex_of_mathml;

#[test]
fn the_annotation_goes_before_the_elements() {
    let source = "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>\
                  a &lt; b</annotation></semantics></math>";
    assert_eq!(tex_of_mathml(source), "a < b");
    let other = "<math><semantics><mi>x</mi><annotation encoding='StarMath'>a</annotation></semantics></math>";
    assert_eq!(tex_of_mathml(other), "x");
}

#[test]
fn elements_become_tex() {
    for (source, tex) in [
        ("<mi>x</mi><mo>=</mo><mn>1</mn>", "x = 1"),
        ("<mfrac><mn>1</mn><mi>n</mi></mfrac>", "\\frac{1}{n}"),
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x^{2}"),
        ("<msup><mi>f</mi><mo>&#x2032;</mo></msup>", "f'"),
        ("<msubsup><mi>σ</mi><mi>i</mi><mn>2</mn></msubsup>", "\\sigma_{i}^{2}"),
        ("<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>", "\\sqrt{a + b}"),
        ("<mroot><mn>8</mn><mn>3</mn></mroot>", "\\sqrt[3]{8}"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>",
            "\\sum_{i = 1}^{n}",
        ),
        ("<mover><mi>x</mi><mo>^</mo></mover>", "\\hat{x}"),
        ("<munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder>", "\\lim_{x \\rightarrow 0}"),
        ("<mi>N</mi><mo>(</mo><mi>s</mi><mo>)</mo>", "N \\left(s\\right)"),
        ("<mi>f</mi><mo stretchy=\"false\">(</mo><mi>s</mi><mo stretchy=\"false\">)</mo>", "f (s)"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "\\left(a, b\\right)"),
        (
            "<mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>\
             <mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable><mo>)</mo>",
            "\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}",
        ),
        ("<mtext>if </mtext><mi>x</mi>", "\\text{if} x"),
        ("<mi mathvariant='double-struck'>R</mi>", "\\mathbb{R}"),
        ("<mi>𝑧</mi><mo>&#x2062;</mo><mn>5</mn><mo>%</mo>", "z 5 \\%"),
    ] {
        assert_eq!(tex_of_mathml(&format!("<math>{source}</math>")), tex, "{source}");
    }
}

#[test]
fn the_layout_of_mathjax_is_read_as_what_it_shows() {
    let source = "<mjx-math><mjx-mi><mjx-c>𝑧</mjx-c></mjx-mi><mjx-mo><mjx-c>=</mjx-c></mjx-mo><mjx-mfrac>\
        <mjx-frac><mjx-num><mjx-nstrut></mjx-nstrut><mjx-mn><mjx-c>1</mjx-c></mjx-mn></mjx-num><mjx-dbox>\
        <mjx-dtable><mjx-line></mjx-line><mjx-row><mjx-den><mjx-dstrut></mjx-dstrut><mjx-mi><mjx-c>𝑛</mjx-c>\
        </mjx-mi></mjx-den></mjx-row></mjx-dtable></mjx-dbox></mjx-frac></mjx-mfrac><mjx-msub><mjx-mi>\
        <mjx-c>𝑥</mjx-c></mjx-mi><mjx-script><mjx-mi><mjx-c>𝑖</mjx-c></mjx-mi></mjx-script></mjx-msub></mjx-math>";
    assert_eq!(tex_of_mathml(source), "z = \\frac{1}{n} x_{i}");
}

#[test]
fn any_nesting_has_an_end() {
    let deep = "<mrow>".repeat(5000) + "<mi>x</mi>";
    assert!(tex_of_mathml(&deep).len() <= 1);
    let wide = "<mi>x</mi>".repeat(100_000);
    assert!(tex_of_mathml(&wide).len() < 40_000);
    assert_eq!(tex_of_mathml("</mrow><mi>a"), "a");
}
