//! Numbers given from Python: a negative or too large one is an error of the package.

use crate::errors;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

/// An unsigned integer type.
pub(crate) trait UnsignedNumber: TryFrom<u64> {
    /// The largest number.
    const LARGEST: u64;
}

impl UnsignedNumber for u32 {
    const LARGEST: u64 = u32::MAX as u64;
}

impl UnsignedNumber for u64 {
    const LARGEST: u64 = u64::MAX;
}

impl UnsignedNumber for usize {
    const LARGEST: u64 = usize::MAX as u64;
}

/// Reads a whole number, 0 or more.
pub(crate) fn natural<T: UnsignedNumber>(given: &Bound<'_, PyAny>) -> PyResult<T> {
    let py = given.py();
    let out_of_range = || -> PyErr {
        let shown = given.repr().map_or_else(|_| "the number".into(), |text| text.to_string());
        let sentence = format!("{shown} is out of range; use a whole number from 0 to {}", T::LARGEST);
        errors::typed(py, "InputError", &sentence, None)
    };
    match given.extract::<u64>() {
        Ok(number) => T::try_from(number).map_err(|_| out_of_range()),
        Err(error) if error.is_instance_of::<PyOverflowError>(py) => Err(out_of_range()),
        Err(error) => Err(error),
    }
}

/// Reads a whole number, 0 or more, or None.
pub(crate) fn natural_or_none<T: UnsignedNumber>(given: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
    if given.is_none() { Ok(None) } else { natural(given).map(Some) }
}

/// Reads a pair of whole numbers, 0 or more, or None.
pub(crate) fn natural_pair(given: &Bound<'_, PyAny>) -> PyResult<Option<(u32, u32)>> {
    if given.is_none() {
        return Ok(None);
    }
    let (low, high): (Bound<'_, PyAny>, Bound<'_, PyAny>) = given.extract()?;
    Ok(Some((natural(&low)?, natural(&high)?)))
}
