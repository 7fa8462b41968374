//! Numbers and dates as readers of a language write them.

use fluent_bundle::FluentArgs;
use time::format_description::well_known::Iso8601;
use time::{Date, OffsetDateTime, UtcOffset};

use crate::language::Language;
use crate::texts::Texts;
use crate::when;

impl Texts {
    /// `1,234,567`, or `1 234 567` with narrow spaces.
    pub fn number(&self, number: u64) -> String {
        let grouped = when::grouped(number);
        match self.language() {
            Language::English => grouped,
            Language::French => grouped.replace(',', "\u{202f}"),
        }
    }

    /// A decimal of the API, with a true minus: `1,234.5`, or `1 234,5`; a number in another notation keeps its groups.
    pub fn decimal(&self, number: &str) -> String {
        let grouped = match number.strip_prefix('-') {
            Some(positive) => format!("\u{2212}{}", when::grouped_decimal(positive)),
            None => when::grouped_decimal(number),
        };
        let french = |c: char| match c {
            ',' => '\u{202f}',
            '.' => ',',
            other => other,
        };
        match self.language() {
            Language::English => grouped,
            Language::French => grouped.chars().map(french).collect(),
        }
    }

    /// `23 November 2026, 14:05 UTC`.
    pub fn minute(&self, at: OffsetDateTime) -> String {
        let at = at.to_offset(UtcOffset::UTC);
        self.at(at.date(), format!("{:02}:{:02}", at.hour(), at.minute()))
    }

    /// `23 November 2026, 14:05:09 UTC`.
    pub fn second(&self, at: OffsetDateTime) -> String {
        let at = at.to_offset(UtcOffset::UTC);
        let (hour, minute, second) = at.to_hms();
        self.at(at.date(), format!("{hour:02}:{minute:02}:{second:02}"))
    }

    fn at(&self, date: Date, time: String) -> String {
        let mut args = FluentArgs::new();
        args.set("day", self.date(date));
        args.set("time", time);
        self.say_with("date-minute", &args)
    }

    /// A day of the API, such as `2026-11-23`; other texts as they are.
    pub fn day(&self, day: &str) -> String {
        Date::parse(day, &Iso8601::DATE).map_or_else(|_| day.to_owned(), |day| self.date(day))
    }

    /// `23 November 2026`, `23 novembre 2026`.
    pub fn date(&self, date: Date) -> String {
        self.say_with("date-day", &self.date_args(date))
    }

    /// `23 November`, `23 novembre`, for a day of the last months.
    pub fn day_of_month(&self, date: Date) -> String {
        self.say_with("date-day-of-month", &self.date_args(date))
    }

    /// `November 2026`, `novembre 2026`.
    pub fn month_of(&self, date: Date) -> String {
        self.say_with("date-month", &self.date_args(date))
    }

    /// The days from one to another: `1–3 May 2026`.
    pub fn days(&self, from: &str, to: Option<&str>) -> String {
        let parse = |day: &str| Date::parse(day, &Iso8601::DATE).ok();
        let Some((first, last)) = parse(from).zip(to.and_then(parse)) else {
            return self.day(from);
        };
        if first == last {
            return self.date(first);
        }
        if (first.year(), first.month()) == (last.year(), last.month()) {
            let mut args = self.date_args(first);
            args.set("last_day", last.day());
            return self.say_with("date-days-of-month", &args);
        }
        let mut args = FluentArgs::new();
        args.set("from", self.date(first));
        args.set("to", self.date(last));
        self.say_with("date-range", &args)
    }

    fn date_args(&self, date: Date) -> FluentArgs<'_> {
        let mut args = FluentArgs::new();
        args.set("day", date.day());
        args.set("month", self.month(u8::from(date.month())));
        // As text: a year is never grouped.
        args.set("year", date.year().to_string());
        args
    }

    fn month(&self, month: u8) -> &str {
        self.value("month", &month.to_string(), "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_dates_follow_the_language() {
        let (en, fr) = (Texts::of(Language::English), Texts::of(Language::French));
        assert_eq!(en.number(1_234_567), "1,234,567");
        assert_eq!(fr.number(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(en.day("2026-11-01"), "1 November 2026");
        assert_eq!(fr.day("2026-11-01"), "1er novembre 2026");
        assert_eq!(fr.day("2026-08-15"), "15 août 2026");
        assert_eq!(en.day("soon"), "soon");
        let month = time::macros::date!(2026 - 11 - 01);
        assert_eq!(en.month_of(month), "November 2026");
        assert_eq!(fr.month_of(month), "novembre 2026");
        assert_eq!(en.day_of_month(month), "1 November");
        assert_eq!(fr.day_of_month(month), "1er novembre");
        let at = time::macros::datetime!(2026-11-01 01:05 +2);
        assert_eq!(en.minute(at), "31 October 2026, 23:05 UTC");
        assert_eq!(fr.minute(at), "31 octobre 2026 à 23:05 UTC");
        for (number, english, french) in [
            ("1234.5", "1,234.5", "1\u{202f}234,5"),
            ("-1234.5", "−1,234.5", "−1\u{202f}234,5"),
            ("0.001", "0.001", "0,001"),
            ("1.5e-8", "1.5e-8", "1,5e-8"),
        ] {
            assert_eq!(en.decimal(number), english);
            assert_eq!(fr.decimal(number), french);
        }
        for (to, english, french) in [
            (None, "1 May 2026", "1er mai 2026"),
            (Some("2026-05-01"), "1 May 2026", "1er mai 2026"),
            (Some("2026-05-03"), "1–3 May 2026", "du 1er au 3 mai 2026"),
            (Some("2026-06-02"), "1 May 2026 – 2 June 2026", "du 1er mai 2026 au 2 juin 2026"),
        ] {
            assert_eq!(en.days("2026-05-01", to), english);
            assert_eq!(fr.days("2026-05-01", to), french);
        }
    }

    #[test]
    fn counts_have_the_plural_forms_of_their_language() {
        let (en, fr) = (Texts::of(Language::English), Texts::of(Language::French));
        assert_eq!(en.count("games-count", 0), "0 games");
        assert_eq!(en.count("games-count", 1), "1 game");
        // Zero is singular in French.
        assert_eq!(fr.count("games-count", 0), "0 jeu");
        assert_eq!(fr.count("games-count", 1_500), "1\u{202f}500 jeux");
    }
}
