//! Checks a written proof of a k-in-a-row board with the plain rules.
