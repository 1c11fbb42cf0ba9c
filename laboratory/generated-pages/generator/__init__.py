"""The parts that all programs share: texts, marks, captured pages, sets."""
