"""Evaluation: labelled tickets, what runs of them came to, and how the two compare."""
