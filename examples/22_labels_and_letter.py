"""
Words for people: labels, reasons and a letter
==============================================

A person who was turned down should read neither ``debt_ratio < 0.425`` nor ``purpose_3``. You learn to give columns the
names, units and decimals that people use, to get the principal reasons of a decision, and to write them in a letter.

This is no legal advice: what a notice must say is for your lawyers to decide.
"""

# %%
# Labels
# ------
# They change words, never data: JSON, tables and conditions keep the names that the model knows.

from lormika import Explainer, datasets

labels = {
    "income": {"label": "Yearly income", "unit": "k€", "decimals": 0},
    "savings": {"label": "Savings", "unit": "k€", "decimals": 1},
    "debt_ratio": {"label": "Debts as a share of income", "decimals": 2},
    "employment": {
        "label": "Employment",
        "values": {"unemployed": "out of work", "employed": "in work"},
    },
    "missed_payments": "Missed payments",
    "amount": {"label": "Amount asked for", "unit": "k€"},
    "classes": {"accepted": "granted", "rejected": "declined"},
}
X, y = datasets.make_loans()
X_train, X_test, y_train, y_test = datasets.split(X, y)
model = datasets.make_model("rf", X_train).fit(X_train, y_train)
explainer = Explainer(
    model, X_train, labels=labels, constraints={"fixed": ["age", "phone"]}
)
application = X.loc[[1091]]
explanation = explainer.explain(application, k=3)
print(explanation.summary())

# %%

explanation.plot()

# %%
# Reasons
# -------
# A detail is a reason if the model is less certain of its decision with other values of it. Your table says what to write;
# ``{value}`` and ``{otherwise}`` are filled in.

codes = {
    "employment": ("R11", "No paid work at present"),
    "savings": (
        "R07",
        "Savings of {value}; with {otherwise}, the decision would have been another",
    ),
    "missed_payments": ("R03", "Payments missed in the last two years: {value}"),
}
for reason in explanation.reasons(codes):
    print(reason)

# %%
# Without a table, reasons are the name of the detail and its value.

for reason in explanation.reasons():
    print(reason.text, "|", f"certainty with other values: {reason.certainty:.0%}")

# %%
# A letter
# --------
# One page, with the reasons, what would have led to another result, and whom to write to. Fields hold what only you know;
# nothing reads the clock. ``letter.save("letter.html")`` (or ``.pdf``) writes it.

from html import escape

letter = explanation.letter(
    codes=codes,
    fields={
        "sender": "Example Bank plc\n1 Market Square\nExampleton EX1 2AB",
        "recipient": "Ms Jane Doe\n14 Mill Lane\nExampleton EX3 4CD",
        "decision": "We are sorry to tell you that we could not grant the loan that you applied for.",
        "contact": "Customer Care, care@bank.example",
    },
    time="2026-03-01",
    fingerprint=explainer.fingerprint(),
)


class Page:
    """A letter inside another page."""

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(letter.html)}" title="The letter" width="100%" height="900"></iframe>'


Page()

# %%
# The record
# ----------
# For those who must answer for the letter: all that it rests on, with hashes of the letter, the model's answers and the
# background. The same input gives the same bytes.

print(", ".join(letter.record))
print(letter.record["letter"]["sha256"])
print(f"fields still to fill in: {list(letter.placeholders)}")
