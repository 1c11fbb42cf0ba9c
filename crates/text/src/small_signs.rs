//! Converts between superscript or subscript signs (`²`, `ᵢ`) and the plain ones (`2`, `i`).

// Pairs in one text: the lists are read rarely, and a table would take more room than the search.
const RAISED: &str = "0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺-⁻−⁻=⁼(⁽)⁾nⁿiⁱaᵃbᵇcᶜdᵈeᵉfᶠgᵍhʰjʲkᵏlˡmᵐoᵒpᵖrʳsˢtᵗuᵘvᵛwʷxˣyʸzᶻ";
const LOWERED: &str = "0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊-₋−₋=₌(₍)₎aₐeₑhₕiᵢjⱼkₖlₗmₘnₙoₒpₚrᵣsₛtₜuᵤvᵥxₓ";

/// Iterates over the pairs of a plain sign and its superscript or subscript form, which alternate in `of`.
fn pairs(of: &str) -> impl Iterator<Item = (char, char)> {
    let plain = of.chars().step_by(2);
    plain.zip(of.chars().skip(1).step_by(2))
}

/// Returns the superscript form of a sign, if there is one.
pub fn raised(plain: char) -> Option<char> {
    pairs(RAISED).find_map(|(sign, small)| (sign == plain).then_some(small))
}

/// Returns the subscript form of a sign, if there is one.
pub fn lowered(plain: char) -> Option<char> {
    pairs(LOWERED).find_map(|(sign, small)| (sign == plain).then_some(small))
}

/// Returns the plain form of a superscript or subscript sign; any other sign is returned unchanged.
pub fn plain_sign(sign: char) -> char {
    if sign.is_ascii() {
        return sign;
    }
    let found = pairs(RAISED).chain(pairs(LOWERED)).find(|(_, small)| *small == sign);
    found.map_or(sign, |(plain, _)| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_signs_are_those_of_plain_ones() {
        assert_eq!([raised('2'), raised('n'), raised('q')], [Some('²'), Some('ⁿ'), None]);
        assert_eq!([lowered('2'), lowered('i'), lowered('z')], [Some('₂'), Some('ᵢ'), None]);
        assert_eq!("m²₁₀ᵢ é字5".chars().map(plain_sign).collect::<String>(), "m210i é字5");
    }
}
