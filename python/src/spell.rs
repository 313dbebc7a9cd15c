//! Conversion of answers to Python dictionaries, lists and numbers, by way of JSON values.

use crate::errors;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::Serialize;
use serde_json::Value;

/// Converts an answer to a dictionary, with the fields that `--json` prints.
pub(crate) fn spelled(py: Python<'_>, answer: &impl Serialize) -> PyResult<Py<PyAny>> {
    let value = serde_json::to_value(answer).map_err(|error| {
        errors::typed(
            py,
            "OutplayError",
            &format!("an answer cannot be converted to Python objects ({error})"),
            None,
        )
    })?;
    to_python(py, &value)
}

fn to_python(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Value::Null => py.None(),
        Value::Bool(flag) => flag.into_pyobject(py)?.to_owned().into_any().unbind(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any().unbind(),
            (_, Some(number)) => number.into_pyobject(py)?.into_any().unbind(),
            _ => number.as_f64().into_pyobject(py)?.unbind(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any().unbind(),
        Value::Array(list) => {
            let items = list.iter().map(|item| to_python(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any().unbind()
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, to_python(py, value)?)?;
            }
            dict.into_any().unbind()
        }
    })
}
