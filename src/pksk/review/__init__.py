"""The review of a design: rules about keys, indexes and access patterns, and reports of what they find."""

from __future__ import annotations

from pksk.review.comparison import Comparison, compare
from pksk.review.measuring.measure import FIGURES, Measurement, measure
from pksk.review.measuring.measure_design import DesignMeasurement, PatternMeasurement, measure_design
from pksk.review.measuring.problem_indicators import ProblemIndicators
from pksk.review.review import Accepted, Review, review, rule_named
from pksk.review.rule import Design, Finding, Missing, Rule, Severity
from pksk.review.rules import RULES
from pksk.review.source_lines import SourceLines, Subject
from pksk.review.traffic import Traffic, read_traffic

__all__ = [
    "FIGURES",
    "RULES",
    "Accepted",
    "Comparison",
    "Design",
    "DesignMeasurement",
    "Finding",
    "Measurement",
    "Missing",
    "PatternMeasurement",
    "ProblemIndicators",
    "Review",
    "Rule",
    "Severity",
    "SourceLines",
    "Subject",
    "Traffic",
    "compare",
    "measure",
    "measure_design",
    "read_traffic",
    "review",
    "rule_named",
]
