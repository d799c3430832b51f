"""The columns of rules: what `Explanation.to_frame`, the tables of a batch run and their documentation are made of."""

from __future__ import annotations

from lormika.rule import Rule
from lormika.views.column import Column, ListOf
from lormika.views.rule_structs import CONDITION, EDIT, condition_struct, edit_struct

FRAME: tuple[Column[Rule], ...] = (
    Column(
        "category",
        "string",
        lambda rule: rule.category and rule.category.value,
        "`current_supporting`, `current_contradicting`, `hypothetical_supporting` or `hypothetical_contradicting`",
    ),
    Column("rule", "string", str, "the rule in words"),
    Column("consequent", "class", lambda rule: rule.consequent, "class that the rule leads to"),
    Column("conditions", "int32", lambda rule: len(rule.conditions), "number of conditions"),
    Column(
        "support", "float64", lambda rule: rule.support, "share of the sample that matches conditions and consequent"
    ),
    Column("coverage", "float64", lambda rule: rule.coverage, "share of the sample that matches the conditions"),
    Column(
        "confidence",
        "float64",
        lambda rule: rule.confidence,
        "share of the matching rows that have the consequent; null if no row matches",
    ),
    Column(
        "lift",
        "float64",
        lambda rule: rule.lift,
        "confidence, divided by the share of the consequent in the whole sample; null if no row matches",
    ),
    Column(
        "leverage",
        "float64",
        lambda rule: rule.leverage,
        "support minus the support expected if both sides were independent",
    ),
    Column("score", "float64", lambda rule: rule.score, "objective that was searched for, m-estimate included"),
    Column(
        "p_value",
        "float64",
        lambda rule: rule.p_value,
        "largest of Fisher's tests against the rule's generalisations; null if none was made",
    ),
    Column("rows", "int32", lambda rule: rule.counts.antecedent, "rows of the sample that match the conditions"),
    Column(
        "real_rows",
        "int32",
        lambda rule: rule.real and rule.real.antecedent,
        "those of them that are real, not generated",
        has_missing=True,
    ),
    Column(
        "edit",
        "string",
        lambda rule: rule.rerun and str(rule.rerun),
        "smallest change that makes a hypothetical rule true, in words; null for a current rule",
    ),
    Column(
        "rerun_label",
        "class",
        lambda rule: rule.rerun and rule.rerun.label,
        "class that the model predicts after that change; null for a current rule",
    ),
    Column(
        "rerun_prediction_probability",
        "float64",
        lambda rule: rule.rerun and rule.rerun.probability,
        "probability of the original prediction after that change; null for a current rule",
    ),
    Column(
        "turned",
        "bool",
        lambda rule: rule.rerun and rule.rerun.turned,
        "whether that change turns the prediction; null for a current rule",
        has_missing=True,
    ),
    Column(
        "asked",
        "int32",
        lambda rule: rule.check and rule.check.asked,
        "changes of the row that the model was asked about to confirm the rule; null without confirmation",
        has_missing=True,
    ),
    Column(
        "agreed",
        "int32",
        lambda rule: rule.check and rule.check.agreed,
        "those of them for which the model did what the rule says; null without confirmation",
        has_missing=True,
    ),
    Column(
        "before",
        "float64",
        lambda rule: rule.check and rule.check.before,
        "how certain the model is of the original prediction, for the row as it is; null without confirmation",
    ),
    Column(
        "after",
        "float64",
        lambda rule: rule.check and rule.check.after,
        "the same on average over these changes; null without confirmation",
    ),
    Column(
        "weak",
        "bool",
        lambda rule: rule.weak,
        "whether only the model's answers support the rule, and not the similar rows",
    ),
)
"""Columns of `Explanation.to_frame`."""

DETAILS: tuple[Column[Rule], ...] = (
    Column("features", ListOf("string"), lambda rule: list(rule.features), "names of the features in the conditions"),
    Column(
        "condition_list",
        ListOf(CONDITION),
        lambda rule: [condition_struct(condition) for condition in rule.conditions],
        "the conditions, [as structs](#conditions-and-changes)",
    ),
    Column(
        "edit_list",
        ListOf(EDIT),
        lambda rule: rule.rerun and [edit_struct(edit) for edit in rule.rerun.edits],
        "the changes of `edit`, [as structs](#conditions-and-changes); null for a current rule",
    ),
    Column(
        "rerun_value",
        "float64",
        lambda rule: rule.rerun and rule.rerun.value,
        "value that a regressor predicts after that change; null for a current rule, and of a classifier",
    ),
    Column("sample_rows", "int32", lambda rule: rule.counts.rows, "rows of the sample"),
    Column(
        "consequent_rows", "int32", lambda rule: rule.counts.consequent, "rows of the sample that have the consequent"
    ),
    Column(
        "both_rows", "int32", lambda rule: rule.counts.both, "rows of the sample that match conditions and consequent"
    ),
    Column(
        "real_sample_rows", "int32", lambda rule: rule.real and rule.real.rows, "`sample_rows` of the real rows alone"
    ),
    Column(
        "real_consequent_rows",
        "int32",
        lambda rule: rule.real and rule.real.consequent,
        "`consequent_rows` of the real rows alone",
    ),
    Column("real_both_rows", "int32", lambda rule: rule.real and rule.real.both, "`both_rows` of the real rows alone"),
)
"""Everything else that a rule is made of; only in files."""
