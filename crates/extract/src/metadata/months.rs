//! Names of months.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// Names and abbreviations in lower case, in English, German, French, Spanish, Italian, Portuguese,
/// Dutch, Russian and Polish, by month. A name stands once even if several languages share it.
const NAMES: [&[&str]; 12] = [
    &[
        "january",
        "jan",
        "januar",
        "jänner",
        "janvier",
        "janv",
        "enero",
        "ene",
        "gennaio",
        "gen",
        "janeiro",
        "januari",
        "января",
        "январь",
        "янв",
        "stycznia",
        "styczeń",
        "sty",
    ],
    &[
        "february",
        "feb",
        "februar",
        "feber",
        "février",
        "févr",
        "fév",
        "fevrier",
        "febrero",
        "febbraio",
        "febb",
        "fevereiro",
        "fev",
        "februari",
        "февраля",
        "февраль",
        "фев",
        "февр",
        "lutego",
        "luty",
        "lut",
    ],
    &[
        "march",
        "mar",
        "märz",
        "mär",
        "mrz",
        "maerz",
        "mars",
        "marzo",
        "março",
        "marco",
        "maart",
        "mrt",
        "марта",
        "март",
        "мар",
        "marca",
        "marzec",
    ],
    &[
        "april",
        "apr",
        "avril",
        "avr",
        "abril",
        "abr",
        "aprile",
        "апреля",
        "апрель",
        "апр",
        "kwietnia",
        "kwiecień",
        "kwi",
    ],
    &[
        "may", "mai", "mayo", "maggio", "mag", "maio", "mei", "мая", "май", "maja", "maj",
    ],
    &[
        "june", "jun", "juni", "juin", "junio", "giugno", "giu", "junho", "июня", "июнь", "июн",
        "czerwca", "czerwiec", "cze",
    ],
    &[
        "july", "jul", "juli", "juillet", "juil", "julio", "luglio", "lug", "julho", "июля",
        "июль", "июл", "lipca", "lipiec", "lip",
    ],
    &[
        "august",
        "aug",
        "août",
        "aout",
        "agosto",
        "ago",
        "augustus",
        "августа",
        "август",
        "авг",
        "sierpnia",
        "sierpień",
        "sie",
    ],
    &[
        "september",
        "sep",
        "sept",
        "septembre",
        "septiembre",
        "setiembre",
        "settembre",
        "set",
        "sett",
        "setembro",
        "сентября",
        "сентябрь",
        "сен",
        "сент",
        "września",
        "wrzesień",
        "wrz",
    ],
    &[
        "october",
        "oct",
        "oktober",
        "okt",
        "octobre",
        "octubre",
        "ottobre",
        "ott",
        "outubro",
        "out",
        "октября",
        "октябрь",
        "окт",
        "października",
        "październik",
        "paź",
    ],
    &[
        "november",
        "nov",
        "novembre",
        "noviembre",
        "novembro",
        "ноября",
        "ноябрь",
        "ноя",
        "нояб",
        "listopada",
        "listopad",
        "lis",
    ],
    &[
        "december",
        "dec",
        "dezember",
        "dez",
        "décembre",
        "déc",
        "decembre",
        "diciembre",
        "dic",
        "dicembre",
        "dezembro",
        "декабря",
        "декабрь",
        "дек",
        "grudnia",
        "grudzień",
        "gru",
    ],
];

static BY_NAME: LazyLock<FxHashMap<&str, i8>> = LazyLock::new(|| {
    let named = (1..).zip(NAMES);
    named
        .flat_map(|(number, names)| names.iter().map(move |name| (*name, number)))
        .collect()
});

/// Number of the month of that (lower-case) name, 1..=12.
pub(super) fn number(name: &str) -> Option<i8> {
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_language_are_known() {
        for (name, month) in [
            ("jan", 1),
            ("märz", 3),
            ("août", 8),
            ("мая", 5),
            ("grudnia", 12),
        ] {
            assert_eq!(number(name), Some(month), "{name}");
        }
        assert_eq!(number("monday"), None);
    }

    #[test]
    fn no_name_stands_for_two_months() {
        let mut all: Vec<&str> = NAMES.concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
