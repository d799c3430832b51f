"""Other people's tools: what they need to work with an explainer. Each part needs the package it is named after."""
