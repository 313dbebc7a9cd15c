// @ts-check

// A value that has to be there.

/**
 * The value itself; an error if it is missing, which would be a mistake of the page.
 * @template T
 * @param {T | null | undefined} value
 * @returns {T}
 */
export function given(value) {
  if (value === null || value === undefined) throw new Error("something that should be there is missing");
  return value;
}
