// @ts-check

// Assertion that a value is present.

/**
 * Returns the value; throws if it is null or undefined, which would be a bug.
 * @template T
 * @param {T | null | undefined} value
 * @returns {T}
 */
export function given(value) {
  if (value === null || value === undefined) throw new Error("internal error: a required value is missing");
  return value;
}
