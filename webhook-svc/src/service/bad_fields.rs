//! The bad fields of a call, which are reported together.

use std::collections::BTreeMap;

use kit::Fault;

#[derive(Debug, Default)]
pub(super) struct BadFields(BTreeMap<String, String>);

impl BadFields {
    /// The value of a field, or what is wrong with it is noted.
    pub(super) fn take<T>(&mut self, read: Result<T, Fault>) -> Option<T> {
        read.map_err(|fault| self.0.extend(fault.fields)).ok()
    }

    /// The values, if all fields are good: `None` if one was bad.
    ///
    /// # Errors
    /// Every bad field.
    pub(super) fn finish<T>(self, values: Option<T>) -> Result<T, Fault> {
        values
            .filter(|_| self.0.is_empty())
            .ok_or_else(|| Fault::invalid(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bad_field_is_reported() {
        let mut bad = BadFields::default();
        let good = bad.take(Ok(1));
        assert_eq!(bad.finish(good), Ok(1));

        let mut bad = BadFields::default();
        let values = [Ok(1), Err("a"), Err("b")].map(|value| {
            bad.take(value.map_err(|field| Fault::invalid_field(field, "Give another.")))
        });
        assert_eq!(values, [Some(1), None, None]);
        let fault = bad.finish(values[0]).unwrap_err();
        assert_eq!(fault.fields.into_keys().collect::<Vec<_>>(), ["a", "b"]);
    }
}
